"""The selectors of tables and rows: access, order, windows, search and statistics."""
from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tables.exceptions import Malformed, NotFound
from tables.models import Row, Table
from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.selectors import (
    column_stats,
    count_rows,
    get_row,
    get_table,
    read_rows,
    rows_by_id,
    table_shape,
    tables_for,
)
from tables.selectors.rows.reading import MIN_DEFERRED_OFFSET
from tables.services import add_rows
from tests.tables.sample_tables import write_copies, write_rows, write_table

COLUMNS: list[Any] = [("Company", "text"), ("Amount", "number"), ("Status", "select", ["Open", "Done"])]
ROWS: list[dict[str, Any]] = [
    {"Company": "Acme 50%", "Amount": 1e23, "Status": "Done"},
    {"Company": "Étoile", "Amount": -3, "Status": "Open"},
    {"Company": "straße"},
]


@pytest.fixture
def table(user: User) -> Table:
    return write_table(user, COLUMNS, ROWS)


def test_users_see_only_their_tables(user: User, other_user: User, table: Table) -> None:
    write_table(other_user, COLUMNS, [])
    assert [count.pk for count in tables_for(user)] == [table.pk]


def test_tables_with_row_counts_and_columns_take_three_queries_or_two_with_stored_counts(
    user: User, table: Table, django_assert_num_queries: Callable[[int], Any]
) -> None:
    for number in range(3):
        write_table(user, COLUMNS, ROWS, name=f"Table {number}")
    for queries in (3, 2):
        with django_assert_num_queries(queries):
            count = [(count.row_count, len(table_shape(count).columns)) for count in tables_for(user)]
        assert count == [(3, 3)] * 4
        Table.objects.update(counted_rows=3, counted_version=F("version"))


@pytest.mark.parametrize(("search", "count"), [("été", 1), ("jobs ÉTÉ", 1), ("été hiver", 0), ("%", 0), ("a\\", 0)])
def test_tables_are_searched_by_name_and_description(user: User, search: str, count: int) -> None:
    write_table(user, COLUMNS, [], name="Été jobs")
    assert tables_for(user, search=search).count() == count


@pytest.mark.parametrize("account", ["other", "nobody"])
def test_tables_of_other_users_are_not_found(account: str, table: Table, other_user: User) -> None:
    with pytest.raises(NotFound):
        get_table(other_user if account == "other" else AnonymousUser(), table.pk)


@pytest.mark.parametrize("table_id", [0, -1, 2**63, 10**30, 999_999])
def test_invalid_table_ids_are_not_found(user: User, table_id: int) -> None:
    with pytest.raises(NotFound):
        get_table(user, table_id)


def test_trashed_tables_are_listed_only_in_the_trash(user: User, table: Table) -> None:
    Table.objects.filter(pk=table.pk).update(deleted_at=timezone.now())
    assert get_table(user, table.pk, trashed=True).pk == table.pk
    assert not tables_for(user)
    with pytest.raises(NotFound):
        get_table(user, table.pk)


def test_rows_and_cells_are_read_in_order(table: Table) -> None:
    shape = table_shape(table)
    rows = read_rows(table)
    assert [row.position for row in rows] == [0, 1, 2]
    assert list(rows[0].data.items()) == [(c.id, ROWS[0][c.name]) for c in shape.columns]
    assert list(rows[2].data) == [shape.columns[0].id]


def test_numbers_are_normalized(table: Table) -> None:
    shape = table_shape(table)
    amounts = [row.data.get(shape.columns[1].id) for row in read_rows(table)]
    assert repr(amounts) == repr([1e23, -3, None])


def test_a_window_of_the_rows_is_read(table: Table) -> None:
    assert [row.position for row in read_rows(table, offset=1, limit=1)] == [1]


def test_a_distant_window_equals_that_part_of_all_rows(table: Table) -> None:
    write_rows(table, [{"Company": f"Firm {number}"} for number in range(MIN_DEFERRED_OFFSET + 20)])
    Row.objects.filter(table=table, position__in=(5, MIN_DEFERRED_OFFSET)).update(deleted_at=timezone.now())
    everything = read_rows(table, limit=2 * MIN_DEFERRED_OFFSET)
    assert len(everything) == 3 + MIN_DEFERRED_OFFSET + 18
    for offset in (MIN_DEFERRED_OFFSET - 1, MIN_DEFERRED_OFFSET, MIN_DEFERRED_OFFSET + 15, MIN_DEFERRED_OFFSET + 30):
        assert read_rows(table, offset=offset, limit=10) == everything[offset : offset + 10]
        assert read_rows(table, offset=offset, limit=10, search="firm") == everything[offset + 3 : offset + 13]


def test_rows_before_a_distant_page_are_counted_once_for_each_version(
    user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    table = write_table(user, [("Company", "text")], [{"Company": "Acme"}])
    write_copies(table, {"Company": "Crux"}, count=3 * MIN_DEFERRED_OFFSET)
    shape, page, further = table_shape(table), 2 * MIN_DEFERRED_OFFSET, 2 * MIN_DEFERRED_OFFSET + 7
    everything = read_rows(table, shape=shape, limit=4 * MIN_DEFERRED_OFFSET)
    read_rows(table, shape=shape, offset=page, limit=5)
    with django_assert_num_queries(2) as sent:
        for offset in (page, further):
            assert read_rows(table, shape=shape, offset=offset, limit=5) == everything[offset : offset + 5]
    assert [query["sql"].rpartition("OFFSET ")[2] for query in sent.captured_queries] == ["0", "3"]
    place = {"before_row_id": everything[0].id}
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "First"}], origin=Origin("api"), place=place)
    table = get_table(user, table.pk)
    assert read_rows(table, shape=shape, offset=page, limit=5) == everything[page - 1 : page + 4]


def test_deleted_rows_are_not_read(table: Table) -> None:
    deleted = read_rows(table)[0].id
    Row.objects.filter(pk=deleted).update(deleted_at=timezone.now())
    assert count_rows(table) == 2
    assert rows_by_id(table, [deleted]) == {}
    with pytest.raises(NotFound):
        get_row(table, deleted)


def test_filters_ignore_cells_of_an_earlier_type(table: Table) -> None:
    shape = table_shape(table)
    amount = shape.columns[1]
    Row.objects.filter(table=table, position=0).update(data={amount.id: "many"}, deleted_at=timezone.now())
    above = parse_filter({"column": "Amount", "op": "gt", "value": -10}, shape=shape, today=date(2024, 1, 1))
    assert [row.position for row in read_rows(table, filter=above)] == [1]


def test_rows_are_found_by_id_in_the_requested_order(table: Table) -> None:
    ids = [row.id for row in read_rows(table)]
    assert list(rows_by_id(table, [ids[2], ids[0], ids[2], 0, -1, 2**70])) == [ids[2], ids[0]]


def test_rows_of_another_table_are_not_found(table: Table, user: User) -> None:
    other = write_table(user, COLUMNS, ROWS)
    with pytest.raises(NotFound):
        get_row(table, read_rows(other)[0].id)


@pytest.mark.parametrize(
    ("search", "positions"),
    [("acme", [0]), ("50%", [0]), ("5_%", []), ("ÉTOILE", [1]), ("STRASSE", [2]), ("done acme", [0]), ("open acme", []),
     ("1e+23", [0]), ("  ", [0, 1, 2]), ("'", [])],
)  # fmt: skip
def test_a_search_finds_rows_with_every_word(table: Table, search: str, positions: list[int]) -> None:
    assert [row.position for row in read_rows(table, search=search)] == positions


@pytest.mark.parametrize("search", ["a\x00", "\ud800", " ".join(str(i) for i in range(60))])
def test_invalid_searches_are_refused(table: Table, search: str) -> None:
    with pytest.raises(Malformed):
        count_rows(table, search=search)


def test_statistics_have_option_counts_minimum_and_maximum(table: Table) -> None:
    company, amount, status = (column.id for column in table_shape(table).columns)
    assert column_stats(table) == {
        "row_count": 3,
        "columns": {
            company: {"empty": 0},
            amount: {"empty": 1, "min": -3, "max": 1e23},
            status: {"empty": 1, "counts": {"Open": 1, "Done": 1}},
        },
    }


def test_statistics_of_an_empty_table_have_no_minimum_and_maximum(user: User) -> None:
    table = write_table(user, COLUMNS, [])
    company, amount, status = (column.id for column in table_shape(table).columns)
    assert column_stats(table)["columns"] == {
        company: {"empty": 0},
        amount: {"empty": 0, "min": None, "max": None},
        status: {"empty": 0, "counts": {"Open": 0, "Done": 0}},
    }


def test_statistics_of_a_hundred_columns_take_two_queries(
    user: User, django_assert_num_queries: Callable[[int], Any]
) -> None:
    kinds: list[Any] = [("select", ["A", "B"]), ("number",), ("date",), ("boolean",), ("text",)]
    table = write_table(user, [(f"Column {i}", *kinds[i % 5]) for i in range(100)], [{"Column 0": "A"}])
    shape = table_shape(table)
    with django_assert_num_queries(2):
        assert len(column_stats(table, shape=shape)["columns"]) == 100


def test_a_table_of_five_hundred_columns_has_statistics(user: User) -> None:
    table = write_table(user, [(f"Column {i}", "select", ["A"]) for i in range(500)], [{"Column 499": "A"}])
    last = table_shape(table).columns[499].id
    assert column_stats(table)["columns"][last] == {"empty": 0, "counts": {"A": 1}}
