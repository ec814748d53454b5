"""Sorting on SQLite scans rows in their stored order, independent of the planner."""
from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import keyset_position, parse_sort
from tables.selectors import read_rows, table_shape
from tests.tables.sample_tables import write_table

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db]

COLUMNS: list[Any] = [("Company", "text"), ("Amount", "number"), ("Status", "select", ["Open", "Done"])]
ROWS = [
    {"Company": f"Company {number * 7 % 10}", "Amount": number * 3 % 10, "Status": ("Open", "Done")[number % 2]}
    for number in range(30)
]
LATE = {"column": "Status", "op": "any_of", "value": ["Open"]}
SORTS = ["Company", "-Amount", "Status", "-Amount,Company"]


@pytest.fixture
def table(user: User) -> Table:
    """Create a table and collect planner statistics for it."""
    table = write_table(user, COLUMNS, ROWS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return table


def plan_of(sent: CaptureQueriesContext) -> str:
    """Return the query plan of the last statement."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sent.captured_queries[-1]["sql"])
        return "\n".join(str(line[-1]) for line in cursor.fetchall())


@pytest.mark.parametrize("raw", [None, LATE])
@pytest.mark.parametrize("sort", SORTS)
def test_a_sorted_page_is_selected_before_its_rows_are_read(table: Table, sort: str, raw: Any) -> None:
    shape = table_shape(table)
    keys, condition = parse_sort(sort, shape=shape), parse_filter(raw, shape=shape, today=date(2024, 2, 29))
    with CaptureQueriesContext(connection) as sent:
        first = read_rows(table, shape=shape, filter=condition, sort=keys, limit=5)
    plan = plan_of(sent)
    last = first[-1]
    cursor = keyset_position(row_id=last.id, position=last.position, data=last.data, sort=keys)
    with CaptureQueriesContext(connection) as sent:
        read_rows(table, shape=shape, filter=condition, sort=keys, limit=5, after=cursor)
    for each in (plan, plan_of(sent)):
        assert "USING INDEX rows_in_order (table_id=?)" in each, each
        assert "USING INTEGER PRIMARY KEY" in each, each
        assert "rows_by_cells" not in each, each
