"""Paging by cursor: each row once and in order, independent of concurrent writes."""
from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from tables.models import Row, Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import keyset_position, parse_sort
from tables.selectors import read_rows, table_shape
from tests.hypothesis_examples import examples
from tests.tables.indexed_tables import indexed
from tests.tables.sample_tables import write_rows
from tests.tables.test_filters_differential import (
    TODAY,
    filters,
    in_order,
    in_zone,
    row_passes,
    rows_of_cells,
    sorts,
    table_of,
)

__all__ = ["in_zone", "table_of"]  # fixtures
LONG = "é" * 3_000


@pytest.fixture
def table(table_of: Callable[..., Table]) -> Table:
    notes = ["b", None, "a", LONG + "2", "B", LONG + "1", "c"]
    return table_of([{"Note": note, "Status": "Zulu" if note else None} for note in notes])


def rows_at(table: Table) -> str:
    return f"/api/tables/{table.pk}/rows/"


def read_pages(api: Any, url: str | None) -> list[int]:
    seen: list[int] = []
    while url:
        answer = api.get(url)
        assert answer.status_code == 200, answer.content
        seen += [row["id"] for row in answer.json()["rows"]]
        url = answer.json()["next"]
    return seen


@examples(40)
@given(rows=rows_of_cells, clauses=filters, sort=sorts, size=st.integers(1, 7), has_indexes=st.booleans())
def test_joined_pages_have_all_rows_in_order(
    rows: list[dict[str, Any]],
    clauses: list[Any],
    sort: Any,
    size: int,
    has_indexes: bool,
    table_of: Callable[..., Table],
) -> None:
    table = table_of(rows)
    shape = table_shape(table)
    view: dict[str, Any] = {"shape": shape, "filter": parse_filter(clauses, shape=shape, today=TODAY)}
    keys = parse_sort([f"-{name}" if descending else name for name, descending in sort], shape=shape)
    seen: list[int] = []
    with indexed(table, sort=keys, filter=view["filter"]) if has_indexes else nullcontext():
        page = read_rows(table, sort=keys, limit=size, **view)
        while page:
            seen += [row.position for row in page]
            last = page[-1]
            place = keyset_position(row_id=last.id, position=last.position, data=last.data, sort=keys)
            page = read_rows(table, sort=keys, limit=size, after=place, **view)
    assert seen == in_order([(i, row) for i, row in enumerate(rows) if row_passes(row, clauses)], sort)


@pytest.mark.parametrize(
    "sort",
    [
        *("", "-Note", "Status,-Note"),
        *(pytest.param(sort, marks=pytest.mark.sqlite_only) for sort in ("Note", "-Status,Note")),
    ],
)
def test_next_continues_by_cursor(api: Any, table: Table, sort: str) -> None:
    whole = [row["id"] for row in api.get(rows_at(table), sort=sort).json()["rows"]]
    assert "cursor=" in api.get(rows_at(table), sort=sort, limit=2).json()["next"]
    for size in (1, 2, 3, 6):
        assert read_pages(api, f"{rows_at(table)}?limit={size}&sort={sort}") == whole


@pytest.mark.sqlite_only
def test_next_continues_by_offset_after_an_offset(api: Any, table: Table) -> None:
    more = api.get(rows_at(table), offset=0, limit=3).json()["next"]
    assert "offset=3" in more
    assert "cursor" not in more


@pytest.mark.sqlite_only
def test_a_full_last_page_has_no_next(api: Any, table: Table) -> None:
    assert api.get(rows_at(table), limit=7).json()["next"] is None


def test_writes_before_the_cursor_do_not_change_later_pages(api: Any, table: Table) -> None:
    whole = [row["id"] for row in api.get(rows_at(table), sort="Note").json()["rows"]]
    first = api.get(rows_at(table), sort="Note", limit=3).json()
    Row.objects.filter(pk__in=whole[:2]).update(deleted_at=timezone.now())
    write_rows(table, [{"Note": "0"}, {"Note": "a"}])
    assert read_pages(api, first["next"]) == whole[3:]


@pytest.mark.parametrize("index", [3, 5])
def test_the_row_of_the_cursor_may_be_deleted(api: Any, table: Table, index: int) -> None:
    whole = [row["id"] for row in api.get(rows_at(table), sort="Note").json()["rows"]]
    first = api.get(rows_at(table), sort="Note", limit=index).json()
    Row.objects.filter(pk=whole[index - 1]).update(deleted_at=timezone.now())
    assert read_pages(api, first["next"]) == whole[index:]


def test_a_cursor_of_a_purged_row_with_long_text_is_refused(api: Any, table: Table) -> None:
    first = api.get(rows_at(table), sort="-Note", limit=1).json()
    Row.objects.filter(pk=first["rows"][0]["id"]).delete()
    answer = api.get(first["next"])
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "outdated_cursor")


@pytest.mark.sqlite_only
def test_cursors_of_long_texts_are_short(api: Any, table: Table) -> None:
    assert len(api.get(rows_at(table), sort="-Note", limit=1).json()["next"]) < 500


@pytest.mark.sqlite_only
@pytest.mark.parametrize("cursor", ["x", "a:b", "é", ".eJx:y", "%00", "A" * 11_000, "W10:abc"])
def test_invalid_cursors_are_refused(api: Any, table: Table, cursor: str) -> None:
    answer = api.get(rows_at(table), cursor=cursor)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["path"] == "cursor"


@pytest.mark.sqlite_only
def test_a_cursor_that_was_changed_is_refused(api: Any, table: Table) -> None:
    more = api.get(rows_at(table), limit=2).json()["next"]
    answer = api.get(more.replace("cursor=", "cursor=a"))
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "not_a_cursor")


@pytest.mark.sqlite_only
def test_a_cursor_of_another_order_is_refused(api: Any, table: Table) -> None:
    more = api.get(rows_at(table), limit=2, sort="Note").json()["next"]
    answer = api.get(more.replace("sort=", "sort=-"))
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "foreign_cursor")


@pytest.mark.sqlite_only
def test_a_cursor_of_another_table_is_refused(api: Any, table: Table, table_of: Callable[..., Table]) -> None:
    other = table_of([{"Note": "a"}])
    more = api.get(rows_at(table), limit=2).json()["next"]
    answer = api.get(more.replace(rows_at(table), rows_at(other)))
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "foreign_cursor")


@pytest.mark.sqlite_only
def test_a_cursor_and_an_offset_are_refused(api: Any, table: Table) -> None:
    more = api.get(rows_at(table), limit=2).json()["next"]
    assert api.get(f"{more}&offset=2").json()["errors"][0]["code"] == "cursor_and_offset"


def rename(api: Any, table: Table, name: str, to: str) -> str:
    """Rename a column and return its id."""
    column = table_shape(table).column(name)
    assert column is not None
    assert api.patch(f"/api/tables/{table.pk}/columns/{column.id}/", {"name": to}).status_code == 200
    return column.id


@pytest.mark.sqlite_only
def test_cursors_survive_a_column_rename(api: Any, table: Table) -> None:
    query = {"sort": "-Status,Note", "filter": '{"column":"Note","op":"not_empty"}', "columns": "Note,Status"}
    whole = [row["id"] for row in api.get(rows_at(table), **query).json()["rows"]]
    first = api.get(rows_at(table), limit=2, **query).json()
    for name in ("Note", "Status"):
        rename(api, table, name, f"{name} of old")
    assert [row["id"] for row in first["rows"]] + read_pages(api, first["next"]) == whole
    assert list(api.get(first["next"]).json()["rows"][0]["data"]) == ["Note of old", "Status of old"]


@pytest.mark.sqlite_only
def test_offset_pages_survive_a_column_rename(api: Any, table: Table) -> None:
    first = api.get(rows_at(table), sort="Note", offset=0, limit=2).json()
    rename(api, table, "Note", "Remark")
    assert api.get(first["next"]).status_code == 200


@pytest.mark.sqlite_only
@pytest.mark.parametrize("sort", ["Note", "-Status,Note"])
def test_a_cursor_of_a_deleted_column_is_refused(api: Any, table: Table, sort: str) -> None:
    further = api.get(rows_at(table), sort=sort, limit=2).json()["next"]
    column = table_shape(table).column("Note")
    assert column is not None
    api.delete(f"/api/tables/{table.pk}/columns/{column.id}/")
    answer = api.get(further)
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["path"], fault["code"]) == (400, "cursor", "outdated_cursor")


@pytest.mark.sqlite_only
def test_a_cursor_is_outdated_when_options_have_another_order(api: Any, table: Table) -> None:
    column = table_shape(table).column("Status")
    assert column is not None
    by_note, by_status = (api.get(rows_at(table), sort=sort, limit=2).json()["next"] for sort in ("Note", "Status"))
    url, options = f"/api/tables/{table.pk}/columns/{column.id}/", list(column.options)
    assert api.patch(url, {"options": [*options, "New"]}).status_code == 200
    assert api.get(by_status).status_code == 200
    assert api.patch(url, {"options": ["New", *reversed(options)]}).status_code == 200
    answer = api.get(by_status)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "outdated_cursor")
    assert api.get(by_note).status_code == 200
