"""Query plans of SQLite for reading rows, with and without indexes on cells, and the creation of these indexes."""
from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.models import Change, ColumnUse, Row, Table
from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import keyset_position, parse_sort
from tables.selectors import count_rows, read_rows, table_shape
from tables.selectors.sql.cell_indexes import LARGE, sqlite_index_names
from tables.services import add_rows, cell_indexes, record_column_use, undo_change, update_cell_indexes, update_rows
from tests.tables.indexed_tables import indexed
from tests.tables.sample_tables import write_table

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db]

COLUMNS: list[Any] = [
    ("Company", "text"),
    ("Amount", "number"),
    ("Status", "select", ["Open", "Done", "100 %s", "it's"]),
    ("Due", "date"),
]
ROWS = [
    {
        "Company": f"Company {number * 7 % 10}",
        "Amount": number * 3 % 10,
        "Status": ("Open", "Done")[number % 2],
        "Due": f"2024-01-{number % 7 + 1:02}",
    }
    for number in range(30)
]
LATE = {"column": "Status", "op": "any_of", "value": ["Open"]}
TODAY = date(2024, 2, 29)


@pytest.fixture
def table(user: User) -> Table:
    """Create a table and collect planner statistics for it."""
    table = write_table(user, COLUMNS, ROWS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return table


@pytest.fixture
def large(table: Table) -> Table:
    """Make the table count as large."""
    cell_indexes._recorded.clear()
    table.next_position = table.counted_rows = LARGE
    table.counted_version = table.version
    table.save()
    return table


def plan_of(read: Callable[[], Any]) -> str:
    """Return the query plan of the last statement that reading sends."""
    with CaptureQueriesContext(connection) as sent:
        read()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sent.captured_queries[-1]["sql"])
        return "\n".join(str(line[-1]) for line in cursor.fetchall())


def plans_of_pages(table: Table, *, sort: str, raw: Any) -> list[str]:
    """Return the plans of the first page of a view and of the next one."""
    shape = table_shape(table)
    keys, condition = parse_sort(sort, shape=shape), parse_filter(raw, shape=shape, today=TODAY)
    view: dict[str, Any] = {"shape": shape, "filter": condition, "sort": keys, "limit": 3}
    last = read_rows(table, **view)[-1]
    cursor = keyset_position(row_id=last.id, position=last.position, data=last.data, sort=keys)
    return [
        plan_of(lambda: read_rows(table, **view)),
        plan_of(lambda: read_rows(table, after=cursor, **view)),
    ]


@pytest.mark.parametrize(("sort", "raw"), [("Company", None), ("-Amount,Company", LATE)])
def test_without_an_index_a_sorted_page_is_selected_before_its_rows_are_read(
    table: Table, sort: str, raw: Any
) -> None:
    for plan in plans_of_pages(table, sort=sort, raw=raw):
        assert "USING INDEX rows_in_order (table_id=?)" in plan, plan
        assert "USING INTEGER PRIMARY KEY" in plan, plan
        assert "rows_by_cells" not in plan, plan


@pytest.mark.parametrize(
    ("sort", "raw"),
    [("Company", None), ("-Company", None), ("Amount", None), ("Status", None), ("-Due", LATE)],
    ids=str,
)
def test_an_index_on_cells_has_the_rows_in_order(table: Table, sort: str, raw: Any) -> None:
    shape = table_shape(table)
    keys, condition = parse_sort(sort, shape=shape), parse_filter(raw, shape=shape, today=TODAY)
    with indexed(table, sort=keys, filter=condition):
        for plan in plans_of_pages(table, sort=sort, raw=raw):
            page, _ = plan.split("USING INTEGER PRIMARY KEY")
            assert f"INDEX cells_{keys[0].column_id}_" in page, plan
            assert "FOR ORDER BY" not in page, plan


@pytest.mark.parametrize(
    "condition",
    [
        {"column": "Company", "op": "eq", "value": "COMPANY 3"},
        {"column": "Amount", "op": "between", "value": [3, 3]},
        {"column": "Due", "op": "lt", "value": "2024-01-02"},
        {"column": "Status", "op": "any_of", "value": ["it's", "Done"]},
    ],
    ids=lambda condition: f"{condition['column']} {condition['op']}",
)
def test_a_filter_is_a_range_of_an_index_on_cells(table: Table, condition: dict[str, Any]) -> None:
    shape = table_shape(table)
    filter_ = parse_filter(condition, shape=shape, today=TODAY)
    with indexed(table, filter=filter_):
        plan = plan_of(lambda: count_rows(table, shape=shape, filter=filter_))
        assert f"INDEX {sqlite_index_names()[0]} (table_id=? AND <expr>" in plan


def test_few_matching_rows_are_sorted_after_the_filter(table: Table) -> None:
    few = {"column": "Amount", "op": "eq", "value": 3}
    shape = table_shape(table)
    with indexed(table, filter=parse_filter(few, shape=shape, today=TODAY)):
        for plan in plans_of_pages(table, sort="Company", raw=few):
            assert f"INDEX {sqlite_index_names()[0]} (table_id=? AND <expr>=?)" in plan, plan


def test_texts_remain_in_folded_order_through_changes_and_undo(user: User, large: Table) -> None:
    shape = table_shape(large)
    keys, company = parse_sort("Company", shape=shape), shape.columns[0].id
    record_column_use(large, sort=keys)
    (index,) = update_cell_indexes().created

    def companies() -> list[str]:
        large.refresh_from_db()
        read = read_rows(large, shape=shape, sort=keys, limit=50)
        assert f"INDEX {index}" in plan_of(lambda: read_rows(large, shape=shape, sort=keys, limit=50))
        return [row.data[company] for row in read]

    before, origin = companies(), Origin("grid")
    texts = ["Straße", "STRASSE 2", "ärger", "Ärgernis", "İ", "i̇b", "Ж", "жа", "zebra", "\U0001f600", "\uffee", "ΟΔΟΣ"]
    rows = [{"Company": text} for text in texts]
    added = add_rows(user=user, table_id=large.pk, rows=rows, origin=origin).change
    assert companies() == sorted([*before, *texts], key=str.casefold)
    cell = {"id": Row.objects.filter(table=large).latest("pk").pk, "data": {"Company": "ÄRGER B"}}
    changed = update_rows(user=user, table_id=large.pk, rows=[cell], origin=origin).change
    assert companies() == sorted([*before, *texts[:-1], "ÄRGER B"], key=str.casefold)
    for change in (changed, added):
        undo_change(user=user, table_id=large.pk, change_id=change)
    assert companies() == before


def test_rows_of_earlier_releases_get_folded_cells_with_the_index(large: Table) -> None:
    shape = table_shape(large)
    Row.objects.filter(table=large, position=0).update(data={shape.columns[0].id: "ÄB"}, folded_cells=None)
    Row.objects.filter(table=large, position=1).update(data={shape.columns[0].id: "äa"}, folded_cells=None)
    keys = parse_sort("-Company", shape=shape)
    record_column_use(large, sort=keys)
    update_cell_indexes()
    assert [row.position for row in read_rows(large, shape=shape, sort=keys, limit=2)] == [0, 1]


def test_indexes_are_created_once_and_dropped_when_unused(large: Table) -> None:
    keys = parse_sort("Amount", shape=table_shape(large))
    assert record_column_use(large, sort=keys)
    assert not record_column_use(large, sort=keys)
    created = update_cell_indexes().created
    assert created == sqlite_index_names() != []
    assert update_cell_indexes().unchanged == created
    ColumnUse.objects.update(used_at=timezone.now() - timedelta(days=cell_indexes.USE_DAYS + 1))
    assert (update_cell_indexes().dropped, sqlite_index_names()) == (created, [])


def test_an_interrupted_creation_leaves_no_index(large: Table) -> None:
    record_column_use(large, sort=parse_sort("Amount", shape=table_shape(large)))

    def interrupt(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("ANALYZE"):
            raise KeyboardInterrupt
        return execute(sql, params, many, context)

    with connection.execute_wrapper(interrupt), pytest.raises(KeyboardInterrupt):
        update_cell_indexes()
    assert sqlite_index_names() == []
    assert len(update_cell_indexes().created) == 1


@pytest.mark.parametrize(("share", "text"), [(1.0, ""), (0.5, "x" * 5_000)], ids=["many rows", "long rows"])
def test_long_index_creation_is_postponed_while_rows_are_changed(
    user: User, large: Table, share: float, text: str
) -> None:
    rows = int(share * cell_indexes.MAX_SECONDS_AT_ONCE / cell_indexes.SECONDS_PER_ROW)
    record_column_use(large, sort=parse_sort("Amount", shape=table_shape(large)))
    added = [{"Amount": 1, "Company": text}] * 10
    change = add_rows(user=user, table_id=large.pk, rows=added, origin=Origin("grid")).change
    large.refresh_from_db()
    Table.objects.filter(pk=large.pk).update(counted_rows=rows, counted_version=large.version)
    report = update_cell_indexes()
    assert (report.created, len(report.postponed)) == ([], 1)
    Change.objects.filter(pk=change).update(created_at=timezone.now() - cell_indexes.IDLE)
    assert update_cell_indexes().created == report.postponed


@pytest.mark.django_db(transaction=True)
def test_readers_do_not_wait_for_writers_to_record_a_use(large: Table) -> None:
    keys = parse_sort("Amount", shape=table_shape(large))
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with CaptureQueriesContext(connection) as sent:
            assert not record_column_use(large, sort=keys)
    assert "PRAGMA busy_timeout = 0" in [query["sql"] for query in sent.captured_queries]
    assert record_column_use(large, sort=keys)
