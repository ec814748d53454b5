"""Undo of changes whose rows or columns were deleted since needs a decision."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict
from tables.models import Table
from tables.operations import Origin
from tables.selectors import read_rows
from tables.services import redo_change, trash_table, undo_change
from tests.conftest import Api
from tests.tables.snapshots import snapshot
from tests.tables.test_undo import Apply, column, ids


def test_restoring_a_row_without_its_removed_column_needs_a_decision(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    row = ids(jobs)[0]
    path = f"rows[{row}].data.{column(jobs, 'Salary')}"
    deleted = apply_rows({"action": "delete", "row_id": row})
    apply_columns({"action": "remove", "column_id": "Salary"})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [(path, "column_removed")]
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change, on_conflict={path: "skip"})
    assert sorted(read_rows(jobs)[0].data.values()) == ["12", "Acme", "Open"]


def test_a_row_is_restored_completely_after_its_column(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    before = snapshot(jobs.pk)
    deleted = apply_rows({"action": "delete", "row_id": ids(jobs)[0]})
    removed = apply_columns({"action": "remove", "column_id": "Salary"})
    undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    assert snapshot(jobs.pk) == before


def test_restoring_a_column_without_deleted_rows_needs_a_decision(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    row, before = ids(jobs)[0], snapshot(jobs.pk)
    removed = apply_columns({"action": "remove", "column_id": "Salary"})
    deleted = apply_rows({"action": "delete", "row_id": row})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    found = [(fault.path, fault.code, fault.value) for fault in caught.value.faults]
    assert found == [(f"rows[{row}].data.Salary", "row_deleted", 10)]
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    assert snapshot(jobs.pk) == before


@pytest.mark.parametrize("deleted", ["row", "column"])
def test_an_update_of_deleted_objects_is_not_undone(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply, deleted: str
) -> None:
    row, before = ids(jobs)[0], snapshot(jobs.pk)
    updated = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 99}})
    if deleted == "row":
        later = apply_rows({"action": "delete", "row_id": row})
    else:
        later = apply_columns({"action": "remove", "column_id": "Salary"})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=updated.change)
    code = {"row": "row_deleted", "column": "column_removed"}[deleted]
    assert [fault.code for fault in caught.value.faults] == [code]
    undo_change(user=user, table_id=jobs.pk, change_id=later.change)
    undo_change(user=user, table_id=jobs.pk, change_id=updated.change)
    assert snapshot(jobs.pk) == before


def test_overwriting_reports_the_values_of_deleted_rows(api: Api, jobs: Table, apply_rows: Apply) -> None:
    first, second, _ = ids(jobs)
    updated = apply_rows(*({"action": "update", "row_id": row, "changes": {"Salary": 99}} for row in (first, second)))
    apply_rows({"action": "delete", "row_id": first})
    done = api.post(f"/api/tables/{jobs.pk}/changes/{updated.change}/undo/", {"on_conflict": "overwrite"}).json()
    skipped = [(each["path"], each["code"], each["value"]) for each in done["skipped"]]
    assert skipped == [(f"rows[{first}].data.Salary", "row_deleted", 10)]
    [listed] = api.get(f"/api/tables/{jobs.pk}/changes/", limit="1").json()["changes"]
    assert (listed["id"], listed["counts"]) == (done["change"], {"update": 1, "skipped": 1})
    assert listed["summary"] == f"{done['summary']}" == "Undid: Changed 2 rows (1 value could not be restored)"


def test_the_undo_of_a_deletion_conflicts_with_a_later_type_of_the_first_column(
    api: Api, jobs: Table, apply_rows: Apply
) -> None:
    first = ids(jobs)[0]
    deleted = apply_rows({"action": "delete", "row_id": first})
    company = f"/api/tables/{jobs.pk}/columns/Company/?on_unconvertible=clear&on_empty_cells=keep"
    changed = api.client.patch(company, {"type": "date", "required": False}, content_type="application/json")
    assert changed.status_code == 200
    refused = api.post(f"/api/tables/{jobs.pk}/changes/{deleted.change}/undo/")
    [fault] = refused.json()["errors"]
    assert (refused.status_code, fault["path"], fault["code"], fault["value"]) == (
        409, f"rows[{first}].data.Company", "column_changed", "Acme",
    )  # fmt: skip
    # The name of the row is that of its stored text, which is not a date.
    assert fault["detail"] == "Company of “Acme” was changed since."


@pytest.mark.parametrize("way", ["undo", "redo"])
def test_changes_of_a_table_in_the_trash_are_not_found(
    api: Api, user: User, jobs: Table, apply_rows: Apply, way: str
) -> None:
    change = apply_rows({"action": "add", "data": {"Company": "D"}}).change
    if way == "redo":
        undo_change(user=user, table_id=jobs.pk, change_id=change)
    trash_table(user=user, table_id=jobs.pk, origin=Origin("api"))
    before = snapshot(jobs.pk)
    for unknown in (change, 10**9):
        answer = api.post(f"/api/tables/{jobs.pk}/changes/{unknown}/{way}/")
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert snapshot(jobs.pk) == before


def test_undoing_a_trash_change_restores_the_table(user: User, jobs: Table) -> None:
    before = snapshot(jobs.pk)
    moved = trash_table(user=user, table_id=jobs.pk, origin=Origin("api"))
    undo_change(user=user, table_id=jobs.pk, change_id=moved.pk)
    assert snapshot(jobs.pk) == before
    redo_change(user=user, table_id=jobs.pk, change_id=moved.pk)
    assert Table.objects.get(pk=jobs.pk).deleted_at is not None
