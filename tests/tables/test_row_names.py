"""Messages name rows by their values on pages, and also by their ids to programs."""
from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.tokens import create_token
from shared.user_messages.rendering import message_text
from tables.models import Table
from tables.operations import ColumnSpec, Origin
from tables.operations.cells import RowState
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
def test_rows_are_named_on_pages_by(data: dict[str, Any], message: str) -> None:
    row = RowState(id=7, version=1, data=data)
    assert message_text(row_message("row_changed", row, columns=COLUMNS)) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [({"col_aaaaaaaa": "Acme"}, "Row 7 (“Acme”) was changed since."), ({}, "Row 7 was changed since.")],
    ids=["named", "empty"],
)
def test_rows_are_named_to_programs_by_id(data: dict[str, Any], message: str) -> None:
    assert str(row_message("row_changed", RowState(id=7, version=1, data=data), columns=COLUMNS)) == message


@pytest.fixture
def row_with_large_id(user: User) -> tuple[Table, int]:
    """Create a table with one row whose id does not occur elsewhere on the page."""
    table = create_table(
        user=user, name="T", columns=[{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}],
        rows=[{"Company": "Acme", "Salary": 1}], origin=Origin("api"),
    )
    return table, table.rows.get().pk


def message(answer: Any) -> str:
    assert answer.status_code == 409
    return " ".join(fault["detail"] for fault in answer.json()["errors"])


def test_unexpected_values_name_the_row(api: Api, user: User, row_with_large_id: tuple[Table, int]) -> None:
    table, row = row_with_large_id
    body = {"rows": [{"id": row, "data": {"Salary": 2}, "expected": {"Salary": 9}}]}
    response = api.patch(f"/api/tables/{table.pk}/rows/", body)
    assert message(response) == "Salary of “Acme” was changed since."
    _, secret = create_token(user=user, name="script", scope="write", now=timezone.now())
    program = Client(headers={"Authorization": f"Bearer {secret}"})
    response = program.patch(f"/api/tables/{table.pk}/rows/", body, content_type="application/json")
    assert message(response) == f"Salary of row {row} (“Acme”) was changed since."


def test_conflicts_of_an_undo_name_the_row(api: Api, user: User, row_with_large_id: tuple[Table, int]) -> None:
    table, row = row_with_large_id
    change = api.patch(f"/api/tables/{table.pk}/rows/{row}/", {"data": {"Salary": 2}}).json()["change"]
    url = f"/api/tables/{table.pk}/changes/{change}/undo/"
    change_cell(user, table, row, "Salary", 3)
    assert message(api.post(url)) == "Salary of “Acme” was changed since."
    api.delete(f"/api/tables/{table.pk}/rows/{row}/")
    assert message(api.post(url)) == "“Acme” was deleted since."


def test_overlaps_of_operations_do_not_name_the_row(api: Api, row_with_large_id: tuple[Table, int]) -> None:
    table, row = row_with_large_id
    one = {"action": "delete", "row_id": row}
    answer = api.post(f"/api/tables/{table.pk}/proposals/data/?dry_run=true", {"operations": [one, one]}).json()
    notes = [note["detail"] for operation in answer["operations"] for note in operation["notes"]]
    assert notes == ["Operation 0 already changes this row."]
    assert not re.search(rf"\b{row}\b", notes[0])
