"""Taking back what cannot come back whole, for its row or its column is gone: told first, never lost silently."""
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


def test_a_row_deleted_before_a_column_went_comes_back_without_that_cell_only_when_told(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    row, salary = ids(jobs)[0], column(jobs, "Salary")
    deleted = apply_rows({"action": "delete", "row_id": row})
    apply_columns({"action": "remove", "column_id": "Salary"})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [(f"{row}:{salary}", "column_removed")]
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change, on_conflict={f"{row}:{salary}": "keep"})
    assert sorted(read_rows(jobs)[0].data.values()) == ["12", "Acme", "Open"]


def test_a_row_and_its_column_come_back_whole_when_the_column_comes_first(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    before = snapshot(jobs.pk)
    deleted = apply_rows({"action": "delete", "row_id": ids(jobs)[0]})
    removed = apply_columns({"action": "remove", "column_id": "Salary"})
    undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    assert snapshot(jobs.pk) == before


def test_the_value_of_a_row_deleted_since_is_not_silently_lost_when_its_column_comes_back(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    row, salary = ids(jobs)[0], column(jobs, "Salary")
    before = snapshot(jobs.pk)
    removed = apply_columns({"action": "remove", "column_id": "Salary"})
    deleted = apply_rows({"action": "delete", "row_id": row})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    found = [(fault.path, fault.code, fault.value) for fault in caught.value.faults]
    assert found == [(f"{row}:{salary}", "row_deleted", 10)]
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    assert snapshot(jobs.pk) == before


@pytest.mark.parametrize("gone", ["row", "column"])
def test_an_update_is_not_called_undone_when_what_it_changed_is_gone(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply, gone: str
) -> None:
    row, before = ids(jobs)[0], snapshot(jobs.pk)
    updated = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 99}})
    if gone == "row":
        later = apply_rows({"action": "delete", "row_id": row})
    else:
        later = apply_columns({"action": "remove", "column_id": "Salary"})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=updated.change)
    assert [fault.code for fault in caught.value.faults] == [{"row": "row_deleted", "column": "column_removed"}[gone]]
    undo_change(user=user, table_id=jobs.pk, change_id=later.change)
    undo_change(user=user, table_id=jobs.pk, change_id=updated.change)
    assert snapshot(jobs.pk) == before


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


def test_undoing_its_move_to_the_trash_brings_a_table_back(user: User, jobs: Table) -> None:
    before = snapshot(jobs.pk)
    moved = trash_table(user=user, table_id=jobs.pk, origin=Origin("api"))
    undo_change(user=user, table_id=jobs.pk, change_id=moved.pk)
    assert snapshot(jobs.pk) == before
    redo_change(user=user, table_id=jobs.pk, change_id=moved.pk)
    assert Table.objects.get(pk=jobs.pk).deleted_at is not None
