"""Messages name rows by their values and not by their ids."""
from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tables.operations import ColumnSpec, Origin
from tables.operations.row_names import MAX_QUOTED_LENGTH, row_message
from tables.services import create_table
from tests.conftest import Api
from tests.tables.test_undo import change_cell

COLUMNS = [
    ColumnSpec(id="col_aaaaaaaa", name="Company", type="text"),
    ColumnSpec(id="col_bbbbbbbb", name="Salary", type="number"),
]
NAMED = {
    "its first value": ({"col_aaaaaaaa": "{name}", "col_bbbbbbbb": 1}, "“{name}” was changed since."),
    "the first there is": ({"col_bbbbbbbb": 1200}, "“1200” was changed since."),
    "as much as a sentence holds": (
        {"col_aaaaaaaa": "x" * 99}, f"“{'x' * (MAX_QUOTED_LENGTH - 1)}…” was changed since.",
    ),
    "nothing in it": ({}, "An empty row was changed since."),
}


@pytest.mark.parametrize(("data", "message"), NAMED.values(), ids=NAMED.keys())
def test_rows_are_named_by(data: dict[str, Any], message: str) -> None:
    assert str(row_message("row_changed", data, columns=COLUMNS)) == message


@pytest.fixture
def row_with_large_id(user: User) -> tuple[Table, int]:
    """Create a table with one row whose id does not occur elsewhere on the page."""
    table = create_table(
        user=user, name="T", columns=[{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}],
        rows=[{"Company": "Acme", "Salary": 1}], origin=Origin("api"),
    )
    return table, table.rows.get().pk


def message_without_id(answer: Any) -> str:
    assert answer.status_code == 409
    return " ".join(fault["detail"] for fault in answer.json()["errors"])


def test_unexpected_values_name_the_row(api: Api, row_with_large_id: tuple[Table, int]) -> None:
    table, row = row_with_large_id
    body = {"rows": [{"id": row, "data": {"Salary": 2}, "expected": {"Salary": 9}}]}
    response = api.patch(f"/api/tables/{table.pk}/rows/", body)
    assert message_without_id(response) == "Salary of “Acme” was changed since."


def test_conflicts_of_an_undo_name_the_row(api: Api, user: User, row_with_large_id: tuple[Table, int]) -> None:
    table, row = row_with_large_id
    change = api.patch(f"/api/tables/{table.pk}/rows/{row}/", {"data": {"Salary": 2}}).json()["change"]
    url = f"/api/tables/{table.pk}/changes/{change}/undo/"
    change_cell(user, table, row, "Salary", 3)
    assert message_without_id(api.post(url)) == "Salary of “Acme” was changed since."
    api.delete(f"/api/tables/{table.pk}/rows/{row}/")
    assert message_without_id(api.post(url)) == "“Acme” was deleted since."


def test_overlaps_of_operations_do_not_name_the_row(api: Api, row_with_large_id: tuple[Table, int]) -> None:
    table, row = row_with_large_id
    one = {"action": "delete", "row_id": row}
    answer = api.post(f"/api/tables/{table.pk}/proposals/data/?dry_run=true", {"operations": [one, one]}).json()
    notes = [note["detail"] for operation in answer["operations"] for note in operation["notes"]]
    assert notes == ["Operation 0 already changes this row."]
    assert not re.search(rf"\b{row}\b", notes[0])
