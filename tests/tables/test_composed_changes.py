"""Changes of many rows are composed before the table is locked, and recomposed for rows changed since."""

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
    ComposedData,
    ComposedSchema,
    Decisions,
    ReadProposal,
    ReadSchema,
    add_rows,
    apply_data,
    apply_schema,
    change_columns,
    change_rows,
    compose_data,
    compose_schema,
    delete_rows,
    prepare_data,
    prepare_schema,
    read_columns_unlocked,
    read_unlocked,
    undo_change,
    update_rows,
)
from tables.services.rows.direct_changes import MAX_COMPOSED_LOCKED
from tests.conftest import Api
from tests.stored_proposals import apply_url, columns_proposal, rows_proposal
from tests.tables.snapshots import snapshot

API = Origin("api")
# The same is composed on every database; on PostgreSQL the requests run, and random sequences in tests/flows/stateful.
every_decision = pytest.mark.sqlite_only
Json = dict[str, Any]
Meanwhile = Callable[[User, Table, list[int]], Any]


def all_kinds(ids: list[int]) -> Json:
    """Return more operations than are composed under the lock."""
    new = [{"action": "add", "data": {"Company": f"Dune {number}"}} for number in range(MAX_COMPOSED_LOCKED)]
    beside = {"action": "add", "data": {"Company": "Ergo"}, "after_row_id": ids[0]}
    update = {"action": "update", "row_id": ids[0], "changes": {"Salary": 1, "Status": "open"}}
    return {"operations": [*new, beside, update, {"action": "delete", "row_id": ids[1]}]}


COLUMNS: list[Json] = [
    {"action": "add", "column": {"name": "Size", "type": "number"}},
    {"action": "modify", "column_id": "Salary", "changes": {"type": "text", "name": "Pay per year"}},
    {"action": "remove", "column_id": "Note"},
]


def changed(user: User, table: Table, row_id: int, **data: Any) -> None:
    update_rows(user=user, table_id=table.pk, rows=[{"id": row_id, "data": data}], origin=API)


def deleted(user: User, table: Table, row_id: int) -> None:
    delete_rows(user=user, table_id=table.pk, row_ids=[row_id], origin=API)


def columns_changed(user: User, table: Table, *operations: Json) -> None:
    proposal = {"mode": "update", "operations": list(operations)}
    change_columns(user=user, table_id=table.pk, proposal=proposal, choice=Choice(on_empty_cells="keep"), origin=API)


def deleted_and_restored(user: User, table: Table, row_id: int) -> None:
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
    "a row to change is deleted and comes back": lambda user, table, ids: deleted_and_restored(user, table, ids[0]),
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


def outcome_of(act: Callable[[], Any], *, table: Table, known: set[int]) -> Any:
    """Return the table after `act`, which is rolled back, or its error; without the ids of new rows."""
    try:
        with transaction.atomic():
            act()
            state = snapshot(table.pk)
            transaction.set_rollback(True)
    except TablesError as error:
        return error.code, error.faults
    state["rows"] = [(row_id if row_id in known else None, *rest) for row_id, *rest in state["rows"]]
    return state


@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE.keys())
def test_a_composed_request_has_the_result_of_a_new_one(
    user: User, jobs: Table, meanwhile: Meanwhile
) -> None:
    ids = [row.id for row in read_rows(jobs)]
    arguments: Any = {"user": user, "table_id": jobs.pk, "proposal": all_kinds(ids), "decisions": Decisions()}
    read = read_unlocked(**arguments)
    assert read is not None
    meanwhile(user, jobs, ids)
    rows = {row.id for row in read_rows(get_table(user, jobs.pk))}

    def outcome(composed: ReadProposal | None) -> Any:
        return outcome_of(lambda: change_rows(**arguments, origin=API, read=composed), table=jobs, known=rows)

    assert outcome(read) == outcome(None)


@every_decision
@pytest.mark.parametrize("decision", ["", "skip", "overwrite"])
@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE.keys())
def test_a_composed_proposal_has_the_result_of_a_new_one(
    user: User, jobs: Table, meanwhile: Meanwhile, decision: str
) -> None:
    ids = [row.id for row in read_rows(jobs)]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=all_kinds(ids))
    last = len(prepared["operations"]) - 1
    choice = Choice(operations=tuple(range(1, last + 1)), edits={1: {"Salary": 7}}, on_conflict=decision)
    arguments: Any = {"user": user, "prepared": prepared, "choice": choice}
    composed = compose_data(**arguments)
    assert composed is not None
    meanwhile(user, jobs, ids)
    rows = {row.id for row in read_rows(get_table(user, jobs.pk))}

    def outcome(composed: ComposedData | None) -> Any:
        return outcome_of(lambda: apply_data(**arguments, origin=API, composed=composed), table=jobs, known=rows)

    assert outcome(composed) == outcome(None)


def test_a_composed_proposal_does_not_read_cells_again_after_other_changes(
    user: User, jobs: Table
) -> None:
    ids = [row.id for row in read_rows(jobs)]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=all_kinds(ids))
    arguments: Any = {"user": user, "prepared": prepared, "choice": Choice()}
    composed = compose_data(**arguments)
    changed(user, jobs, ids[2], Salary=2)
    with CaptureQueriesContext(connection) as sent:
        apply_data(**arguments, origin=API, composed=composed)
    assert [query["sql"] for query in sent.captured_queries if '"tables_row"."data"' in query["sql"]] == []


@every_decision
@pytest.mark.parametrize("decision", ["", "skip"])
@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE.keys())
def test_a_composed_column_proposal_has_the_result_of_a_new_one(
    user: User, jobs: Table, meanwhile: Meanwhile, decision: str
) -> None:
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal={"mode": "update", "operations": COLUMNS})
    arguments: Any = {"user": user, "prepared": prepared, "choice": Choice(on_conflict=decision)}
    composed = compose_schema(**arguments)
    assert composed is not None
    meanwhile(user, jobs, [row.id for row in read_rows(jobs)])
    rows = {row.id for row in read_rows(get_table(user, jobs.pk))}

    def outcome(composed: ComposedSchema | None) -> Any:
        return outcome_of(lambda: apply_schema(**arguments, origin=API, composed=composed), table=jobs, known=rows)

    assert outcome(composed) == outcome(None)


@every_decision
@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE.keys())
def test_a_composed_change_of_columns_has_the_result_of_a_new_one(
    user: User, jobs: Table, meanwhile: Meanwhile
) -> None:
    proposal = {"mode": "update", "operations": COLUMNS}
    arguments: Any = {"user": user, "table_id": jobs.pk, "proposal": proposal, "choice": Choice()}
    read = read_columns_unlocked(**arguments)
    assert read is not None
    meanwhile(user, jobs, [row.id for row in read_rows(jobs)])
    rows = {row.id for row in read_rows(get_table(user, jobs.pk))}

    def outcome(read: ReadSchema | None) -> Any:
        def act() -> None:
            change_columns(**arguments, origin=API, read=read)

        state = outcome_of(act, table=jobs, known=rows)
        if isinstance(state, dict):
            # The new column has another id each time.
            return [(column["name"], column["type"]) for column in state["columns"]], len(state["rows"])
        return state

    assert outcome(read) == outcome(None)


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a-key"}], ids=["without a key", "with a key"])
@pytest.mark.parametrize("about", ["rows", "columns"])
def test_a_stored_proposal_is_read_and_composed_before_its_transaction(
    api: Api, user: User, jobs: Table, about: str, headers: dict[str, str]
) -> None:
    if about == "rows":
        ids = [row.id for row in read_rows(jobs)]
        payload = rows_proposal(user, *all_kinds(ids)["operations"], table_id=jobs.pk)
    else:
        payload = columns_proposal(user, *COLUMNS, table_id=jobs.pk)
    with CaptureQueriesContext(connection) as sent:
        answer = api.client.post(
            apply_url(payload), {"operations": "all"}, content_type="application/json", headers=headers
        )
    assert answer.status_code == 200, answer.content
    statements = [query["sql"] for query in sent.captured_queries]
    begun = next(n for n, statement in enumerate(statements) if statement.startswith("SAVEPOINT"))
    long = ("SELECT id, version FROM tables_row", '"tables_row"."data"', '"chat_payload"."data"', "chat_resolution")
    read = [n for n, sql in enumerate(statements) if sql.startswith("SELECT") and any(one in sql for one in long)]
    written = [n for n, statement in enumerate(statements) if "tables_changepiece" in statement]
    assert [n for n in read if n > begun] == []
    assert read
    assert min(written) > begun


def added(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "rows/", {"rows": [{"Company": f"Dune {number}"} for number in range(10)]}


def added_with_options(ids: list[int]) -> tuple[str, str, Json]:
    rows = [{"Company": f"Dune {number}", "Status": "Paused"} for number in range(10)]
    return "post", "rows/?create_options=true", {"rows": rows}


def added_where_valid(ids: list[int]) -> tuple[str, str, Json]:
    rows = [{"Company": f"Dune {number}", "Salary": "much"} for number in range(10)]
    return "post", "rows/?on_invalid=skip&typecast=true", {"rows": rows}


def updated(ids: list[int]) -> tuple[str, str, Json]:
    rows: list[Json] = [{"id": row_id, "data": {"Salary": 1}} for row_id in ids]
    new: list[Json] = [{"id": None, "data": {"Company": "Dune"}}] * MAX_COMPOSED_LOCKED
    return "patch", "rows/", {"rows": rows + new}


def updated_where_valid(ids: list[int]) -> tuple[str, str, Json]:
    method, below, body = updated(ids)
    return method, f"{below}?on_invalid=skip&typecast=true", body


def deleted_by_id(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "rows/delete/", {"ids": ids}


def merged(ids: list[int]) -> tuple[str, str, Json]:
    rows = [{"Company": "Acme", "Salary": 1}, *({"Company": f"Dune {number}"} for number in range(10))]
    return "put", "rows/", {"merge_on": ["Company"], "rows": rows}


def proposed(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "proposals/data/", all_kinds(ids)


def column_retyped(ids: list[int]) -> tuple[str, str, Json]:
    return "patch", "columns/Salary/", {"type": "text"}


def column_copied(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "columns/", {"name": "Copy", "copy_of": "Salary"}


def column_removed(ids: list[int]) -> tuple[str, str, Json]:
    return "delete", "columns/Salary/", {}


def columns_proposed(ids: list[int]) -> tuple[str, str, Json]:
    return "post", "proposals/schema/", {"mode": "update", "operations": COLUMNS}


REQUESTS = [
    *(added, added_with_options, added_where_valid, updated, updated_where_valid),
    *(deleted_by_id, merged, proposed),
    # On PostgreSQL they read rows by server-side cursors, whose statements are not captured.
    *(
        pytest.param(door, marks=pytest.mark.sqlite_only)
        for door in (column_retyped, column_copied, column_removed, columns_proposed)
    ),
]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a-key"}], ids=["without a key", "with a key"])
@pytest.mark.parametrize("door", REQUESTS)
def test_transactions_only_write(
    api: Api, user: User, jobs: Table, door: Any, headers: dict[str, str]
) -> None:
    add_rows(user=user, table_id=jobs.pk, rows=[{"Company": "Fjord"}] * MAX_COMPOSED_LOCKED, origin=API)
    method, below, body = door([row.id for row in read_rows(jobs)])
    with CaptureQueriesContext(connection) as sent:
        answer = getattr(api.client, method)(
            f"/api/tables/{jobs.pk}/{below}", body, content_type="application/json", headers=headers
        )
    assert answer.status_code in (200, 201), answer.content
    statements = [query["sql"] for query in sent.captured_queries]
    begun = next(n for n, statement in enumerate(statements) if statement.startswith("SAVEPOINT"))
    reads = ("SELECT id, version FROM tables_row", '"tables_row"."data"')
    cells = [n for n, sql in enumerate(statements) if sql.startswith("SELECT") and any(one in sql for one in reads)]
    written = [n for n, statement in enumerate(statements) if "tables_changepiece" in statement]
    assert [n for n in cells if n > begun] == []
    assert (bool(cells), min(written) > begun) == (door not in (added, added_with_options, added_where_valid), True)
