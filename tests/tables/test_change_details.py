"""Details of a change over REST: rows by name, cells before and after, paging and query counts."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Change, ChangePiece, Table
from tables.selectors import change_previews, table_shape
from tests.conftest import Api
from tests.tables.test_undo import Apply, change_cell, column, ids

Json = dict[str, Any]
NO_ROWS: Json = {"table": None, "columns": [], "order": None}


def details(api: Api, table: Table, change: int | None, **query: Any) -> Json:
    answer = api.get(f"/api/tables/{table.pk}/changes/{change}/", **query)
    assert answer.status_code == 200, answer.content
    body: Json = answer.json()
    return body


def listed_rows(body: Json) -> list[tuple[str, str, dict[str, tuple[Any, Any]]]]:
    """Return action, name and cells of each row."""
    return [
        (row["action"], row["name"], {name: (cell["was"], cell["now"]) for name, cell in row["cells"].items()})
        for row in body["rows"]
    ]


@pytest.mark.sqlite_only
def test_rows_have_a_name_and_cells_before_and_after(api: Api, jobs: Table, apply_rows: Apply) -> None:
    first, second, third = ids(jobs)
    change = apply_rows(
        {"action": "update", "row_id": first, "changes": {"Salary": 1000, "Note": None}},
        {"action": "update", "row_id": second, "changes": {"Company": "Bolt & Co"}},
        {"action": "add", "data": {"Company": "Dyn", "Salary": 0}},
        {"action": "delete", "row_id": third},
    ).change
    body = details(api, jobs, change)
    assert body["summary"] == "Added 1 row, changed 2 rows, deleted 1 row"
    assert sorted(listed_rows(body)) == [
        ("add", "Dyn", {"Company": (None, "Dyn"), "Salary": (None, 0)}),
        ("delete", "Crux", {"Company": ("Crux", None), "Salary": (30, None)}),
        ("update", "Acme", {"Salary": (10, 1000), "Note": ("12", None)}),
        ("update", "Bolt & Co", {"Company": ("Bolt", "Bolt & Co")}),
    ]
    assert {row["id"] for row in body["rows"]} >= {first, second, third}
    assert (body["table"], body["columns"], body["next"]) == (None, [], None)


@pytest.mark.sqlite_only
def test_column_changes_have_definitions_and_lost_cells(
    api: Api, jobs: Table, apply_columns: Apply
) -> None:
    change = apply_columns(
        {"action": "remove", "column_id": "Note"},
        {"action": "modify", "column_id": "Salary", "changes": {"name": "Pay", "required": False}},
        {"action": "add", "column": {"name": "Due", "type": "date"}},
        words={"table_name": "Work"},
    ).change
    body = details(api, jobs, change)
    columns = {each["name"]: each for each in body["columns"]}
    assert {name: each["action"] for name, each in columns.items()} == {
        "Note": "remove", "Pay": "modify", "Due": "add"
    }  # fmt: skip
    assert (columns["Pay"]["was"], columns["Pay"]["now"]) == ({"name": "Salary"}, {"name": "Pay"})
    assert (columns["Note"]["was"]["type"], columns["Note"]["now"]) == ("text", None)
    assert body["table"] == {"was": {"name": "Jobs"}, "now": {"name": "Work"}}
    assert listed_rows(body) == [
        ("update", "Acme", {"Note": ("12", None)}), ("update", "Bolt", {"Note": ("soon", None)}),
    ]  # fmt: skip


@pytest.mark.sqlite_only
def test_columns_removed_later_have_their_last_name(
    api: Api, user: User, jobs: Table, apply_columns: Apply
) -> None:
    note, cell = column(jobs, "Note"), {"was": "12", "now": "new"}
    change_cell(user, jobs, ids(jobs)[0], "Note", "new")
    change = Change.objects.latest("pk").pk
    apply_columns({"action": "modify", "column_id": "Note", "changes": {"name": "Remark"}})
    apply_columns({"action": "remove", "column_id": "Remark"})
    assert details(api, jobs, change)["rows"][0]["cells"] == {"Remark": cell}
    assert details(api, jobs, change, keys="id")["rows"][0]["cells"] == {note: cell}
    apply_columns({"action": "add", "column": {"name": "Remark", "type": "text"}})
    assert details(api, jobs, change)["rows"][0]["cells"] == {note: cell}


@pytest.mark.sqlite_only
def test_moved_columns_are_listed(api: Api, jobs: Table, apply_columns: Apply) -> None:
    moved = apply_columns({"action": "reorder", "column_id": "Note"}).change
    added = apply_columns({"action": "add", "column": {"name": "Due", "type": "date"}}).change
    assert [details(api, jobs, change)["columns_moved"] for change in (moved, added)] == [True, False]


def stored(table: Table, *pieces: Json) -> Change:
    """Store a change with these pieces."""
    version = table.changes.latest("version").version + 1
    change = Change.objects.create(table=table, version=version, source="api", summary="Changed rows")
    ChangePiece.objects.bulk_create(
        ChangePiece(table=table, change=change, index=index, steps=steps) for index, steps in enumerate(pieces)
    )
    Table.objects.filter(pk=table.pk).update(version=version)
    return change


def entries(table: Table, first: int, count: int) -> list[Any]:
    salary = column(table, "Salary")
    return [[row, {salary: row}, {salary: -row}] for row in range(first, first + count)]


@pytest.mark.parametrize("limit", [*(pytest.param(limit, marks=pytest.mark.sqlite_only) for limit in (1, 4)), 5, 50])
def test_pages_hold_every_row_once_in_order(api: Api, jobs: Table, limit: int) -> None:
    """The change includes pieces without rows, and more pieces than one page reads."""
    pieces = [{"rows": entries(jobs, 1000 + 10 * piece, 1 + piece % 5)} for piece in range(45)]
    change = stored(jobs, NO_ROWS, *pieces)
    found, body, pages = [], details(api, jobs, change.pk, limit=limit), 1
    while body["next"]:
        found += [row["id"] for row in body["rows"]]
        assert len(body["rows"]) <= limit
        body, pages = api.get(body["next"]).json(), pages + 1
    found += [row["id"] for row in body["rows"]]
    assert found == [entry[0] for piece in pieces for entry in piece["rows"]]
    assert pages <= -(-len(found) // limit) + 3


@pytest.mark.sqlite_only
def test_too_large_rows_are_listed_without_cells(api: Api, jobs: Table) -> None:
    row, note = ids(jobs)[0], column(jobs, "Note")
    change = stored(jobs, {"rows": [[row, {note: ""}, {note: "x" * 100_000}], [row, {note: "x"}, {note: "y"}]]})
    large, small = details(api, jobs, change.pk)["rows"]
    assert (large["name"], large["action"], large["too_large"], large["cells"]) == ("Acme", "update", True, {})
    assert (small["too_large"], len(small["cells"])) == (False, 1)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("cursor", ["1", "1.x", "-1.0", "1.2.3", "٣.0"])
def test_another_cursor_is_refused(api: Api, jobs: Table, cursor: str) -> None:
    answer = api.get(f"/api/tables/{jobs.pk}/changes/{jobs.changes.latest('pk').pk}/", cursor=cursor)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "cursor")


@pytest.mark.sqlite_only
def test_a_change_of_another_table_does_not_exist(api: Api, user: User, jobs: Table) -> None:
    other = Table.objects.create(owner=user, name="Other")
    assert api.get(f"/api/tables/{other.pk}/changes/{jobs.changes.latest('pk').pk}/").status_code == 404


def queries(act: Callable[[], Any]) -> int:
    """Return the number of queries of a repeated request; the first one also fills caches."""
    act()
    with CaptureQueriesContext(connection) as context:
        act()
    return len(context)


def test_queries_do_not_grow_with_the_change(api: Api, jobs: Table) -> None:
    small = stored(jobs, {"rows": entries(jobs, 1, 1)})
    large = stored(jobs, *({"rows": entries(jobs, 1000 * piece, 100)} for piece in range(1, 40)))
    details(api, jobs, small.pk)
    counts = [queries(lambda pk=change.pk: details(api, jobs, pk)) for change in (small, large)]  # type: ignore[misc]
    assert counts[0] == counts[1]


def test_previews_have_the_first_rows_of_each_change(jobs: Table) -> None:
    """The first piece of a change may have only definitions, and each of the others a single row."""
    one = stored(jobs, {"rows": entries(jobs, 1, 1)})
    many = stored(jobs, NO_ROWS, {"rows": entries(jobs, 10, 50)})
    apart = stored(jobs, NO_ROWS, *({"rows": entries(jobs, row, 1)} for row in range(4)))
    shape = table_shape(jobs)
    with CaptureQueriesContext(connection) as context:
        previews = change_previews(jobs, [one.pk, many.pk, apart.pk], shape=shape)
    assert len(context) == 3
    listed_rows = [(len(each.rows), each.next is not None) for each in previews.values()]
    assert listed_rows == [(1, False), (3, True), (3, True)]
