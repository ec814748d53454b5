"""Undoing an undo with a decision makes the whole change undoable again."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tables.models import Change, Table
from tables.services import Applied, undo_change
from tests.tables.snapshots import snapshot
from tests.tables.test_undo import change_cell, ids

Apply = Callable[..., Applied]


@pytest.mark.parametrize("decision", ["skip", "overwrite"])
def test_a_change_is_undone_completely_without_conflicts(
    user: User, jobs: Table, apply_rows: Apply, decision: str
) -> None:
    first, second, _ = ids(jobs)
    before = snapshot(jobs.pk)
    applied = apply_rows(*({"action": "update", "row_id": row, "changes": {"Salary": 1}} for row in (first, second)))
    change_cell(user, jobs, first, "Salary", 2)
    between = Change.objects.latest("pk")
    undone = undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict=decision)
    undo_change(user=user, table_id=jobs.pk, change_id=undone.pk)
    undo_change(user=user, table_id=jobs.pk, change_id=between.pk)

    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)

    assert snapshot(jobs.pk) == before
