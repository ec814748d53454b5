"""Undo and redo: exact, once, and never overwriting later changes without a decision."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.exceptions import Conflict, Malformed, NotFound
from tables.models import Change, Row, Table
from tables.operations import Origin
from tables.selectors import get_table, read_rows, table_shape
from tables.services import (
    Applied,
    create_table,
    original_of,
    redo_change,
    restore_as_of,
    restore_table,
    trash_table,
    undo_change,
    update_rows,
)
from tables.signals import change_redone, change_undone
from tests.conftest import Api
from tests.stored_proposals import apply_url, rows_proposal, stored_proposal
from tests.tables.snapshots import snapshot

API = Origin("api")
READING = '"tables_row"."version"'
Apply = Callable[..., Applied]


def ids(table: Table) -> list[int]:
    return [row.id for row in read_rows(table)]


def column(table: Table, name: str) -> str:
    found = table_shape(Table.objects.get(pk=table.pk)).column(name)
    assert found is not None
    return found.id


def test_rows_are_restored_with_ids_and_positions(user: User, jobs: Table, apply_rows: Apply) -> None:
    before = snapshot(jobs.pk)
    applied = apply_rows({"action": "delete", "row_id": ids(jobs)[1]}, {"action": "add", "data": {"Company": "D"}})
    after = snapshot(jobs.pk)
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert snapshot(jobs.pk) == before
    redo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert snapshot(jobs.pk) == after


def test_a_table_proposal_is_undone_by_its_payload_or_where_conflicts_can_be_decided(
    api: Api, user: User, jobs: Table
) -> None:
    before = snapshot(jobs.pk)
    operation = {"action": "update", "row_id": ids(jobs)[0], "changes": {"Salary": 77}}
    payload = rows_proposal(user, operation, table_id=jobs.pk)
    outcome = api.post(apply_url(payload), {"operations": "all"}).json()["outcome"]
    change_cell(user, jobs, ids(jobs)[0], "Salary", 78)
    stored = f"/api/chat/payloads/{payload.pk}/"
    assert (api.post(f"{stored}undo/").status_code, api.get(stored).json()["status"]) == (409, "applied")
    assert api.post(outcome["undo_url"], {"on_conflict": "overwrite"}).status_code == 200
    assert (snapshot(jobs.pk), api.post(f"{stored}undo/").json()["error"]) == (before, "already_undone")


def test_the_undo_of_the_proposal_of_a_table_moves_it_to_the_trash(api: Api, user: User) -> None:
    column = {"action": "add", "column": {"name": "Task", "type": "text"}}
    data = {"mode": "create", "table_name": "Tasks", "table_description": "", "operations": [column], "sample_rows": []}
    payload = stored_proposal(user, kind="schema_proposal", data={**data, "reasoning": "Asked for."})
    outcome = api.post(apply_url(payload), {"operations": "all"}).json()["outcome"]
    assert outcome["can_undo"] is True
    undone = api.post(f"/api/chat/payloads/{payload.pk}/undo/").json()["status"]
    assert (undone, api.get(f"/api/tables/{outcome['table']['id']}/").status_code) == ("undone", 404)


def test_undo_and_redo_count_the_rows_that_they_write(user: User, jobs: Table, apply_rows: Apply) -> None:
    first, second, third = ids(jobs)
    applied = apply_rows(
        {"action": "delete", "row_id": first},
        {"action": "add", "data": {"Company": "D"}},
        {"action": "add", "data": {"Company": "E"}},
        {"action": "update", "row_id": second, "changes": {"Salary": 1}},
        {"action": "update", "row_id": third, "changes": {"Salary": 1}},
    )
    change_cell(user, jobs, second, "Salary", 2)
    undone = undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="skip")
    assert undone.counts == {"add": 1, "delete": 2, "update": 1}
    assert redo_change(user=user, table_id=jobs.pk, change_id=undone.pk).counts == {"add": 2, "delete": 1, "update": 1}


def test_deleting_and_restoring_a_row_increments_its_version(
    user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = Row.objects.get(pk=ids(jobs)[0])
    first = row.version
    applied = apply_rows({"action": "delete", "row_id": row.pk})
    row.refresh_from_db()
    assert row.version == first + 1
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    row.refresh_from_db()
    assert row.version == first + 2


def test_a_removed_column_is_restored_with_position_and_values(user: User, jobs: Table, apply_columns: Apply) -> None:
    before = snapshot(jobs.pk)
    applied = apply_columns({"action": "remove", "column_id": "Status"})
    undone = undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert snapshot(jobs.pk) == before
    assert undone.counts == {"add": 1}


def test_undo_and_redo_cannot_be_repeated(
    user: User, jobs: Table, apply_rows: Apply
) -> None:
    change = apply_rows({"action": "add", "data": {"Company": "D"}}).change
    with pytest.raises(Conflict) as caught:
        redo_change(user=user, table_id=jobs.pk, change_id=change)
    assert caught.value.code == "not_undone"
    undo_change(user=user, table_id=jobs.pk, change_id=change)
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=change)
    assert caught.value.code == "already_undone"


def test_undo_redo_undo_by_the_id_of_the_first_change(user: User, jobs: Table, apply_rows: Apply) -> None:
    before = snapshot(jobs.pk)
    change = apply_rows({"action": "add", "data": {"Company": "D"}}).change
    undo_change(user=user, table_id=jobs.pk, change_id=change)
    redone = redo_change(user=user, table_id=jobs.pk, change_id=change)
    again = undo_change(user=user, table_id=jobs.pk, change_id=change)
    assert (redone.is_redo, again.is_redo, again.undo_of) == (True, False, redone)
    assert snapshot(jobs.pk) == before


def change_cell(user: User, table: Table, row: int, name: str, value: Any) -> None:
    update_rows(user=user, table_id=table.pk, rows=[{"id": row, "data": {name: value}}], origin=API)


def test_a_cell_changed_since_is_listed_and_nothing_is_written(user: User, jobs: Table, apply_rows: Apply) -> None:
    first, second, _ = ids(jobs)
    applied = apply_rows(
        *({"action": "update", "row_id": row, "changes": {"Salary": 1, "Note": "n"}} for row in (first, second))
    )
    change_cell(user, jobs, first, "Salary", 2)
    before = snapshot(jobs.pk)
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert [(each.path, each.row_id) for each in caught.value.faults] == [(f"rows[{first}].data.Salary", first)]
    assert snapshot(jobs.pk) == before


DECISIONS = {"overwrite": (10, "12"), "skip": (2, "12")}


@pytest.mark.parametrize(("decision", "left"), DECISIONS.items(), ids=DECISIONS.keys())
@pytest.mark.parametrize("named", ["all", "name", "id"])
def test_undo_applies_the_decision(
    user: User, jobs: Table, apply_rows: Apply, decision: str, left: tuple[Any, Any], named: str
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1, "Note": "n"}})
    change_cell(user, jobs, row, "Salary", 2)
    salary = "Salary" if named == "name" else column(jobs, "Salary")
    decisions = decision if named == "all" else {f"rows[{row}].data.{salary}": decision}
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict=decisions)
    data = read_rows(jobs)[0].data
    assert (data[column(jobs, "Salary")], data[column(jobs, "Note")]) == left


def test_removing_a_row_edited_since_needs_a_decision(user: User, jobs: Table, apply_rows: Apply) -> None:
    applied = apply_rows({"action": "add", "data": {"Company": "D"}})
    row = applied.applied[0]["row_id"]
    change_cell(user, jobs, row, "Note", "mine")
    with pytest.raises(Conflict):
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="skip")
    assert caught.value.code == "nothing_left"
    assert row in ids(jobs)


def test_removing_a_column_filled_since_needs_a_decision(
    user: User, jobs: Table, apply_columns: Apply
) -> None:
    applied = apply_columns({"action": "add", "column": {"name": "Size", "type": "number"}})
    row = ids(jobs)[0]
    change_cell(user, jobs, row, "Size", 7)
    filled = snapshot(jobs.pk)
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert [fault.path for fault in caught.value.faults] == [f"rows[{row}].data.Size"]
    undone = undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="overwrite")
    assert table_shape(Table.objects.get(pk=jobs.pk)).column("Size") is None
    undo_change(user=user, table_id=jobs.pk, change_id=undone.pk)
    assert snapshot(jobs.pk) == filled


def test_removing_a_column_changed_since_needs_a_decision(user: User, jobs: Table, apply_columns: Apply) -> None:
    applied = apply_columns({"action": "add", "column": {"name": "Size", "type": "number"}})
    apply_columns({"action": "modify", "column_id": "Size", "changes": {"name": "Length"}})
    with pytest.raises(Conflict):
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="skip")
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="overwrite")
    assert table_shape(Table.objects.get(pk=jobs.pk)).column("Length") is None


def test_rows_added_since_are_converted_back(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    to_text = {"action": "modify", "column_id": "Salary", "changes": {"type": "text"}}
    applied = apply_columns(to_text)
    apply_rows({"action": "add", "data": {"Company": "D", "Salary": "55"}})
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    salary = column(jobs, "Salary")
    assert [row.data.get(salary) for row in read_rows(jobs)] == [10, None, 30, 55]


def test_a_value_that_does_not_fit_the_old_type_is_a_conflict(
    user: User, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    applied = apply_columns({"action": "modify", "column_id": "Salary", "changes": {"type": "text"}})
    apply_rows({"action": "add", "data": {"Company": "D", "Salary": "much"}})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert [(fault.code, fault.value) for fault in caught.value.faults] == [("unconvertible", "much")]


@pytest.mark.parametrize("begins", [0, 1])
def test_a_numeric_default_is_restored_as_a_number(
    user: User, jobs: Table, apply_columns: Apply, begins: int
) -> None:
    def default() -> Any:
        return table_shape(Table.objects.get(pk=jobs.pk)).columns[0].default

    apply_columns({"action": "add", "column": {"name": "Open", "type": "number", "default": begins}})
    apply_columns({"action": "reorder", "column_id": "Open"})
    applied = apply_columns({"action": "modify", "column_id": "Open", "changes": {"type": "boolean"}})
    assert default() is bool(begins)
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert type(default()) is int
    redo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert default() is bool(begins)


def test_a_name_used_since_is_a_conflict(user: User, jobs: Table, apply_columns: Apply) -> None:
    applied = apply_columns({"action": "remove", "column_id": "Salary"})
    apply_columns({"action": "add", "column": {"name": "salary", "type": "text"}})
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="overwrite")
    assert [(fault.code, fault.path) for fault in caught.value.faults] == [("doubled_name", "columns.salary")]


def test_duplicate_column_names_do_not_prevent_undo(
    user: User, jobs: Table, apply_rows: Apply
) -> None:
    jobs.columns.filter(name="Note").update(name="Company\u200b")
    before = snapshot(jobs.pk)
    applied = apply_rows({"action": "add", "data": {"Company": "D"}})
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    assert snapshot(jobs.pk) == before


def test_undo_of_an_added_column_keeps_later_moves(
    user: User, jobs: Table, apply_columns: Apply
) -> None:
    applied = apply_columns({"action": "add", "column": {"name": "Size", "type": "number"}})
    apply_columns({"action": "reorder", "column_id": "Note"})
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    names = [each.name for each in table_shape(Table.objects.get(pk=jobs.pk)).columns]
    assert names == ["Note", "Company", "Status", "Salary"]


def test_undoing_a_creation_trashes_the_table_and_redo_restores_it(user: User) -> None:
    columns = [{"name": "A", "type": "text"}]
    table = create_table(user=user, name="T", columns=columns, rows=[{"A": "x"}], origin=API)
    before = snapshot(table.pk)
    created = table.changes.get()
    undo_change(user=user, table_id=table.pk, change_id=created.pk)
    with pytest.raises(NotFound):
        get_table(user, table.pk)
    redo_change(user=user, table_id=table.pk, change_id=created.pk)
    assert snapshot(table.pk) == before


def test_undoing_a_creation_with_later_changes_needs_a_decision(user: User, jobs: Table, apply_rows: Apply) -> None:
    apply_rows({"action": "add", "data": {"Company": "D"}})
    created = jobs.changes.earliest("version")
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=created.pk)
    assert caught.value.code == "changed_since"
    assert get_table(user, jobs.pk).pk == jobs.pk


def test_a_table_is_restored_from_the_trash_unchanged(user: User, jobs: Table) -> None:
    before = snapshot(jobs.pk)
    trash_table(user=user, table_id=jobs.pk, origin=API)
    with pytest.raises(NotFound):
        get_table(user, jobs.pk)
    restore_table(user=user, table_id=jobs.pk, origin=API)
    assert snapshot(jobs.pk) == before


def test_undo_and_redo_are_signalled_within_the_transaction(
    user: User, jobs: Table, apply_rows: Apply
) -> None:
    signals: list[tuple[str, int]] = []

    def undone(change: Change, **kwargs: Any) -> None:
        signals.append(("undone", change.pk))

    def redone(change: Change, **kwargs: Any) -> None:
        signals.append(("redone", change.pk))
        raise RuntimeError("no")

    change_undone.connect(undone)
    change_redone.connect(redone)
    try:
        change = apply_rows({"action": "add", "data": {"Company": "D"}}).change
        undo_change(user=user, table_id=jobs.pk, change_id=change)
        before = snapshot(jobs.pk)
        with pytest.raises(RuntimeError):
            redo_change(user=user, table_id=jobs.pk, change_id=change)
    finally:
        change_undone.disconnect(undone)
        change_redone.disconnect(redone)
    assert signals == [("undone", change), ("redone", change)]
    assert snapshot(jobs.pk) == before


def test_changes_of_other_tables_and_users_are_not_found(user: User, other_user: User, jobs: Table) -> None:
    other = create_table(user=user, name="T", columns=[{"name": "A", "type": "text"}], origin=API)
    change = other.changes.get().pk
    for who, table in ((user, jobs), (other_user, other)):
        with pytest.raises(NotFound):
            undo_change(user=who, table_id=table.pk, change_id=change)


def test_an_unknown_decision_is_refused(user: User, jobs: Table) -> None:
    with pytest.raises(Malformed):
        undo_change(user=user, table_id=jobs.pk, change_id=1, on_conflict="maybe")


def test_removing_an_added_column_reads_only_its_filled_rows(
    user: User, jobs: Table, apply_columns: Apply
) -> None:
    added = apply_columns({"action": "add", "column": {"name": "Paid", "type": "boolean"}})
    assert added.change is not None
    before = snapshot(jobs.pk)
    update_rows(user=user, table_id=jobs.pk, rows=[{"id": ids(jobs)[1], "data": {"Paid": False}}], origin=API)
    with CaptureQueriesContext(connection) as sent, pytest.raises(Conflict) as refused:
        undo_change(user=user, table_id=jobs.pk, change_id=added.change)
    assert [fault.path for fault in refused.value.faults] == [f"rows[{ids(jobs)[1]}].data.Paid"]
    # The server-side cursor is closed by now, so that its query is explained separately.
    reading = [one["sql"][one["sql"].index("SELECT") :] for one in sent.captured_queries if READING in one["sql"]]
    with connection.cursor() as cursor:
        for sql in reading:
            cursor.execute(sql)
            assert len(cursor.fetchall()) == 1
    assert reading
    undo_change(user=user, table_id=jobs.pk, change_id=added.change, on_conflict="overwrite")
    assert snapshot(jobs.pk) == {**before, "columns": before["columns"][:-1]}


def undo(user: User, table: Table, change: int) -> None:
    undone = undo_change(user=user, table_id=table.pk, change_id=change)
    assert original_of(undone).pk == change


def redo_in_force(user: User, table: Table, change: int) -> None:
    with pytest.raises(Conflict):
        redo_change(user=user, table_id=table.pk, change_id=change)


def restore_before_last_step(user: User, table: Table, change: int) -> None:
    undo_change(user=user, table_id=table.pk, change_id=change)
    last = Change.objects.get(table=table, version=get_table(user, table.pk).version - 1)
    restore_as_of(user=user, table_id=table.pk, change_id=last.pk)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("step", [undo, redo_in_force, restore_before_last_step])
def test_queries_do_not_grow_with_chained_undo_and_redo(user: User, jobs: Table, apply_rows: Apply, step: Any) -> None:
    def queries(length: int) -> int:
        change = apply_rows({"action": "add", "data": {"Company": "D"}}).change
        assert change is not None
        Change.objects.filter(pk=change).update(proposal_id=uuid4())
        for number in range(length):
            turn = redo_change if number % 2 else undo_change
            turn(user=user, table_id=jobs.pk, change_id=change)
        with CaptureQueriesContext(connection) as sent:
            step(user, jobs, change)
        return len(sent)

    assert queries(2) == queries(12)
