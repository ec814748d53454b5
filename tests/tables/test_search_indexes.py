"""Search indexes of large tables on SQLite: the same rows as without them, plans, and their maintenance."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from itertools import islice
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.exceptions import TablesError
from tables.models import Change, ColumnUse, Row, Table
from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import count_rows, read_rows, row_count, table_shape
from tables.selectors.rows.matches import positions_of_matches
from tables.selectors.sql import search_indexes as reading
from tables.selectors.sql.cell_indexes import LARGE
from tables.services import (
    add_rows,
    cell_indexes,
    delete_rows,
    record_column_use,
    search_indexes,
    undo_change,
    update_cell_indexes,
    update_rows,
)
from tests.retention_clock import tidy_after
from tests.tables.indexed_tables import indexed
from tests.tables.sample_tables import write_copies, write_table

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db]

COLUMNS: list[Any] = [("Company", "text"), ("Amount", "number"), ("Note", "text")]
WORDS = ["Straße", "100%", "a_b", 'say "hi"', "it's", "ÄRGER", "ΟΔΟΣ", "acme", "acme corp", "\\back", "日本語", "x"]
SEARCHES = ["acme", "ACME corp", "STRASSE", "00%", "a_b", '"hi', "it's", "ärg", "日本語", "\\bac", "x", "acm x 12"]
TODAY = date(2024, 2, 29)


@pytest.fixture
def table(user: User) -> Iterator[Table]:
    """Create a table that counts as large, and drop its index after the test."""
    rows = [{"Company": f"Company {1000 + number}", "Amount": number, "Note": "common"} for number in range(600)]
    table = write_table(user, COLUMNS, rows)
    cell_indexes._recorded.clear()
    cell_indexes._checked.clear()
    table.next_position = table.counted_rows = LARGE
    table.counted_version = table.version
    table.save()
    yield table
    ColumnUse.objects.all().delete()
    update_cell_indexes()


def update(table: Table, *, search: str = "company") -> search_indexes.Report:
    """Record a search and update the indexes."""
    Table.objects.filter(pk=table.pk).update(counted_rows=LARGE, counted_version=Table.objects.get(pk=table.pk).version)
    record_column_use(table, search=search)
    return update_cell_indexes(pause=lambda _: None)


def found(table: Table, search: str, **view: Any) -> list[int]:
    return [row.id for row in read_rows(table, search=search, **view)]


def expected(table: Table, search: str) -> list[int]:
    rows = Row.objects.filter(table=table, deleted_at=None).order_by("position", "pk").values_list("pk", "search_text")
    return [pk for pk, text in rows if all(word.casefold() in text for word in search.split())]


def plan_of(read: Callable[[], Any]) -> str:
    """Return the query plan of the last statement that reading sends."""
    with CaptureQueriesContext(connection) as sent:
        read()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sent.captured_queries[-1]["sql"])
        return "\n".join(str(line[-1]) for line in cursor.fetchall())


def test_a_search_finds_the_same_rows_after_random_changes(user: User, table: Table) -> None:
    update(table)
    random, origin = Random(1), Origin("api")

    def cells() -> dict[str, Any]:
        return {"Company": " ".join(random.choices(WORDS, k=2)), "Note": random.choice(WORDS), "Amount": 12}

    def ids() -> list[int]:
        return random.sample(expected(table, ""), 5)

    changes: list[Callable[[], Any]] = [
        lambda: add_rows(user=user, table_id=table.pk, rows=[cells() for _ in range(10)], origin=origin),
        lambda: update_rows(
            user=user, table_id=table.pk, rows=[{"id": pk, "data": cells()} for pk in ids()], origin=origin
        ),
        lambda: delete_rows(user=user, table_id=table.pk, row_ids=ids(), origin=origin),
        lambda: undo_change(user=user, table_id=table.pk, change_id=last()),
        lambda: undo_change(user=user, table_id=table.pk, change_id=last() - 1),
        lambda: Row.objects.filter(table=table, deleted_at__isnull=False).delete(),
        lambda: list(search_indexes.index_rows(table.pk)),
    ]

    def last() -> int:
        return Change.objects.filter(table=table).latest("pk").pk

    add_rows(user=user, table_id=table.pk, rows=[cells() for _ in range(30)], origin=origin)
    for _ in range(16):
        with suppress(TablesError):
            random.choice(changes)()
        for search in SEARCHES:
            assert found(table, search, limit=1_000) == expected(table, search), search
    assert reading.narrowing(table, None, search="acme").condition


def test_purged_rows_leave_nothing_in_the_index(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Xylophone"}], origin=Origin("api"))
    (row,) = found(table, "xylophone")
    update(table, search="xylophone")
    delete_rows(user=user, table_id=table.pk, row_ids=[row], origin=Origin("api"))
    assert reading._matches(table.pk, ["xyl"], limit=2) == [row]
    tidy_after(days=62)
    update(table, search="xylophone")
    assert (reading._matches(table.pk, ["xyl"], limit=2), len(found(table, "company", limit=1_000))) == ([], 600)


def test_rare_words_are_read_from_the_index_and_frequent_ones_in_order(table: Table) -> None:
    shape = table_shape(table)
    keys = parse_sort("Amount", shape=shape)
    contains = parse_filter({"column": "Company", "op": "contains", "value": "NY 1117"}, shape=shape, today=TODAY)
    write_copies(table, {"Note": "common"}, count=reading.MAX_CANDIDATES)
    update(table)
    by_id = "USING INTEGER PRIMARY KEY (rowid=?)"
    reads: list[Callable[[], Any]] = [
        lambda: found(table, "common 1117", limit=3),
        lambda: found(table, "any 1117", limit=3, sort=keys),
        lambda: found(table, "", filter=contains, limit=3),
        lambda: count_rows(table, search="company 1117"),
        lambda: positions_of_matches(table, [contains], limit=3),
    ]
    with indexed(table, sort=keys):
        for read in reads:
            plan = plan_of(read)
            assert by_id in plan, plan
            assert "rows_in_order" not in plan, plan
        assert "INDEX rows_in_order (table_id=?)" in plan_of(lambda: found(table, "common", limit=3))
        assert f"INDEX cells_{shape.columns[1].id}_" in plan_of(lambda: found(table, "common", limit=3, sort=keys))
    assert row_count(table, search="company 1117", accuracy="estimate") == (1, True)


def test_an_index_that_lacks_many_rows_is_continued(table: Table) -> None:
    update(table)
    assert not record_column_use(table, search="company")
    write_copies(table, {"Note": "new"}, count=reading.MAX_UNINDEXED)
    Row.objects.filter(table=table, position=0).update(search_text="changed")
    cell_indexes._checked.clear()
    assert record_column_use(table, search="company")
    assert reading.narrowing(table, None, search="company") == reading.Narrowing()
    update(table)
    assert reading.narrowing(table, None, search="nowhere").condition
    assert not search_indexes.is_behind(table)


def test_an_update_of_an_index_ends_although_rows_are_changed_meanwhile(table: Table) -> None:
    update(table)

    def change(text: str) -> None:
        Row.objects.filter(table=table, position=0).update(search_text=text)

    change("changed")
    steps = 0
    for _ in islice(search_indexes.index_rows(table.pk), 3):
        steps += 1
        change(f"changed {steps}")
    assert (steps, found(table, "changed 1")) == (1, expected(table, "changed 1"))


def test_an_index_is_created_again_without_its_trigger_and_dropped_when_unused(table: Table) -> None:
    name = reading.index_name(table.pk)
    assert (update(table).created, update(table).unchanged) == ([name], [name])
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {reading.trigger_name(table.pk)}")
    Row.objects.filter(table=table, position=5).update(search_text="changed")
    assert found(table, "changed") == expected(table, "changed") != []
    report = update(table)
    assert (report.dropped, report.created) == ([name], [name])
    assert found(table, "changed") == expected(table, "changed")
    ColumnUse.objects.all().delete()
    assert update_cell_indexes().dropped == [name]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'search_%%'")
        assert cursor.fetchone() == (0,)
