"""A new column as a copy of another: definition and values in one change with one undo."""
from __future__ import annotations

from typing import Any

import pytest

from tables.models import Row
from tests.conftest import Api
from tests.tables.snapshots import snapshot

SELECT = {"name": "Status", "type": "select", "options": ["Open", "Done"], "default": "Open"}


@pytest.fixture
def table(api: Api) -> int:
    """Create a table with three rows and return its id."""
    rows = [{"Name": "A", "Status": "Done"}, {"Name": "B", "Status": None}, {"Name": "C", "Status": "Open"}]
    body = {"name": "Letters", "columns": [{"name": "Name", "type": "text"}, SELECT], "rows": rows}
    found: int = api.post("/api/tables/", body).json()["id"]
    return found


def propose(api: Api, table: int, *operations: dict[str, Any]) -> Any:
    return api.post(f"/api/tables/{table}/proposals/schema/", {"mode": "update", "operations": list(operations)})


def test_a_copy_has_type_and_values_and_can_be_undone(api: Api, table: int) -> None:
    before = snapshot(table)
    address = f"/api/tables/{table}/"
    copy = {"name": "Old status", "copy_of": "Status", "after_column_id": "Name"}
    added = api.post(f"{address}columns/", copy).json()
    assert (added["position"], added["type"], added["options"]) == (1, "select", ["Open", "Done"])
    assert added["default"] == "Open"
    rows = [row["data"] for row in api.get(f"{address}rows/").json()["rows"]]
    assert [row.get("Old status") for row in rows] == [row.get("Status") for row in rows] == ["Done", None, "Open"]
    after = snapshot(table)
    assert api.post(f"{address}changes/{added['change']}/undo/").status_code == 200
    assert snapshot(table) == before
    assert api.post(f"{address}changes/{added['change']}/redo/").status_code == 200
    assert snapshot(table) == after


@pytest.mark.parametrize(
    ("operation", "path", "code"),
    [
        ({"column": {"name": "X"}, "copy_of": "Nothing"}, "operations[0].copy_of", "unknown_column"),
        ({"column": {"name": "X", "type": "text"}, "copy_of": "Name"}, "operations[0].column.type", "copied"),
        ({"column": {}, "copy_of": "Name"}, "operations[0].column.name", "doubled_name"),
    ],
    ids=["no such column", "another type", "the same name"],
)
def test_invalid_copies_are_refused(api: Api, table: int, operation: Any, path: str, code: str) -> None:
    before = snapshot(table)
    answer = propose(api, table, {"action": "add", **operation})
    assert [(fault["path"], fault["code"]) for fault in answer.json()["errors"]] == [(path, code)]
    assert snapshot(table) == before


COPY = {"action": "add", "column": {"name": "X"}, "copy_of": "Status"}


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"type": "text"}, "type"), ({"options": ["Open"]}, "options")],
    ids=["another type", "other options"],
)
def test_a_copy_cannot_be_converted_in_the_same_change(api: Api, table: int, changes: Any, key: str) -> None:
    before = snapshot(table)
    answer = propose(api, table, COPY, {"action": "modify", "column_id": "X", "changes": changes})
    expected = [(f"operations[1].changes.{key}", "copied")]
    assert [(fault["path"], fault["code"]) for fault in answer.json()["errors"]] == expected
    assert snapshot(table) == before


def test_a_copy_can_be_renamed_in_the_change_that_adds_it(api: Api, table: int) -> None:
    rename = {"action": "modify", "column_id": "X", "changes": {"name": "Y"}}
    assert propose(api, table, COPY, rename).status_code == 200
    rows = api.get(f"/api/tables/{table}/rows/").json()["rows"]
    assert [row["data"].get("Y") for row in rows] == ["Done", None, "Open"]


def test_a_copy_that_is_removed_in_the_same_change_changes_no_row(api: Api, table: int) -> None:
    assert propose(api, table, COPY, {"action": "remove", "column_id": "X"}).status_code == 200
    assert set(Row.objects.filter(table_id=table).values_list("version", flat=True)) == {1}
