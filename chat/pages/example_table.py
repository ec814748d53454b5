"""A sample table for previews of prompts and trials of drafts, so that no user's data is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

from chat.page_config import PageContext
from chat.pages.table_data import named_stats, numbered_rows, table_description
from tables.operations import ColumnSpec, TableShape
from tables.selectors import RowView
from tables.services import ephemeral_table

Json = dict[str, Any]

# Larger than any id that the database assigns.
TABLE_ID = 10**12
STATUSES = ("Applied", "Interview", "Offer", "Declined")
SHAPE = TableShape(
    id=TABLE_ID,
    name="Job applications",
    description="Example: job applications and their outcomes.",
    columns=(
        ColumnSpec(id="c_company", name="Company", type="text", required=True),
        ColumnSpec(id="c_status", name="Status", type="select", options=STATUSES),
        ColumnSpec(id="c_salary", name="Salary", type="number"),
        ColumnSpec(id="c_applied", name="Applied on", type="date"),
    ),
)
CELLS: tuple[tuple[str, str, int, str], ...] = (
    ("Acme", "Applied", 62_000, "2026-03-02"),
    ("Globex", "Interview", 71_500, "2026-03-09"),
    ("Initech", "Declined", 58_000, "2026-02-17"),
    ("Umbrella", "Offer", 80_000, "2026-01-28"),
)
ROWS = tuple(
    RowView(TABLE_ID + number, number, 1, dict(zip((column.id for column in SHAPE.columns), cells, strict=True)))
    for number, cells in enumerate(CELLS, start=1)
)
STATS: Json = {
    "columns": {
        "c_status": {"counts": dict.fromkeys(("Applied", "Interview", "Declined", "Offer"), 1)},
        "c_salary": {"min": 58_000, "max": 80_000},
        "c_applied": {"min": "2026-01-28", "max": "2026-03-09"},
    }
}


@contextmanager
def temporary_example(user: Any) -> Iterator[str]:
    """Make the example available as a table of this user within the block, and yield its id."""
    with ephemeral_table(user=user, shape=SHAPE, rows=ROWS):
        yield str(TABLE_ID)


def example_tables(context: PageContext, *, today: date) -> Json:
    """Return the context of the list of tables, with the example as its only table."""
    columns = [f"{column.name} ({column.type})" for column in SHAPE.columns]
    table = {"id": SHAPE.id, "name": SHAPE.name, "description": SHAPE.description, "columns": columns}
    listed = [{**table, "rows": len(ROWS)}]
    return {"page": context.page, "today": today.isoformat(), "tables": listed, "tables_total": 1}


def example_structure(context: PageContext, *, today: date) -> Json:
    """Return the columns of the example."""
    return {"page": context.page, "today": today.isoformat(), "table": table_description(SHAPE, rows=len(ROWS))}


def example_rows(context: PageContext, *, today: date) -> Json:
    """Return the example with its rows and counts."""
    return {
        **example_structure(context, today=today),
        "view": {"filter": None, "sort": None, "search": "", "matching_rows": len(ROWS)},
        "sample_rows": numbered_rows(ROWS, shape=SHAPE),
        **named_stats(STATS, shape=SHAPE),
    }
