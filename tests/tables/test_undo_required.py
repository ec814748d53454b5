"""Undo and redo that would leave a required column without values."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from tables.models import Change, Table
from tables.services.pipeline.locking import locked_table
from tables.services.undo.composing import effect_in_parts
from tables.services.undo.large_changes import InvertedRows, parts_of
from tests.conftest import Api

Json = dict[str, Any]


@pytest.fixture
def table(jobs: Table) -> str:
    return f"/api/tables/{jobs.pk}/"


def undo(api: Api, table: str, change: int, decision: Json | str | None = None, *, verb: str = "undo") -> Any:
    return api.post(f"{table}changes/{change}/{verb}/", {"on_conflict": decision} if decision else {})


def conflicts(answer: Any) -> list[tuple[str, str, Any]]:
    assert answer.status_code == 409, answer.json()
    return [(error["path"], error["code"], error.get("value")) for error in answer.json()["errors"]]


def latest(api: Api, table: str) -> int:
    """Return the id of the last change."""
    found: int = api.get(f"{table}changes/?limit=1").json()["changes"][0]["id"]
    return found


def empty_row(api: Api, table: str) -> int:
    """Return the id of the row without a salary."""
    (found,) = [row["id"] for row in api.get(f"{table}rows/").json()["rows"] if "Salary" not in row["data"]]
    return int(found)


def is_required(api: Api, table: str, name: str) -> bool:
    columns = {column["name"]: column for column in api.get(f"{table}columns/").json()["columns"]}
    return bool(columns[name]["required"])


@pytest.mark.parametrize(("decision", "required"), [("overwrite", True), ({"columns.Salary": "skip"}, False)])
def test_redoing_a_required_column_over_empty_cells_needs_a_decision(
    api: Api, table: str, decision: Json | str, required: bool
) -> None:
    changes = {"required": True, "name": "Pay"}
    api.patch(f"{table}columns/Salary/?on_empty_cells=keep", changes)
    change = latest(api, table)
    undo(api, table, change)
    api.post(f"{table}rows/", {"Company": "New"})
    assert conflicts(undo(api, table, change, verb="redo")) == [("columns.Salary", "empty_cells", 2)]
    assert not is_required(api, table, "Salary")
    assert undo(api, table, change, decision, verb="redo").status_code == 200
    assert is_required(api, table, "Pay") is required


@pytest.mark.parametrize(("decision", "required"), [("overwrite", True), ("skip", False)])
def test_restoring_a_required_column_counts_the_rows_added_since(
    api: Api, table: str, decision: str, required: bool
) -> None:
    api.delete(f"{table}columns/Company/")
    change = latest(api, table)
    api.post(f"{table}rows/", {"Salary": 1})
    assert conflicts(undo(api, table, change)) == [("columns.Company", "empty_cells", 1)]
    assert undo(api, table, change, decision).status_code == 200
    assert is_required(api, table, "Company") is required


def test_restoring_a_required_column_in_batches_counts_them_too(user: User, api: Api, table: str, jobs: Table) -> None:
    api.delete(f"{table}columns/Company/")
    change = Change.objects.latest("version")
    api.post(f"{table}rows/", {"Salary": 1})
    with transaction.atomic():
        locked = locked_table(user, jobs.pk)
        effect = effect_in_parts(
            locked,
            lambda: (part.inverted() for part in parts_of(change)),
            user=user,
            decision="skip",
            since=change.version,
        )
    assert effect is not None
    assert isinstance(effect.source, InvertedRows)
    assert [column.required for column in effect.after if column.name == "Company"] == [False]


def test_the_question_is_asked_again_after_a_redo(api: Api, table: str) -> None:
    api.delete(f"{table}columns/Company/")
    change = latest(api, table)
    api.post(f"{table}rows/", {"Salary": 1})
    undo(api, table, change, "skip")
    undo(api, table, change, verb="redo")
    assert conflicts(undo(api, table, change)) == [("columns.Company", "empty_cells", 1)]


def test_rows_added_since_have_no_value_of_a_computed_column_that_a_redo_converts(api: Api, table: str) -> None:
    api.post(f"{table}columns/", {"name": "Creator", "type": "created_by"})
    api.patch(f"{table}columns/Creator/", {"type": "text", "required": True})
    change = latest(api, table)
    undo(api, table, change)
    api.post(f"{table}rows/", {"Company": "New"})
    assert conflicts(undo(api, table, change, verb="redo")) == [("columns.Creator", "empty_cells", 1)]


@pytest.mark.parametrize(("decision", "value"), [("overwrite", None), ("skip", 5)])
def test_undo_empties_a_cell_that_became_required_only_on_request(
    api: Api, table: str, decision: str, value: int | None
) -> None:
    empty = empty_row(api, table)
    api.patch(f"{table}rows/{empty}/", {"data": {"Salary": 5}})
    change = latest(api, table)
    added = api.post(f"{table}rows/", {"Company": "New"}).json()["id"]
    api.delete(f"{table}rows/{added}/")
    removed = latest(api, table)
    assert api.patch(f"{table}columns/Salary/", {"required": True}).status_code == 200

    assert conflicts(undo(api, table, change)) == [(f"rows[{empty}].data.Salary", "required", 5)]
    assert conflicts(undo(api, table, removed)) == [(f"rows[{added}].data.Salary", "required", None)]
    # Nothing would be left to undo without this cell.
    assert undo(api, table, change, decision).status_code == (200 if value is None else 409)
    assert undo(api, table, removed, decision).status_code == (200 if value is None else 409)

    data = {row["id"]: row["data"].get("Salary") for row in api.get(f"{table}rows/").json()["rows"]}
    assert data[empty] == value
    assert (added in data) is (value is None)


# Changes of the number column Salary: the one to undo, one of its type since, and the fields that stay.
RETYPED: dict[str, tuple[Json, Json, Json]] = {
    "default": ({"default": 7}, {"type": "text"}, {"type": "text", "default": None}),
    "format": ({"format": "percent"}, {"type": "text"}, {"type": "text", "format": "line"}),
    "computed": ({"required": True}, {"type": "created_by"}, {"type": "created_by", "required": False}),
}


@pytest.mark.parametrize(("change", "since", "left"), RETYPED.values(), ids=RETYPED.keys())
def test_a_field_that_does_not_fit_a_type_since_is_not_restored(
    api: Api, table: str, change: Json, since: Json, left: Json
) -> None:
    query = "?on_empty_cells=keep&on_unconvertible=clear"
    done = api.patch(f"{table}columns/Salary/{query}", change).json()["change"]
    undo(api, table, done)
    assert api.patch(f"{table}columns/Salary/{query}", since).status_code == 200
    assert ("columns.Salary", "column_changed", None) in conflicts(undo(api, table, done, verb="redo"))
    assert undo(api, table, done, "overwrite", verb="redo").status_code == 409
    columns = {column["name"]: column for column in api.get(f"{table}columns/").json()["columns"]}
    assert columns["Salary"] | left == columns["Salary"]


def test_white_space_is_no_value_to_restore_in_a_required_column(api: Api, table: str) -> None:
    rows = [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]
    api.patch(f"{table}rows/", {"rows": [{"id": row, "data": {"Note": " "}} for row in rows]})
    api.patch(f"{table}rows/", {"rows": [{"id": row, "data": {"Note": "now"}} for row in rows]})
    change = latest(api, table)
    assert api.patch(f"{table}columns/Note/", {"required": True}).status_code == 200
    api.patch(f"{table}rows/", {"rows": [{"id": rows[0], "data": {"Note": "again"}}]})
    assert {code for _, code, _ in conflicts(undo(api, table, change))} == {"required"}


def test_cells_that_were_empty_in_a_required_column_are_emptied_again_without_a_question(api: Api, table: str) -> None:
    api.patch(f"{table}columns/Salary/?on_empty_cells=keep", {"required": True})
    empty = empty_row(api, table)
    api.patch(f"{table}rows/{empty}/", {"data": {"Salary": 5}})
    change = latest(api, table)
    api.post(f"{table}rows/", {"Company": "New", "Salary": 1})
    assert undo(api, table, change).status_code == 200
