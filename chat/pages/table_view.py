"""Page `table_view`: a table with its rows."""

from __future__ import annotations

from django.apps import apps
from django.utils import timezone

from chat.page_config import ContextBlock, PageConfig, PageContext, register_page
from chat.pages.example_table import example_rows, temporary_example
from chat.pages.introduction import HELP_CATEGORIES, INTRODUCTION
from chat.pages.table_data import READ_ONLY_NOTE, TABLE_SCHEMA, may_edit, rows_data, visible_tables
from chat.pages.table_files import TABLE_FILES
from chat.pages.table_view_actions import TABLE_ACTIONS
from tables.operations.value_schemas import typed_value

IDENTITY = """\
You are next to an open table, which the user fills, cleans up, enriches and asks about.

- Several rows, sample data, "all X to Y", or anything uncertain: propose it with DATA_PROPOSAL.
- For many rows with the same condition, write one operation with `where`, not one per row.
- One row that the user explicitly asked for ("add a row for Acme", "delete Acme") may be written directly with
  create_row, update_row or delete_row. If in doubt, propose.
- "Row 12" is the row with `number` 12 in the user's view, never a row_id: if it is not in `sample_rows`, read it with
  get_rows, in_view and offset 11. Change or delete rows named by number with DATA_PROPOSAL, so that the user sees which
  ones are meant.
- Add, change, remove and reorder columns with SCHEMA_PROPOSAL in mode "update". If the request continues after that
  ("add a column and fill it"), put the rest in `next`.
- Counts, sums, averages, minimums and maximums come from tools (describe_table, aggregate_rows, get_rows, search_rows),
  never from the sample rows. Totals by group or by month: aggregate_rows.
- Find duplicates with find_duplicates, and propose what to do with them with DATA_PROPOSAL.
- The current context shows only a few rows. Read more with get_rows before you judge the whole.
- The user's view (sort, filter, search, hidden columns), export, print, sharing, history and undo are client actions.
  "Sort by salary", "only show open ones", "hide Notes", "undo that" ask for exactly that: run them. `view` in the
  context is the current view.
- "These" are the selected rows, if there are any. Sums and averages of them: aggregate_rows with selected. If
  selected_rows_left_out is present, more are selected than shown: read them with get_rows and selected.\
"""
VIEWING = "The user is viewing one table. `sample_rows` are the first rows of their view, not all rows."
# Entries of the app of fills, which can be left out.
FILLS = ("get_fills", "fill_proposal") if apps.is_installed("fills") else ()


def build_context(context: PageContext) -> ContextBlock:
    """Return the open table with sample rows, the user's view and value counts."""
    return ContextBlock(
        text=VIEWING if may_edit(context) else f"{VIEWING} {READ_ONLY_NOTE}",
        data=rows_data(context, today=timezone.localdate()),
    )


def example(context: PageContext) -> ContextBlock:
    """Return the example table with rows and counts."""
    return ContextBlock(text=VIEWING, data=example_rows(context, today=timezone.localdate()))


register_page(
    PageConfig(
        page="table_view",
        title="Table",
        description="A table with its rows, columns and views.",
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
        tools=(
            "list_tables",
            "describe_table",
            "get_rows",
            "search_rows",
            "aggregate_rows",
            "find_duplicates",
            "create_row",
            "update_row",
            "delete_row",
            *FILLS[:1],
        ),
        payloads=("schema_proposal", "data_proposal", *FILLS[1:]),
        client_actions=tuple(entry.action for entry in TABLE_ACTIONS),
        links=("table", "row", "column"),
        files=TABLE_FILES,
        help=HELP_CATEGORIES,
        starters=("Add 8 sample rows", "How many rows are there?", "What can you do here?"),
    )
)
