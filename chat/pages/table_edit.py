"""The page where a table's columns are edited: the assistant helps with the structure."""
from __future__ import annotations

from django.utils import timezone

from chat.page_config import ContextBlock, PageConfig, PageContext, register_page
from chat.pages.example_table import example_structure
from chat.pages.table_data import ONLY_READING, may_edit, structure_data, visible_tables

IDENTITY = """\
You are on the page where the columns of one table are edited. Here people get the structure right.

- Propose changes with SCHEMA_PROPOSAL in mode "update", with column ids from the current context.
- Say what a change does to the values that are there: a type change converts them, and what does not fit is listed
  before anything is saved; removing a column takes its values with it until it is undone.
- For select columns always give the full list of options.
- Rows are worked on in the table's own page, not here.\
"""
EDITING = "The person is editing the columns of this table."


def build_context(context: PageContext) -> ContextBlock:
    """The open table's columns."""
    return ContextBlock(
        text=EDITING if may_edit(context) else ONLY_READING,
        data=structure_data(context, today=timezone.localdate()),
    )


def example(context: PageContext) -> ContextBlock:
    """The columns of a made-up table."""
    return ContextBlock(text=EDITING, data=example_structure(context, today=timezone.localdate()))


register_page(
    PageConfig(
        page="table_edit",
        identity=IDENTITY,
        context_builder=build_context,
        example=example,
        visible_objects=visible_tables,
        may_write=may_edit,
        object_key="table_id",
        tools=("describe_table", "get_rows", "search_rows"),
        payloads=("schema_proposal",),
        starters=("Add a Priority column with High, Medium and Low", "Which columns could be select columns?"),
    )
)
