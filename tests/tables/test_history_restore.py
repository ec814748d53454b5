"""Restoring a table to its state after one of its changes, as one change that can be undone."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.exceptions import Conflict
from tables.models import Change, ChangePiece, Table
from tables.operations import Origin
from tables.services import (
    add_rows,
    delete_rows,
    read_later_changes,
    redo_change,
    restore_as_of,
    restore_table,
    trash_table,
    undo_change,
)
from tables.services.undo.history_restore import MAX_CHANGES, MAX_STORED_LENGTH, PIECES_PER_QUERY
from tables.signals import change_redone, change_undone
from tests.conftest import Api
from tests.tables.snapshots import snapshot
from tests.tables.test_change_details import entries, stored
from tests.tables.test_undo import Apply, change_cell, column, ids

Json = dict[str, Any]


def restore(api: Api, table: Table, change: int, **headers: str) -> Any:
    path = f"/api/tables/{table.pk}/changes/{change}/restore/"
    return api.client.post(path, {}, content_type="application/json", headers=headers)


def newest(table: Table) -> Change:
    return Change.objects.filter(table=table).latest("version")


@pytest.fixture
def point(jobs: Table) -> Change:
    """The change to which the tests restore."""
    return newest(jobs)


@pytest.fixture
def changed(user: User, jobs: Table, point: Change, apply_rows: Apply, apply_columns: Apply) -> Table:
    """A table with later changes of rows, columns and the name, some of them undone or redone."""
    first, second, third = ids(jobs)
    change_cell(user, jobs, first, "Salary", 1)
    change_cell(user, jobs, first, "Salary", 2)
    delete_rows(user=user, table_id=jobs.pk, row_ids=[second], origin=Origin("grid"))
    undo_change(user=user, table_id=jobs.pk, change_id=newest(jobs).pk)
    apply_columns({"action": "add", "column": {"name": "Due", "type": "date"}}, words={"table_name": "Work"})
    change_cell(user, jobs, first, "Due", "2026-01-02")
    apply_columns({"action": "remove", "column_id": "Note"}, {"action": "reorder", "column_id": "Salary"})
    apply_columns({"action": "modify", "column_id": "Salary", "changes": {"type": "text"}})
    added = {"Company": "Dyn", "Due": "2026-03-04"}
    apply_rows({"action": "add", "data": added}, {"action": "delete", "row_id": third})
    delete_rows(user=user, table_id=jobs.pk, row_ids=[first], origin=Origin("grid"))
    return jobs


def test_a_restore_is_exact_and_can_be_undone(
    api: Api, user: User, jobs: Table, point: Change, request: pytest.FixtureRequest
) -> None:
    then = snapshot(jobs.pk)
    request.getfixturevalue("changed")
    later, before = snapshot(jobs.pk), newest(jobs)
    answer = restore(api, jobs, point.pk)
    assert answer.status_code == 200, answer.content
    assert snapshot(jobs.pk) == then
    done = newest(jobs)
    assert (done.pk, done.version, done.source) == (answer.json()["change"], before.version + 1, "restore")
    assert answer.json()["summary"] == f"Restored as of {point.created_at:%Y-%m-%d %H:%M} UTC"
    undo_change(user=user, table_id=jobs.pk, change_id=done.pk)
    assert snapshot(jobs.pk) == later
    redo_change(user=user, table_id=jobs.pk, change_id=done.pk)
    assert snapshot(jobs.pk) == then


def test_a_change_made_during_the_restore_is_undone_too(
    user: User, jobs: Table, point: Change, request: pytest.FixtureRequest
) -> None:
    then = snapshot(jobs.pk)
    request.getfixturevalue("changed")
    later = read_later_changes(user=user, table_id=jobs.pk, change_id=point.pk)
    add_rows(user=user, table_id=jobs.pk, rows=[{"Company": "Ergo"}], origin=Origin("grid"))
    restore_as_of(user=user, table_id=jobs.pk, change_id=point.pk, later=later)
    assert snapshot(jobs.pk) == then


@pytest.mark.usefixtures("changed")
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a-key"}], ids=["without a key", "with a key"])
def test_stored_changes_are_read_before_the_transaction(
    api: Api, jobs: Table, point: Change, headers: dict[str, str]
) -> None:
    with CaptureQueriesContext(connection) as sent:
        assert restore(api, jobs, point.pk, **headers).status_code == 200
    statements = [query["sql"] for query in sent.captured_queries]
    begun = next(n for n, statement in enumerate(statements) if statement.startswith("SAVEPOINT"))
    reads = ['steps"' in statement and '"index" ASC' in statement for statement in statements]
    assert (sum(reads[:begun]), sum(reads[begun:])) == (1, 0)


@pytest.mark.sqlite_only
def test_stored_changes_are_read_in_batches(user: User, jobs: Table, point: Change) -> None:
    then = snapshot(jobs.pk)
    for value in range(PIECES_PER_QUERY + 1):
        change_cell(user, jobs, ids(jobs)[0], "Salary", 100 + value)
    with CaptureQueriesContext(connection) as sent:
        later = read_later_changes(user=user, table_id=jobs.pk, change_id=point.pk)
    assert sum('"steps"' in query["sql"] for query in sent.captured_queries) == 2
    restore_as_of(user=user, table_id=jobs.pk, change_id=point.pk, later=later)
    assert snapshot(jobs.pk) == then


def refused(api: Api, table: Table, change: int, **headers: str) -> tuple[int, str]:
    """Send a restore that is refused; return status and code after checking that nothing was written."""
    before = snapshot(table.pk), newest(table)
    answer = restore(api, table, change, **headers)
    assert (snapshot(table.pk), newest(table)) == before
    return answer.status_code, answer.json()["error"]


@pytest.mark.sqlite_only
def test_restoring_to_the_last_change_is_refused(api: Api, jobs: Table) -> None:
    assert refused(api, jobs, newest(jobs).pk) == (409, "nothing_left")


@pytest.mark.sqlite_only
def test_a_restore_without_effect_is_refused(api: Api, user: User, jobs: Table, point: Change) -> None:
    change_cell(user, jobs, ids(jobs)[0], "Salary", 1)
    undo_change(user=user, table_id=jobs.pk, change_id=newest(jobs).pk)
    assert refused(api, jobs, point.pk) == (409, "nothing_left")


def test_a_table_that_changed_meanwhile_is_not_restored(api: Api, changed: Table, point: Change) -> None:
    version = newest(changed).version
    assert refused(api, changed, point.pk, If_Match=f'"{version - 1}"') == (412, "version_moved")
    assert restore(api, changed, point.pk, If_Match=f'"{version}"').status_code == 200


@pytest.mark.sqlite_only
def test_trashed_tables_cannot_be_restored_to_a_change(api: Api, user: User, jobs: Table) -> None:
    trashed = trash_table(user=user, table_id=jobs.pk, origin=Origin("grid"))
    restore_table(user=user, table_id=jobs.pk, origin=Origin("grid"))
    change_cell(user, jobs, ids(jobs)[0], "Salary", 1)
    assert restore(api, jobs, trashed.pk).json()["table"]["trashed"] is False
    assert Table.objects.get(pk=jobs.pk).deleted_at is None


@pytest.mark.sqlite_only
def test_too_many_changes_are_refused(api: Api, user: User, jobs: Table, point: Change) -> None:
    later = [
        Change(table=jobs, version=point.version + number, source="api", summary="Changed 1 row")
        for number in range(1, MAX_CHANGES + 2)
    ]
    Change.objects.bulk_create(later)
    Table.objects.filter(pk=jobs.pk).update(version=later[-1].version)
    assert refused(api, jobs, point.pk) == (422, "too_many_changes")


@pytest.mark.sqlite_only
def test_too_large_changes_are_refused(api: Api, jobs: Table, point: Change) -> None:
    record, row = column(jobs, "Note"), ids(jobs)[0]
    for _ in range(2):
        stored(jobs, {"rows": [[row, {record: "x"}, {record: "y" * (MAX_STORED_LENGTH // 2)}]]})
    assert refused(api, jobs, point.pk) == (422, "too_large_to_restore")


def test_changes_with_purged_cells_are_refused(api: Api, changed: Table, point: Change) -> None:
    ChangePiece.objects.filter(change=newest(changed)).delete()
    assert refused(api, changed, point.pk) == (422, "no_longer_stored")


def test_inconsistent_stored_changes_restore_nothing(api: Api, jobs: Table, point: Change) -> None:
    stored(jobs, {"rows": entries(jobs, ids(jobs)[0], 1)})
    assert refused(api, jobs, point.pk) == (409, "conflict")


def page(table: Table, change: int) -> str:
    return f"/tables/{table.pk}/history/{change}/restore/"


@pytest.mark.sqlite_only
def test_the_page_shows_the_number_of_undone_changes_and_restores(api: Api, changed: Table, point: Change) -> None:
    text = api.get(page(changed, point.pk)).content.decode()
    # Scripts format the time in the locale of the reader, as in the list.
    assert f'<time datetime="{point.created_at.isoformat()[:16]}' in text
    version = newest(changed).version
    assert f"<b>{version - point.version} later changes will be undone.</b>" in text
    assert f'<input type="hidden" name="version" value="{version}">' in text
    stale = api.client.post(page(changed, point.pk), {"version": version - 1}, follow=True)
    assert "The table has changed meanwhile. Nothing was restored;" in stale.content.decode()
    assert newest(changed).version == version
    done = api.client.post(page(changed, point.pk), {"version": version}, follow=True).content.decode()
    restored = newest(changed)
    assert restored.source == "restore"
    assert f'data-undo-step="made {restored.pk} {changed.pk} {restored.pk}"' in done
    assert done.count("Restored as of <time datetime=") >= 2
    assert "by restoring" in done
    undone = api.client.post(f"/tables/{changed.pk}/history/", {"change": restored.pk}, follow=True).content.decode()
    assert undone.count("Undid: Restored as of <time datetime=") >= 2
    assert " UTC" not in done + undone
    content = api.get(page(changed, restored.pk)).content.decode()
    assert '<p class="restore__change">Restored as of <time datetime=' in content


@pytest.mark.sqlite_only
def test_the_list_offers_restores_for_all_but_the_last_change(api: Api, changed: Table, point: Change) -> None:
    text = api.get(f"/tables/{changed.pk}/history/").content.decode()
    last = newest(changed).pk
    assert page(changed, point.pk) in text
    assert page(changed, last) not in text
    assert "Nothing to restore" in api.get(page(changed, last)).content.decode()


def test_changes_undone_by_a_restore_cannot_be_undone(
    api: Api, user: User, changed: Table, point: Change
) -> None:
    def undoable() -> set[int]:
        changes = api.get(f"/api/tables/{changed.pk}/changes/").json()["changes"]
        return {change["id"] for change in changes if change["undoable"] and change["version"] > point.version}

    before, last = undoable(), newest(changed)
    first = restore(api, changed, point.pk).json()["change"]
    assert undoable() == {first}
    assert "Undone" in api.get(f"/tables/{changed.pk}/history/{last.pk}/").content.decode()
    undo_change(user=user, table_id=changed.pk, change_id=first)
    undone = newest(changed)
    assert undoable() == before | {undone.pk}
    # Restoring to the state before that undo undoes it, so that the first restore is in force again.
    second = restore(api, changed, first).json()["change"]
    assert not undoable() & before
    # Restoring to the state before the first restore undoes it and all that followed.
    third = restore(api, changed, last.pk).json()["change"]
    assert undoable() == before | {third}
    assert second not in undoable()


@pytest.fixture
def announced() -> Iterator[list[tuple[str, int]]]:
    """Collect the signals about undone and redone changes, except restores."""
    found: list[tuple[str, int]] = []

    def record(action: str) -> Any:
        return lambda change, **_: found.append((action, change.pk)) if change.source != "restore" else None

    receivers = [(change_undone, record("undone")), (change_redone, record("redone"))]
    for signal, receiver in receivers:
        signal.connect(receiver)
    yield found
    for signal, receiver in receivers:
        signal.disconnect(receiver)


def proposed_change(user: User, table: Table, value: int) -> int:
    """Apply a proposal and return the id of its change."""
    change_cell(user, table, ids(table)[0], "Salary", value)
    change = newest(table)
    Change.objects.filter(pk=change.pk).update(proposal_id=uuid4())
    return change.pk


@pytest.mark.sqlite_only
def test_undone_proposal_changes_are_signalled(
    api: Api, user: User, jobs: Table, point: Change, announced: list[tuple[str, int]]
) -> None:
    change_cell(user, jobs, ids(jobs)[0], "Salary", 1)
    change = proposed_change(user, jobs, 2)
    restored = restore(api, jobs, point.pk).json()["change"]
    undo_change(user=user, table_id=jobs.pk, change_id=restored)
    redo_change(user=user, table_id=jobs.pk, change_id=restored)
    assert announced == [("undone", change), ("redone", change), ("undone", change)]


@pytest.mark.sqlite_only
def test_earlier_undos_are_signalled_with_their_new_state(
    api: Api, user: User, jobs: Table, point: Change, announced: list[tuple[str, int]]
) -> None:
    applied = proposed_change(user, jobs, 1)
    undo_change(user=user, table_id=jobs.pk, change_id=applied)
    redo_change(user=user, table_id=jobs.pk, change_id=applied)
    announced.clear()
    restore(api, jobs, point.pk)
    assert announced == [("undone", applied)]
    # The state after the change itself, which was undone later.
    redone = proposed_change(user, jobs, 2)
    undo_change(user=user, table_id=jobs.pk, change_id=redone)
    announced.clear()
    restore(api, jobs, redone)
    assert announced == [("redone", redone)]


# Steps: a change of a proposal ("P") or another one ("edit"), an undo of a step, or a restore to the state after it;
# and the signals of the last step. Step 0 is the initial state.
HISTORIES: dict[str, tuple[list[Any], list[tuple[str, int]]]] = {
    "restored after a restore": (["P", ("restore", 0), ("restore", 1)], [("redone", 1)]),
    "restored before a restore": (["P", ("restore", 0), ("restore", 1), ("restore", 2)], [("undone", 1)]),
    "undone by an earlier restore": (["P", ("restore", 0), "edit", ("restore", 0), ("undo", 4)], []),
    "in force by an earlier restore": (["P", ("undo", 1), ("restore", 1), ("restore", 0)], [("undone", 1)]),
    "made before the version restored": (["P", "edit", ("restore", 0), "edit", ("restore", 2)], [("redone", 1)]),
    "undone long after it was made": (["P", "edit", ("undo", 1), ("restore", 2)], [("redone", 1)]),
    "undone again long after": (["P", ("undo", 1), ("redo", 1), "edit", ("undo", 1), ("restore", 4)], [("redone", 1)]),
}


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("steps", "expected"), HISTORIES.values(), ids=HISTORIES.keys())
def test_repeated_restores_signal_their_effects(
    user: User,
    jobs: Table,
    point: Change,
    announced: list[tuple[str, int]],
    steps: list[Any],
    expected: list[tuple[str, int]],
) -> None:
    created = [point.pk]
    for value, step in enumerate(steps, 1):
        announced.clear()
        match step:
            case "P":
                proposed_change(user, jobs, value)
            case "edit":
                change_cell(user, jobs, ids(jobs)[1], "Salary", value)
            case action, step:
                act = {"restore": restore_as_of, "undo": undo_change, "redo": redo_change}[action]
                act(user=user, table_id=jobs.pk, change_id=created[step])
        created.append(newest(jobs).pk)
    assert announced == [(action, created[step]) for action, step in expected]


@pytest.mark.sqlite_only
def test_queries_do_not_grow_with_undos_of_earlier_changes(
    user: User, jobs: Table
) -> None:
    def queries(count: int) -> int:
        edits = []
        for value in range(count):
            change_cell(user, jobs, ids(jobs)[0], "Salary", 100 + value)
            edits.append(newest(jobs).pk)
        for edit in reversed(edits):
            undo_change(user=user, table_id=jobs.pk, change_id=edit)
        with CaptureQueriesContext(connection) as sent:
            restore_as_of(user=user, table_id=jobs.pk, change_id=edits[-1])
        return len(sent)

    assert queries(2) == queries(6)


def test_undoing_a_restore_undoes_what_it_redid(
    api: Api, user: User, jobs: Table, point: Change
) -> None:
    change_cell(user, jobs, ids(jobs)[0], "Salary", 1)
    change = newest(jobs).pk
    undo_change(user=user, table_id=jobs.pk, change_id=change)
    restored = restore(api, jobs, change).json()["change"]
    with pytest.raises(Conflict, match="redid this change") as refused:
        undo_change(user=user, table_id=jobs.pk, change_id=change)
    assert refused.value.code == "restored_over"
    # The state before the change, which is undone by the restore, too.
    undo_change(user=user, table_id=jobs.pk, change_id=restored)
    change_cell(user, jobs, ids(jobs)[1], "Salary", 1)
    restore(api, jobs, point.pk)
    with pytest.raises(Conflict) as refused:
        undo_change(user=user, table_id=jobs.pk, change_id=change)
    assert refused.value.code == "already_undone"


def test_undoing_a_restore_redoes_what_it_undid(
    api: Api, user: User, jobs: Table, point: Change
) -> None:
    change_cell(user, jobs, ids(jobs)[0], "Salary", 1)
    change = newest(jobs).pk
    restored = restore(api, jobs, point.pk).json()["change"]
    with pytest.raises(Conflict, match="undo the restore") as refused:
        redo_change(user=user, table_id=jobs.pk, change_id=change)
    assert refused.value.code == "restored_over"
    undo_change(user=user, table_id=jobs.pk, change_id=restored)
    with pytest.raises(Conflict) as refused:
        redo_change(user=user, table_id=jobs.pk, change_id=change)
    assert refused.value.code == "not_undone"
