"""Changes of many rows are composed before the table is locked, and again for the rows that have changed since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tables.exceptions import TablesError
from tables.models import Change, Table
from tables.operations import Choice, Origin
from tables.selectors import get_table, read_rows
from tables.services import (
    Decisions,
    ReadProposal,
    add_rows,
    change_columns,
    change_rows,
    delete_rows,
    read_unlocked,
    undo_change,
    update_rows,
)
from tables.services.direct_changes import MAX_COMPOSED_LOCKED
from tests.conftest import Api
from tests.tables.snapshots import snapshot

API = Origin("api")
Json = dict[str, Any]
Meanwhile = Callable[[User, Table, list[int]], Any]


def all_kinds(ids: list[int]) -> Json:
    """More operations than are composed under the lock."""
    new = [{"action": "add", "data": {"Company": f"Dune {number}"}} for number in range(MAX_COMPOSED_LOCKED)]
    beside = {"action": "add", "data": {"Company": "Ergo"}, "after_row_id": ids[0]}
    update = {"action": "update", "row_id": ids[0], "changes": {"Salary": 1, "Status": "open"}}
    return {"operations": [*new, beside, update, {"action": "delete", "row_id": ids[1]}]}


def changed(user: User, table: Table, row_id: int, **data: Any) -> None:
    update_rows(user=user, table_id=table.pk, rows=[{"id": row_id, "data": data}], origin=API)


def deleted(user: User, table: Table, row_id: int) -> None:
    delete_rows(user=user, table_id=table.pk, row_ids=[row_id], origin=API)


def columns_changed(user: User, table: Table, *operations: Json) -> None:
    proposal = {"mode": "update", "operations": list(operations)}
    change_columns(user=user, table_id=table.pk, proposal=proposal, choice=Choice(), origin=API)


def deleted_and_back(user: User, table: Table, row_id: int) -> None:
    deleted(user, table, row_id)
    undo_change(user=user, table_id=table.pk, change_id=Change.objects.latest("pk").pk)


MEANWHILE: dict[str, Meanwhile] = {
    "nothing": lambda user, table, ids: None,
    "another row is changed": lambda user, table, ids: changed(user, table, ids[2], Salary=2),
    "another row is added": lambda user, table, ids: add_rows(
        user=user, table_id=table.pk, rows=[{"Company": "Fjord"}], origin=API
    ),
    "the same cell is changed": lambda user, table, ids: changed(user, table, ids[0], Salary=2),
    "another cell is changed": lambda user, table, ids: changed(user, table, ids[0], Note="new"),
    "the cell gets the new value": lambda user, table, ids: changed(user, table, ids[0], Salary=1, Status="Open"),
    "a row to delete is changed": lambda user, table, ids: changed(user, table, ids[1], Salary=2),
    "a row to delete is deleted": lambda user, table, ids: deleted(user, table, ids[1]),
    "a row to change is deleted": lambda user, table, ids: deleted(user, table, ids[0]),
    "a row to change is deleted and comes back": lambda user, table, ids: deleted_and_back(user, table, ids[0]),
    "a column is renamed": lambda user, table, ids: columns_changed(
        user, table, {"action": "modify", "column_id": "Salary", "changes": {"name": "Pay"}}
    ),
    "a column gets another type": lambda user, table, ids: columns_changed(
        user, table, {"action": "modify", "column_id": "Salary", "changes": {"type": "text"}}
    ),
    "a required column is added": lambda user, table, ids: columns_changed(
        user, table, {"action": "add", "column": {"name": "Due", "type": "date", "required": True}}
    ),
}


@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE.keys())
def test_what_was_composed_does_what_it_would_do_if_it_were_composed_now(
    user: User, jobs: Table, meanwhile: Meanwhile
) -> None:
    ids = [row.id for row in read_rows(jobs)]
    asked: Any = {"user": user, "table_id": jobs.pk, "proposal": all_kinds(ids), "decisions": Decisions()}
    read = read_unlocked(**asked)
    assert read is not None
    meanwhile(user, jobs, ids)
    rows = {row.id for row in read_rows(get_table(user, jobs.pk))}

    def outcome(composed: ReadProposal | None) -> Any:
        try:
            with transaction.atomic():
                change_rows(**asked, origin=API, read=composed)
                state = snapshot(jobs.pk)
                transaction.set_rollback(True)
        except TablesError as error:
            return error.code, error.faults
        # New rows have other ids each time.
        for part in ("rows", "digests"):
            state[part] = [(row_id if row_id in rows else None, *rest) for row_id, *rest in state[part]]
        return state

    assert outcome(read) == outcome(None)


def added(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "rows/", {"rows": [{"Company": f"Dune {number}"} for number in range(10)]}


def updated(ids: list[int]) -> tuple[str, str, Json]:
    rows: list[Json] = [{"id": row_id, "data": {"Salary": 1}} for row_id in ids]
    new: list[Json] = [{"id": None, "data": {"Company": "Dune"}}] * MAX_COMPOSED_LOCKED
    return "patch", "rows/", {"rows": rows + new}


def proposed(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "proposals/data/", all_kinds(ids)


@pytest.mark.parametrize("door", [added, updated, proposed])
def test_rows_are_not_read_and_only_written_in_a_transaction(api: Api, jobs: Table, door: Any) -> None:
    method, below, body = door([row.id for row in read_rows(jobs)])
    with CaptureQueriesContext(connection) as sent:
        answer = getattr(api, method)(f"/api/tables/{jobs.pk}/{below}", body)
    assert answer.status_code in (200, 201), answer.content
    statements = [each["sql"] for each in sent.captured_queries]
    begun = next(n for n, each in enumerate(statements) if each.startswith("SAVEPOINT"))
    columns = [n for n, each in enumerate(statements) if each.startswith("SELECT") and '"tables_column"."name"' in each]
    cells = [n for n, each in enumerate(statements) if each.startswith("SELECT") and '"tables_row"."data"' in each]
    assert columns[0] < begun
    assert [n for n in (*columns, *cells) if n > begun] == []
