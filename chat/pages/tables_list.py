"""Page `tables_list`: the list of the user's tables."""

from __future__ import annotations

from django.utils import timezone

from chat.page_config import ContextBlock, PageConfig, PageContext, register_page
from chat.pages.example_table import example_tables, temporary_example
from chat.pages.introduction import HELP_CATEGORIES, INTRODUCTION
from chat.pages.table_data import VIEW_SCHEMA, tables_data

IDENTITY = """\
You are on the list of the user's tables, where new tables are created.

- When the user says what they want to keep track of, propose a table at once with SCHEMA_PROPOSAL in mode "create":
  a short name, a description of one sentence, four to eight columns with fitting types, and two or three realistic
  sample rows. Do not ask questions first, unless you cannot tell what the table is about.
- Prefer select columns for a handful of states, dates for days, numbers for amounts.
- When the user pastes a list or a table, use its columns, and its first rows as sample rows.
- Answer which tables exist from the current context or with list_tables.
- Rows are edited on a table's own page; say which table to open.\
"""
VIEWING = "The user is viewing the list of their tables. No table is open."


def build_context(context: PageContext) -> ContextBlock:
    """Return the user's tables."""
    return ContextBlock(text=VIEWING, data=tables_data(context, today=timezone.localdate()))


def example(context: PageContext) -> ContextBlock:
    """Return a list with the example table."""
    return ContextBlock(text=VIEWING, data=example_tables(context, today=timezone.localdate()))


register_page(
    PageConfig(
        page="tables_list",
        title="Tables",
        description="The list of a user's tables, where new ones are created.",
        introduction=INTRODUCTION,
        identity=IDENTITY,
        context_builder=build_context,
        example=example,
        temporary_example=temporary_example,
        context_schema=VIEW_SCHEMA,
        tools=("list_tables",),
        payloads=("schema_proposal",),
        links=("table",),
        help=HELP_CATEGORIES,
        starters=(
            "Track my job applications with company, position, status and date applied",
            "A table for household expenses with amount, category and whether it was paid back",
            "What tables do I have?",
        ),
    )
)
