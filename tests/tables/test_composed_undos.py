"""Undo, redo and restore are composed before the table is locked, and recomposed for later changes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.exceptions import Conflict, Forbidden, NotFound, TablesError
from tables.models import Change, Member, Table
from tables.operations import Origin
from tables.selectors import get_table
from tables.services import (
    Applied,
    compose_undo,
    delete_rows,
    move_rows,
    redo_change,
    trash_table,
    undo_change,
)
from tables.services.retention import clear_changes
from tests.conftest import Api
from tests.tables.snapshots import snapshot
from tests.tables.test_undo import change_cell, ids

API = Origin("api")
Apply = Callable[..., Applied]
Meanwhile = Callable[[User, Table, Apply, Apply], Any]


def salaries_set(table: Table, apply_rows: Apply) -> int:
    """Change the first row, delete the third and add another one; return the id of the change."""
    first, _, third = ids(table)
    change = apply_rows(
        {"action": "update", "row_id": first, "changes": {"Salary": 1}},
        {"action": "delete", "row_id": third},
        {"action": "add", "data": {"Company": "Dune"}},
    ).change
    assert change is not None
    return change


def statements_of(send: Callable[[], Any]) -> tuple[list[str], list[str]]:
    """Return the queries of a request before its first transaction, and from there on."""
    with CaptureQueriesContext(connection) as sent:
        answer = send()
    assert answer.status_code == 200, answer.content
    statements = [query["sql"] for query in sent.captured_queries]
    begun = next(n for n, statement in enumerate(statements) if statement.startswith("SAVEPOINT"))
    return statements[:begun], statements[begun:]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a-key"}], ids=["without a key", "with a key"])
@pytest.mark.parametrize("step", ["undo", "redo", "restore"])
def test_neither_stored_changes_nor_cells_are_read_in_a_transaction(
    api: Api, user: User, jobs: Table, apply_rows: Apply, step: str, headers: dict[str, str]
) -> None:
    before = Change.objects.latest("pk").pk
    change = salaries_set(jobs, apply_rows)
    if step == "redo":
        undo_change(user=user, table_id=jobs.pk, change_id=change)
    path = f"/api/tables/{jobs.pk}/changes/{before if step == 'restore' else change}/{step}/"

    outside, inside = statements_of(lambda: api.client.post(path, {}, content_type="application/json", headers=headers))

    def reads(statement: str) -> bool:
        cells = '"tables_row"."data"' in statement and statement.startswith(("SELECT", "DECLARE"))
        return cells or (statement.startswith("SELECT") and 'steps"' in statement)

    assert (any(map(reads, outside)), any(map(reads, inside))) == (True, False)


def nothing(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    pass


def another_row(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    change_cell(user, table, ids(table)[1], "Salary", 2)


def another_cell(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    change_cell(user, table, ids(table)[0], "Company", "Acme & Co")


def same_cell(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    change_cell(user, table, ids(table)[0], "Salary", 2)


def added_row(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    change_cell(user, table, ids(table)[-1], "Salary", 2)


def row_deleted(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    delete_rows(user=user, table_id=table.pk, row_ids=ids(table)[:1], origin=API)


def rows_moved(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    first, *_, last = ids(table)
    move_rows(user=user, table_id=table.pk, row_ids=[first], place={"after_row_id": last}, origin=API)


def column_renamed(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    apply_columns({"action": "modify", "column_id": "Salary", "changes": {"name": "Pay"}})


def column_removed(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    apply_columns({"action": "remove", "column_id": "Salary"})


def undone(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    undo_change(user=user, table_id=table.pk, change_id=Change.objects.latest("pk").pk)


def trashed(user: User, table: Table, apply_rows: Apply, apply_columns: Apply) -> None:
    trash_table(user=user, table_id=table.pk, origin=API)


CONCURRENT_CHANGES = [
    (nothing, None),
    (another_row, None),
    (another_cell, None),
    (same_cell, Conflict),
    (added_row, Conflict),
    (row_deleted, Conflict),
    (rows_moved, None),
    (column_renamed, None),
    (column_removed, Conflict),
    (undone, Conflict),
    (trashed, NotFound),
]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("meanwhile", "error"), CONCURRENT_CHANGES)
def test_changes_after_the_composition_are_not_overwritten(
    user: User,
    jobs: Table,
    apply_rows: Apply,
    apply_columns: Apply,
    meanwhile: Meanwhile,
    error: type[TablesError] | None,
) -> None:
    change = salaries_set(jobs, apply_rows)
    arguments: Any = {"user": user, "table_id": jobs.pk, "change_id": change}
    composed = compose_undo(**arguments)
    meanwhile(user, jobs, apply_rows, apply_columns)
    before = snapshot(jobs.pk)

    if error is not None:
        with pytest.raises(error):
            undo_change(**arguments, composed=composed)
        assert snapshot(jobs.pk) == before
        return
    undo_change(**arguments, composed=composed)
    done = snapshot(jobs.pk)
    redo_change(**arguments)
    assert snapshot(jobs.pk) == before
    undo_change(**arguments)
    assert snapshot(jobs.pk) == done


def test_a_change_deleted_by_retention_is_not_undone(
    user: User, jobs: Table, apply_rows: Apply, settings: Any
) -> None:
    change = salaries_set(jobs, apply_rows)
    undo = undo_change(user=user, table_id=jobs.pk, change_id=change)
    arguments: Any = {"user": user, "table_id": jobs.pk, "change_id": change}
    composed = compose_undo(**arguments, redo=True)
    now = timezone.now()
    Change.objects.filter(pk__lte=change).update(created_at=now - timedelta(days=settings.TABLES_CHANGES_DAYS + 1))
    assert sum(clear_changes(now=now))

    with pytest.raises(NotFound):
        redo_change(**arguments, composed=composed)
    undo_change(**{**arguments, "change_id": undo.pk})


@pytest.mark.sqlite_only
def test_a_former_owner_cannot_trash_the_table(
    user: User, other_user: User, jobs: Table
) -> None:
    created = Change.objects.get(table=jobs, version=1)
    arguments: Any = {"user": user, "table_id": jobs.pk, "change_id": created.pk, "on_conflict": "overwrite"}
    composed = compose_undo(**arguments)
    Member.objects.create(table=jobs, user=user, role=Member.Role.EDITOR)
    Table.objects.filter(pk=jobs.pk).update(owner=other_user)

    with pytest.raises(Forbidden):
        undo_change(**arguments, composed=composed)
    assert get_table(other_user, jobs.pk).deleted_at is None
