"""People are told of rows by what these hold: ids of rows stand nowhere on a page."""
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


@pytest.mark.parametrize(("data", "told"), NAMED.values(), ids=NAMED.keys())
def test_a_row_is_called_by(data: dict[str, Any], told: str) -> None:
    assert str(row_message("row_changed", data, columns=COLUMNS)) == told


@pytest.fixture
def far(user: User) -> tuple[Table, int]:
    """A table with one row, whose id is no number that a person would find on the page."""
    table = create_table(
        user=user, name="T", columns=[{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}],
        rows=[{"Company": "Acme", "Salary": 1}], origin=Origin("api"),
    )
    return table, table.rows.get().pk


def told(answer: Any) -> str:
    assert answer.status_code == 409
    return " ".join(fault["detail"] for fault in answer.json()["errors"])


def test_what_was_not_expected_of_a_row_names_it(api: Api, far: tuple[Table, int]) -> None:
    table, row = far
    body = {"rows": [{"id": row, "data": {"Salary": 2}, "expected": {"Salary": 9}}]}
    assert told(api.patch(f"/api/tables/{table.pk}/rows/", body)) == "Salary of “Acme” was changed since."


def test_rows_that_an_undo_would_overwrite_are_named(api: Api, user: User, far: tuple[Table, int]) -> None:
    table, row = far
    change = api.patch(f"/api/tables/{table.pk}/rows/{row}/", {"data": {"Salary": 2}}).json()["change"]
    door = f"/api/tables/{table.pk}/changes/{change}/undo/"
    change_cell(user, table, row, "Salary", 3)
    assert told(api.post(door)) == "Salary of “Acme” was changed since."
    api.delete(f"/api/tables/{table.pk}/rows/{row}/")
    assert told(api.post(door)) == "“Acme” was deleted since."


def test_a_row_that_an_earlier_operation_deals_with_needs_no_name(api: Api, far: tuple[Table, int]) -> None:
    table, row = far
    one = {"action": "delete", "row_id": row}
    answer = api.post(f"/api/tables/{table.pk}/proposals/data/?dry_run=true", {"operations": [one, one]}).json()
    notes = [note["detail"] for each in answer["operations"] for note in each["notes"]]
    assert notes == ["Operation 0 already changes this row."]
    assert not re.search(rf"\b{row}\b", notes[0])
