"""Proposed deletions conflict with changed values of rows, not with their versions."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict
from tables.models import Table
from tables.operations import Choice, Origin
from tables.selectors import read_rows
from tables.services import apply_data, delete_rows, prepare_data, undo_change, update_rows
from tests.tables.snapshots import snapshot

API = Origin("api")
ALL_ROWS = {"column": "Company", "op": "not_empty"}
Json = dict[str, Any]
Meanwhile = Callable[[User, Table, int], None]


def write(user: User, table: Table, row: int, **cells: Any) -> None:
    update_rows(user=user, table_id=table.pk, rows=[{"id": row, "data": cells}], origin=API)


def changed_and_reverted(user: User, table: Table, row: int) -> None:
    write(user, table, row, Company="Other")
    write(user, table, row, Company="Bolt")


def changed(user: User, table: Table, row: int) -> None:
    write(user, table, row, Note="they called back")


def emptied(user: User, table: Table, row: int) -> None:
    write(user, table, row, Note=None)


def deleted(user: User, table: Table, row: int) -> None:
    delete_rows(user=user, table_id=table.pk, row_ids=[row], origin=API)


def proposed(user: User, table: Table) -> Json:
    """Return the stored proposal to delete all rows."""
    operations = [{"action": "delete", "where": ALL_ROWS}]
    return prepare_data(user=user, table_id=table.pk, proposal={"operations": operations})


def test_rows_with_unchanged_values_are_deleted(user: User, jobs: Table) -> None:
    prepared = proposed(user, jobs)
    changed_and_reverted(user, jobs, read_rows(jobs)[1].id)
    before = snapshot(jobs.pk)
    applied = apply_data(user=user, prepared=prepared, choice=Choice(), origin=API)
    assert (len(applied.applied), applied.skipped, read_rows(jobs)) == (3, [], [])
    assert applied.change is not None
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert snapshot(jobs.pk) == before


@pytest.mark.parametrize(
    ("meanwhile", "code"), [(changed, "row_changed"), (emptied, "row_changed"), (deleted, "row_missing")]
)
def test_a_changed_row_is_a_conflict_for_all(
    user: User, jobs: Table, meanwhile: Meanwhile, code: str
) -> None:
    prepared = proposed(user, jobs)
    first, second, third = (row.id for row in read_rows(jobs))
    meanwhile(user, jobs, second)
    before = snapshot(jobs.pk)
    with pytest.raises(Conflict) as refused:
        apply_data(user=user, prepared=prepared, choice=Choice(), origin=API)
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [("operations[1]", code)]
    assert snapshot(jobs.pk) == before
    skipping = apply_data(user=user, prepared=prepared, choice=Choice(on_conflict="skip"), origin=API)
    assert [entry["row_id"] for entry in skipping.applied] == [first, third]
    assert skipping.skipped == [{"index": 1, "action": "delete", "written": 0, "row_id": second, "reason": code}]


@pytest.mark.parametrize("meanwhile", [changed, emptied])
def test_changed_rows_are_deleted_after_a_decision(
    user: User, jobs: Table, meanwhile: Meanwhile
) -> None:
    prepared = proposed(user, jobs)
    meanwhile(user, jobs, read_rows(jobs)[1].id)
    before = snapshot(jobs.pk)
    applied = apply_data(user=user, prepared=prepared, choice=Choice(on_conflict={1: "overwrite"}), origin=API)
    assert (len(applied.applied), read_rows(jobs)) == (3, [])
    assert applied.change is not None
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert snapshot(jobs.pk) == before, "undo brings back what was deleted, not what was proposed to be"
