"""Requests without effect create no version or history and leave proposals open."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict, Malformed
from tables.models import Change, Table
from tables.operations import Choice, Origin
from tables.selectors import read_rows, table_shape
from tables.services import (
    Applied,
    apply_data,
    apply_schema,
    change_columns,
    prepare_data,
    prepare_schema,
    preview_schema,
    update_rows,
)
from tests.conftest import Api

ORIGIN = Origin("api")
Apply = Callable[..., Applied]


def state(table: Table) -> tuple[int, int]:
    """Return the version and the number of changes."""
    return Table.objects.get(pk=table.pk).version, Change.objects.filter(table=table).count()


def modify(**changes: Any) -> dict[str, Any]:
    return {"action": "modify", "column_id": "Salary", "changes": changes}


IDLE: dict[str, list[dict[str, Any]]] = {
    "the same name": [modify(name="Salary")],
    "the same type": [modify(type="number", required=False)],
    "the place where it stands": [{"action": "reorder", "column_id": "Status", "after_column_id": "Company"}],
}


@pytest.mark.parametrize("operations", IDLE.values(), ids=IDLE.keys())
def test_a_column_change_without_effect_is_no_change(
    jobs: Table, apply_columns: Apply, operations: list[dict[str, Any]]
) -> None:
    before = state(jobs)
    applied = apply_columns(*operations)
    assert (applied.change, applied.applied, applied.version) == (None, [], jobs.version)
    assert [left["reason"] for left in applied.skipped] == ["nothing_to_do"]
    assert state(jobs) == before


def test_unchanged_columns_are_not_in_the_history(jobs: Table, apply_columns: Apply) -> None:
    applied = apply_columns(modify(name="Salary"), {"action": "modify", "column_id": "Note", "changes": {"name": "N"}})
    assert Change.objects.get(pk=applied.change).summary == "Changed column N"


@pytest.mark.parametrize(
    ("options", "decision", "summary"),
    [
        (["Open", "Done", "Late"], "clear", "Added option Late to Status"),
        (["Open"], "clear", "Deleted option Done from Status"),
        (["Open"], {"Done": "Open"}, "Merged option Done into Open"),
        (["Open", "Closed"], {"Done": "Closed"}, "Renamed option Done to Closed"),
        (["Open", "Other"], "clear", "Changed column Status"),
        (["Done", "Open"], "clear", "Changed column Status"),
    ],
)
def test_the_history_describes_option_changes(
    jobs: Table, apply_columns: Apply, options: list[str], decision: str | dict[str, str], summary: str
) -> None:
    operation = {"action": "modify", "column_id": "Status", "changes": {"options": options}}
    applied = apply_columns(operation, on_removed_option=decision)
    assert Change.objects.get(pk=applied.change).summary == summary


def test_names_swapped_and_swapped_back_are_no_change(jobs: Table, apply_columns: Apply) -> None:
    before = state(jobs)
    assert apply_columns(modify(name="Pay"), modify(name="Salary")).change is None
    assert state(jobs) == before


def test_the_same_name_and_description_are_no_change(jobs: Table, apply_columns: Apply) -> None:
    before = state(jobs)
    assert apply_columns(words={"table_name": "Jobs", "table_description": "Mine"}).change is None
    assert state(jobs) == before


def test_a_row_change_without_effect_is_no_change(jobs: Table, apply_rows: Apply) -> None:
    before, row = state(jobs), read_rows(jobs)[0].id
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Company": "Acme", "Salary": "10"}})
    assert (applied.change, [left["reason"] for left in applied.skipped]) == (None, ["nothing_to_do"])
    assert state(jobs) == before


def test_a_preview_marks_operations_without_effect(user: User, jobs: Table) -> None:
    proposal = {"mode": "update", "operations": [modify(name="Salary")]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    (operation,) = preview_schema(user=user, prepared=prepared, choice=Choice())["operations"]
    assert [note["code"] for note in operation["notes"]] == ["nothing_to_do"]


def test_a_cell_write_without_effect_has_no_change_id(api: Api, jobs: Table) -> None:
    before, row = state(jobs), read_rows(jobs)[0]
    answer = api.patch(f"/api/tables/{jobs.pk}/rows/{row.id}/", {"data": {"Company": "Acme"}})
    assert (answer.status_code, answer.json()["change"], answer.json()["version"]) == (200, None, row.version)
    assert state(jobs) == before


def test_an_empty_apply_is_refused_for_columns(user: User, jobs: Table) -> None:
    before = state(jobs)
    proposal = {"mode": "update", "operations": [modify(name="Pay")]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    with pytest.raises(Malformed) as caught:
        apply_schema(user=user, prepared=prepared, choice=Choice.read({"operations": []}), origin=ORIGIN)
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [("operations", "empty")]
    assert state(jobs) == before


def test_the_table_name_can_be_applied_without_columns(user: User, jobs: Table) -> None:
    proposal = {"mode": "update", "table_name": "Work", "operations": [modify(name="Pay")]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    applied = apply_schema(user=user, prepared=prepared, choice=Choice.read({"operations": []}), origin=ORIGIN)
    shape = table_shape(Table.objects.get(pk=jobs.pk))
    assert (applied.table_name, shape.columns[2].name) == ("Work", "Salary")


def test_skipping_all_conflicting_rows_is_refused(
    user: User, jobs: Table
) -> None:
    row = read_rows(jobs)[0].id
    proposal = {"operations": [{"action": "update", "row_id": row, "changes": {"Salary": 99}}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal)
    update_rows(user=user, table_id=jobs.pk, rows=[{"id": row, "data": {"Salary": 11}}], origin=ORIGIN)
    before = state(jobs)
    with pytest.raises(Conflict) as caught:
        apply_data(user=user, prepared=prepared, choice=Choice(on_conflict="skip"), origin=ORIGIN)
    assert (caught.value.code, [fault.code for fault in caught.value.faults]) == ("nothing_left", ["cell_changed"])
    assert state(jobs) == before


def test_skipping_all_conflicting_columns_is_refused(
    user: User, jobs: Table
) -> None:
    proposal = {"mode": "update", "operations": [modify(name="Pay")]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    change_columns(
        user=user, table_id=jobs.pk, proposal={"mode": "update", "operations": [modify(name="Wage")]}, choice=Choice(),
        origin=ORIGIN,
    )  # fmt: skip
    before = state(jobs)
    with pytest.raises(Conflict) as caught:
        apply_schema(user=user, prepared=prepared, choice=Choice(on_conflict="skip"), origin=ORIGIN)
    assert (caught.value.code, state(jobs)) == ("nothing_left", before)
