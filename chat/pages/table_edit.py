"""Page `table_edit`: the editor for the columns of a table."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from chat.page_config import ContextBlock, PageConfig, PageContext, register_page
from chat.pages.example_table import ROWS, SHAPE, example_structure, temporary_example
from chat.pages.introduction import HELP_CATEGORIES, INTRODUCTION
from chat.pages.size_limit import halve, limit_size
from chat.pages.table_data import READ_ONLY_NOTE, TABLE_SCHEMA, may_edit, open_table, structure_data, visible_tables
from tables.operations.plans.type_losses import losses_by_type
from tables.operations.value_schemas import typed_value
from tables.selectors import cached_type_changes

IDENTITY = """\
You are on the page where the columns of one table are edited.

- Propose changes with SCHEMA_PROPOSAL in mode "update", with column ids from the current context.
- Say what a change does to existing values: a type change converts them, and those that do not fit are listed before
  anything is saved; a removed column takes its values with it until it is undone.
- For select columns always give the full list of options.
- Rows are edited on the table's own page, not here.\
"""
EDITING = (
    "The user is editing the columns of this table. type_changes counts, by column id and only for the first "
    "rows_looked_at rows, the filled cells that would lose their value if the column had another type; null for "
    "select: unknown until its options are named."
)
TYPE_CHANGE_REDUCTIONS = (halve("type_changes", "columns"),)

Json = dict[str, Any]


def build_context(context: PageContext) -> ContextBlock:
    """Return the columns of the open table and, for editors, the losses that other column types would cause."""
    data = structure_data(context, today=timezone.localdate())
    if not may_edit(context):
        return ContextBlock(text=READ_ONLY_NOTE, data=data)
    return ContextBlock(text=EDITING, data=_with_type_changes(data, changes=cached_type_changes(open_table(context))))


def example(context: PageContext) -> ContextBlock:
    """Return the columns of the example table."""
    data = example_structure(context, today=timezone.localdate())
    columns = losses_by_type(SHAPE.columns, rows=[row.data for row in ROWS])
    changes = {"rows_looked_at": len(ROWS), "columns": columns}
    return ContextBlock(text=EDITING, data=_with_type_changes(data, changes=changes))


def _with_type_changes(data: Json, *, changes: Json) -> Json:
    """Return the structure with as many type changes as fit into the size limit."""
    return limit_size({**data, "type_changes": changes}, reductions=TYPE_CHANGE_REDUCTIONS)


register_page(
    PageConfig(
        page="table_edit",
        title="Table settings",
        description="Name, columns and sharing of a table.",
        introduction=INTRODUCTION,
        identity=IDENTITY,
        context_builder=build_context,
        example=example,
        temporary_example=temporary_example,
        visible_objects=visible_tables,
        may_write=may_edit,
        typed_value=typed_value,
        object_key="table_id",
        object_label="Table ID",
        object_parameter="table",
        context_schema=TABLE_SCHEMA,
        tools=("describe_table", "get_rows", "search_rows"),
        payloads=("schema_proposal",),
        links=("table", "row", "column"),
        help=HELP_CATEGORIES,
        starters=("Add a Priority column with High, Medium and Low", "Which columns could be select columns?"),
    )
)
