"""Columns whose values are fields of the row: they are read like cells, and cannot be written."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.importing.choices import default_choices
from tables.models import Column, Member, Row, Table
from tables.operations import Choice, Origin
from tables.selectors import stream_rows, table_shape
from tables.services import apply_schema, create_table, prepare_data, prepare_schema, update_rows
from tests.captured_queries import CapturedQueries
from tests.conftest import Api

Json = dict[str, Any]
API = Origin("api")
COMPUTED = {
    "Added": "created_at", "Author": "created_by", "Changed": "updated_at", "Editor": "updated_by", "No": "autonumber",
}  # fmt: skip
COLUMNS = [{"name": "Name", "type": "text"}, *({"name": name, "type": each} for name, each in COMPUTED.items())]
# In Berlin, the second row was added on the third of March.
MOMENTS = [datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 3, 2, 23, 30, tzinfo=UTC)]


@pytest.fixture
def table(user: User) -> Table:
    """Create a table of Ada's row, and one of Grace's, added on other days."""
    table = create_table(user=user, name="Jobs", columns=COLUMNS, rows=[{"Name": "a"}, {"Name": "b"}], origin=API)
    grace = User.objects.create_user("grace")
    for row, moment in zip(Row.objects.order_by("pk"), MOMENTS, strict=True):
        Row.objects.filter(pk=row.pk).update(created_at=moment, updated_at=moment)
    Row.objects.filter(pk=row.pk).update(created_by=grace)
    Member.objects.create(table_id=table.pk, user=grace, role="editor")
    return Table.objects.get(pk=table.pk)


def listed(api: Api, table: Table, **query: Any) -> list[Json]:
    answer = api.get(f"/api/tables/{table.pk}/rows/", **query)
    assert answer.status_code == 200, answer.json()
    return [row["data"] for row in answer.json()["rows"]]


def change_columns(table: Table, user: User, *operations: Json, **choice: Any) -> int:
    prepared = prepare_schema(
        user=user, table_id=table.pk, proposal={"mode": "update", "operations": list(operations)}
    )
    change = apply_schema(user=user, prepared=prepared, choice=Choice(**choice), origin=API).change
    assert change is not None
    return change


def test_values_are_read_with_the_cells(api: Api, user: User, table: Table) -> None:
    first, second = listed(api, table)
    assert first == {
        "Name": "a", "Added": "2026-03-01T12:00Z", "Author": user.username, "Changed": "2026-03-01T12:00Z",
        "Editor": user.username, "No": 1,
    }  # fmt: skip
    assert (second["Author"], second["No"]) == ("grace", 2)
    url = f"/api/tables/{table.pk}/rows/"
    added = api.post(url, {"rows": [{"Name": "c"}]}).json()["rows"][0]
    assert added["data"]["No"] == 3
    changed = api.patch(f"{url}{added['id']}/", {"data": {"Name": "d"}}).json()["data"]
    assert changed.keys() == {"Name", *COMPUTED}
    User.objects.filter(username="grace").delete()
    assert "Author" not in listed(api, table)[1]
    row = Row.objects.get(pk=added["id"])
    assert list(row.data.values()) == ["d"]
    exported = [cells for _, cells in stream_rows(table, shape=table_shape(table), columns=table_shape(table).columns)]
    assert [cells[-1] for cells in exported] == [1, 2, 3]


FILTERS: list[tuple[str, str, Any, list[str]]] = [
    ("Added", "eq", "2026-03-03", ["b"]),
    ("Added", "ne", "2026-03-03", ["a"]),
    ("Added", "lt", "2026-03-03", ["a"]),
    ("Added", "lte", "2026-03-03", ["a", "b"]),
    ("Added", "gt", "2026-03-01", ["b"]),
    ("Added", "gte", "2026-03-03", ["b"]),
    ("Added", "between", ["2026-03-02", "2026-03-03"], ["b"]),
    ("Added", "today", None, []),
    ("Changed", "not_empty", None, ["a", "b"]),
    ("Author", "any_of", ["GRACE"], ["b"]),
    ("Author", "none_of", ["grace"], ["a"]),
    ("No", "gte", 2, ["b"]),
    ("No", "between", [1, 1], ["a"]),
]


def test_filters_compare_moments_by_days_of_the_user(api: Api, table: Table) -> None:
    for column, op, value, names in FILTERS:
        condition = {"column": column, "op": op, **({} if value is None else {"value": value})}
        found = listed(api, table, filter=json.dumps(condition), tz="Europe/Berlin")
        assert [row["Name"] for row in found] == names, condition
    for value, code in ((1, "not_text"), ("Grac", "not_a_person")):
        condition = json.dumps({"column": "Author", "op": "any_of", "value": [value]})
        refused = api.get(f"/api/tables/{table.pk}/rows/", filter=condition)
        assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, code)


def test_rows_are_sorted_and_grouped_by_values(api: Api, user: User, table: Table) -> None:
    User.objects.filter(pk=user.pk).update(username="Alice")
    for column in ("Added", "Author", "No"):
        page = api.get(f"/api/tables/{table.pk}/rows/?sort=-{column}&limit=1").json()
        rows = [*page["rows"], *api.get(page["next"]).json()["rows"]]
        assert [row["data"]["Name"] for row in rows] == ["b", "a"]
    measures = [{"function": "max", "column": "No"}, {"function": "min", "column": "Added"}]
    groups = [{"column": "Added", "by": "day"}, {"column": "Author"}]
    query = {"group_by": json.dumps(groups), "measures": json.dumps(measures), "tz": "Europe/Berlin"}
    found = api.get(f"/api/tables/{table.pk}/aggregate/", **query).json()["groups"]
    assert [group["group"]["Added"] for group in found] == ["2026-03-01", "2026-03-03"]
    assert found[1]["values"] == {"max": {"No": 2}, "min": {"Added": "2026-03-02T23:30Z"}}


def test_queries_do_not_grow_with_rows(api: Api, user: User, table: Table) -> None:
    with CapturedQueries() as few:
        listed(api, table)
    api.post(f"/api/tables/{table.pk}/rows/", {"rows": [{"Name": "x"}] * 50})
    with CapturedQueries() as many:
        assert len(listed(api, table)) == 52
    assert len(many) == len(few)


WRITES: list[tuple[str, str, Json, str]] = [
    ("post", "rows/", {"Added": "2026-01-01"}, "Added"),
    ("post", "rows/", {"rows": [{"Name": "x", "No": None}]}, "rows[0].No"),
    ("patch", "rows/{row}/", {"data": {"No": 7}}, "data.No"),
    ("patch", "rows/{row}/", {"data": {"Name": "x"}, "expected": {"No": 7}}, "expected.No"),
    ("put", "rows/", {"merge_on": ["Name"], "rows": [{"Name": "a", "Editor": "x"}]}, "rows[0].Editor"),
]


def test_writes_are_refused(api: Api, table: Table) -> None:
    for method, path, body, place in WRITES:
        url = f"/api/tables/{table.pk}/{path.format(row=Row.objects.earliest('pk').pk)}"
        answer = getattr(api.client, method)(url, body, content_type="application/json")
        assert answer.status_code == 422, answer.json()
        assert [(fault["path"], fault["code"]) for fault in answer.json()["errors"]] == [(place, "read_only")]


def test_other_writes_are_refused(api: Api, user: User, table: Table) -> None:
    proposal = {"operations": [{"action": "add", "data": {"Name": "x", "Author": "y"}}]}
    faults = prepare_data(user=user, table_id=table.pk, proposal=proposal)["operations"][0]["faults"]
    assert [fault["code"] for fault in faults] == ["read_only"]
    number = Column.objects.get(table=table, name="No")
    sent = {f"cell-{number.pk}": "9", f"cell-{Column.objects.get(table=table, name='Name').pk}": "x"}
    assert api.client.post(f"/tables/{table.pk}/rows/new/", sent).status_code == 422
    found = [{"index": 0, "given": "No", "name": "No", "type": "number", "form": "", "filled": 2}]
    [choice] = default_choices(found, shape=table_shape(table), file_name="jobs.csv")["columns"]
    assert (choice["into"], choice["include"]) == (None, False)
    column = {"name": "Other", "type": "autonumber", "required": True, "default": 3, "options": ["a"]}
    answer = api.post(f"/api/tables/{table.pk}/columns/", column)
    assert {fault["path"] for fault in answer.json()["errors"]} == {"required", "default", "options"}


def test_running_numbers_are_never_used_again(api: Api, user: User, table: Table) -> None:
    url = f"/api/tables/{table.pk}"
    last = api.post(f"{url}/rows/", {"Name": "c"}).json()
    deletion = api.client.delete(f"{url}/rows/{last['id']}/").json()["change"]
    assert api.post(f"{url}/rows/", {"Name": "d"}).json()["data"]["No"] == 4
    assert api.post(f"{url}/changes/{deletion}/undo/", {}).status_code == 200
    assert sorted(row["No"] for row in listed(api, table)) == [1, 2, 3, 4]


def test_existing_rows_are_numbered_in_their_order(api: Api, user: User) -> None:
    columns, rows = COLUMNS[:1], [{"Name": name} for name in "abc"]
    table = create_table(user=user, name="Plain", columns=columns, rows=rows, origin=API)
    first, second, third = Row.objects.order_by("pk")
    api.client.delete(f"/api/tables/{table.pk}/rows/{second.pk}/")
    moved = api.post(f"/api/tables/{table.pk}/rows/move/", {"ids": [third.pk], "before_row_id": first.pk})
    assert moved.status_code == 200
    version = Row.objects.get(pk=first.pk).version
    change_columns(table, user, {"action": "add", "column": {"name": "No", "type": "autonumber"}})
    assert listed(api, table) == [{"Name": "c", "No": 1}, {"Name": "a", "No": 2}]
    assert Row.objects.get(pk=first.pk).version == version
    assert api.post(f"/api/tables/{table.pk}/rows/", {"Name": "d"}).json()["data"]["No"] == 4


CONVERSIONS: list[tuple[str, str, list[Any]]] = [
    ("No", "number", [1, 2]),
    ("Author", "text", ["alice", "grace"]),
    ("Author", "select", ["alice", "grace"]),
    ("Added", "date", ["2026-03-01", "2026-03-02"]),
]


def test_conversion_copies_values_and_can_be_undone(api: Api, user: User, table: Table) -> None:
    User.objects.filter(pk=user.pk).update(username="alice")
    before = listed(api, table)
    for name, target, values in CONVERSIONS:
        column = Column.objects.get(table=table, name=name)
        operation = {"action": "modify", "column_id": column.pk, "changes": {"type": target}}
        change = change_columns(table, user, operation)
        assert [row[name] for row in listed(api, table)] == values
        assert api.post(f"/api/tables/{table.pk}/changes/{change}/undo/", {}).status_code == 200
        assert [row[name] for row in listed(api, table)] == [row[name] for row in before]
        assert all(column.pk not in row.data for row in Row.objects.all())


def test_conversion_to_a_computed_column_removes_values_and_can_be_undone(
    api: Api, user: User, table: Table
) -> None:
    column = Column.objects.get(table=table, name="Name")
    operation = {"action": "modify", "column_id": column.pk, "changes": {"type": "updated_by"}}
    url = f"/api/tables/{table.pk}/columns/{column.pk}/"
    refused = api.patch(url, {"type": "updated_by"}).json()["errors"]
    assert [(fault["code"], fault["value"]) for fault in refused] == [("unconvertible", 2)]
    change = change_columns(table, user, operation, on_unconvertible="clear")
    assert [row["Name"] for row in listed(api, table)] == [user.username] * 2
    assert api.post(f"/api/tables/{table.pk}/changes/{change}/undo/", {}).status_code == 200
    assert [row["Name"] for row in listed(api, table)] == ["a", "b"]


def test_computed_columns_are_removed_and_added_by_undo_redo_and_restore(
    api: Api, user: User, table: Table
) -> None:
    url = f"/api/tables/{table.pk}"
    before = listed(api, table)
    first = api.get(f"{url}/changes/").json()["changes"][0]["id"]
    added = change_columns(table, user, {"action": "add", "column": {"name": "Number", "type": "autonumber"}})
    for step in ("undo", "redo"):
        assert api.post(f"{url}/changes/{added}/{step}/", {}).status_code == 200
        assert listed(api, table) == [row | ({"Number": row["No"]} if step == "redo" else {}) for row in before]
    # A column with a single text, whose other cell must remain empty.
    change_columns(table, user, {"action": "add", "column": {"name": "Later", "type": "text"}})
    column = Column.objects.get(table=table, name="Later")
    row = Row.objects.earliest("pk")
    update_rows(user=user, table_id=table.pk, rows=[{"id": row.pk, "data": {"Later": "x"}}], origin=API)
    operation = {"action": "modify", "column_id": column.pk, "changes": {"type": "autonumber"}}
    change = change_columns(table, user, operation, on_unconvertible="clear")
    assert api.post(f"{url}/changes/{change}/undo/", {}).status_code == 200
    assert [each.get("Later") for each in listed(api, table)] == ["x", None]
    assert api.post(f"{url}/changes/{change}/redo/", {}).status_code == 200
    restored = api.post(f"{url}/changes/{first}/restore/", {})
    assert restored.status_code == 200, restored.json()
    assert [each["Name"] for each in listed(api, table)] == ["a", "b"]
    assert [each["name"] for each in api.get(f"{url}/columns/").json()["columns"]] == ["Name", *COMPUTED]
    assert api.post(f"{url}/changes/{restored.json()['change']}/undo/", {}).status_code == 200
    assert [each["Later"] for each in listed(api, table)] == [1, 2]


def test_changes_and_hashes_have_no_computed_values(api: Api, user: User, table: Table) -> None:
    row = Row.objects.earliest("pk")
    plain = create_table(user=user, name="Plain", columns=COLUMNS[:1], rows=[{"Name": "a"}], origin=API)
    assert row.search_text == Row.objects.get(table=plain).search_text
    rows = [{"id": row.pk, "data": {"Name": "x"}}]
    applied = update_rows(user=user, table_id=table.pk, rows=rows, origin=API)
    details = api.get(f"/api/tables/{table.pk}/changes/{applied.change}/").json()
    assert [list(each["cells"]) for each in details["rows"]] == [["Name"]]
    deletion = api.client.delete(f"/api/tables/{table.pk}/rows/{row.pk}/").json()["change"]
    assert api.post(f"/api/tables/{table.pk}/changes/{deletion}/undo/", {}).status_code == 200
    copy = api.post(f"/api/tables/{table.pk}/duplicate/", {}).json()
    assert [each["type"] for each in copy["columns"]] == ["text", *COMPUTED.values()]
