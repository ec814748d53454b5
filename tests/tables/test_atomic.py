"""Writes are atomic at every statement, and concurrent writers lose no updates."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, connections, transaction
from django.utils import timezone

from chat.services import apply_payload
from tables.exceptions import Conflict, Outdated
from tables.models import Table
from tables.operations import Choice, Origin
from tables.selectors import get_row, read_rows, table_shape
from tables.services import (
    accept_invitation,
    add_rows,
    apply_data,
    apply_schema,
    change_columns,
    change_member,
    change_rows,
    copy_linked_table,
    create_link,
    create_table,
    decline_invitation,
    delete_rows,
    duplicate_table,
    invite,
    prepare_data,
    prepare_schema,
    redo_change,
    remove_link,
    remove_member,
    renew_invitation,
    restore_table,
    trash_table,
    undo_change,
    update_rows,
    upsert_rows,
    withdraw_invitation,
)
from tests.stored_proposals import rows_proposal
from tests.tables.shared_table import make_member
from tests.tables.snapshots import stored_rows

pytestmark = pytest.mark.slow

API = Origin("api")
A_COLUMN = [{"name": "A", "type": "text"}]
Json = dict[str, Any]
Act = Callable[[], Any]


class StatementFailed(Exception):
    """The error of the statement that fails."""


class CountedStatements:
    """An execute wrapper that counts statements, without savepoints, and fails the one with the number `failing`."""

    def __init__(self, failing: int = 0) -> None:
        self.failing = failing
        self.count = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "SAVEPOINT" not in sql:
            self.count += 1
            if self.count == self.failing:
                raise StatementFailed
        return execute(sql, params, many, context)


def count_statements(act: Act) -> int:
    """Return the number of statements of a write, which is rolled back."""
    statements = CountedStatements()
    with transaction.atomic(), connection.execute_wrapper(statements):
        act()
        transaction.set_rollback(True)
    return statements.count


def stored_state() -> dict[str, list[Any]]:
    """Return all stored rows of tables and chat."""
    return stored_rows(model for app in ("tables", "chat") for model in apps.get_app_config(app).get_models())


def writing(table: Table, *, ids: list[int], user: User) -> dict[str, Act]:
    """Return all services that write rows and columns."""
    new, known = {"Company": "New"}, {"Company": "Acme", "Salary": 5}
    rows = [
        {"action": "add", "data": new},
        {"action": "update", "row_id": ids[0], "changes": {"Salary": 1}},
        {"action": "delete", "row_id": ids[1]},
    ]
    columns = [
        {"action": "add", "column": {"name": "Size", "type": "number"}},
        {"action": "modify", "column_id": "Salary", "changes": {"type": "text"}},
        {"action": "remove", "column_id": "Note"},
    ]
    mine: Json = {"user": user, "table_id": table.pk}
    data = prepare_data(**mine, proposal={"operations": rows})
    schema = prepare_schema(**mine, proposal={"mode": "update", "operations": columns, "table_name": "Work"})
    create = {"mode": "create", "table_name": "T", "table_description": "D", "operations": columns[:1]}
    created = prepare_schema(user=user, table_id=None, proposal={**create, "sample_rows": [{"Size": 1}]})
    sampled = Choice(include_sample_rows=True)
    payload = rows_proposal(user, *rows, table_id=table.pk)
    choice = {"operations": "all"}
    return {
        "a proposal for rows": lambda: apply_data(user=user, prepared=data, choice=Choice(), origin=API),
        "a proposal for columns": lambda: apply_schema(user=user, prepared=schema, choice=Choice(), origin=API),
        "a proposal for a table": lambda: apply_schema(user=user, prepared=created, choice=sampled, origin=API),
        "a stored proposal": lambda: apply_payload(user=user, payload_id=payload.pk, choice=choice, now=timezone.now()),
        "rows at once": lambda: change_rows(**mine, proposal={"operations": rows}, origin=API),
        "columns at once": lambda: change_columns(
            **mine, proposal={"mode": "update", "operations": columns}, choice=Choice(), origin=API
        ),
        "new rows": lambda: add_rows(**mine, rows=[new, new], origin=API),
        "changed rows": lambda: update_rows(**mine, rows=[{"id": ids[0], "data": new}], origin=API),
        "deleted rows": lambda: delete_rows(**mine, row_ids=ids[:2], origin=API),
        "an upsert": lambda: upsert_rows(**mine, merge_on=["Company"], rows=[new, known], origin=API),
    }


def moving(table: Table, *, ids: list[int], user: User) -> dict[str, Act]:
    """Return all services that undo and redo, and that create, copy and delete tables."""
    mine: Json = {"user": user, "table_id": table.pk}
    undone = delete_rows(**mine, row_ids=ids[2:], origin=API).change
    undo_change(**mine, change_id=undone)
    done = update_rows(**mine, rows=[{"id": ids[0], "data": {"Note": "n"}}], origin=API).change
    other = create_table(user=user, name="Other", columns=A_COLUMN, origin=API)
    trash_table(user=user, table_id=other.pk, origin=API)
    link = create_link(**mine, expires_at=None, now=timezone.now())
    return {
        "an undo": lambda: undo_change(**mine, change_id=done),
        "a redo": lambda: redo_change(**mine, change_id=undone),
        "a new table": lambda: create_table(user=user, name="T", columns=A_COLUMN, rows=[{"A": "x"}], origin=API),
        "a table in the trash": lambda: trash_table(**mine, origin=API),
        "a table out of the trash": lambda: restore_table(user=user, table_id=other.pk, origin=API),
        "a copy": lambda: duplicate_table(**mine, origin=API),
        "a copy by a link": lambda: copy_linked_table(user=user, token=link.token, origin=API, now=timezone.now()),
    }


def sharing(table: Table, *, ids: list[int], user: User) -> dict[str, Act]:
    """Return all services that share tables and end sharing."""
    mine: Json = {"user": user, "table_id": table.pk}
    mary, edith = (User.objects.create_user(name) for name in ("mary", "edith"))
    make_member(table, mary, role="viewer")
    now = timezone.now()
    link = invite(**mine, kind="link", role="viewer", now=now)
    named = invite(**mine, kind="user", name="edith", role="viewer", now=now).invitation
    create_link(**mine, expires_at=None, now=timezone.now())
    return {
        "another role": lambda: change_member(**mine, name=mary.username, role="editor"),
        "a member less": lambda: remove_member(**mine, name=mary.username),
        "an invitation": lambda: invite(**mine, kind="user", name="mona", role="viewer", now=now),
        "an invitation sent again": lambda: renew_invitation(**mine, invitation_id=link.invitation.pk, now=now),
        "an invitation accepted": lambda: accept_invitation(user=edith, key=link.token, now=now),
        "an invitation declined": lambda: decline_invitation(user=edith, key=named.pk, now=now),
        "an invitation withdrawn": lambda: withdraw_invitation(**mine, invitation_id=named.pk),
        "another link": lambda: create_link(**mine, expires_at=None, now=timezone.now()),
        "a link less": lambda: remove_link(**mine),
    }


SERVICES = {
    **dict.fromkeys(
        ("a proposal for rows", "a proposal for columns", "a proposal for a table", "a stored proposal",
         "rows at once", "columns at once", "new rows", "changed rows", "deleted rows", "an upsert"), writing),
    **dict.fromkeys(
        ("an undo", "a redo", "a new table", "a table in the trash", "a table out of the trash", "a copy",
         "a copy by a link"), moving),
    **dict.fromkeys(
        ("another role", "a member less", "an invitation", "an invitation sent again", "an invitation accepted",
         "an invitation declined", "an invitation withdrawn", "another link", "a link less"), sharing),
}  # fmt: skip


# All of them write in transactions of the same kind: on PostgreSQL, some of each kind are enough.
ON_POSTGRESQL = {"a proposal for columns", "a stored proposal", "an upsert", "an undo", "an invitation accepted"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ON_POSTGRESQL else pytest.mark.sqlite_only) for name in SERVICES],
)
def test_a_failure_at_any_statement_writes_nothing(user: User, jobs: Table, name: str) -> None:
    act = SERVICES[name](jobs, ids=[row.id for row in read_rows(jobs)], user=user)[name]
    count_statements(act)  # fills caches
    before, count = stored_state(), count_statements(act)
    for number in range(1, count + 1):
        with connection.execute_wrapper(CountedStatements(failing=number)), pytest.raises(StatementFailed):
            act()
    # What stays of one failure is not removed by the next.
    assert stored_state() == before
    assert count > 2
    act()
    assert stored_state() != before


@pytest.mark.sqlite_only
def test_all_writing_services_are_tested(user: User, jobs: Table) -> None:
    ids = [row.id for row in read_rows(jobs)]
    for kind in (writing, moving, sharing):
        assert {name for name, found in SERVICES.items() if found is kind} == kind(jobs, ids=ids, user=user).keys()
        ids = [row.id for row in read_rows(jobs)]


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Return the results of `work(0)`, `work(1)`, … in threads."""

    def closing(number: int) -> Any:
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(closing, range(count)))


@pytest.fixture
def counter(transactional_db: None) -> tuple[User, Table, int]:
    """Create a table with one row that counts from 0."""
    user = User.objects.create_user("ada")
    columns = [{"name": "N", "type": "number"}]
    table = create_table(user=user, name="Counter", columns=columns, rows=[{"N": 0}], origin=API)
    return user, table, read_rows(table)[0].id


@pytest.mark.postgres_only
def test_no_update_is_lost_with_expected_versions(counter: tuple[User, Table, int]) -> None:
    user, table, row = counter
    column = table_shape(table).columns[0].id

    def count_on(_number: int) -> None:
        done = 0
        while done < 10:
            seen = get_row(table, row)
            change = {"id": row, "data": {"N": seen.data[column] + 1}, "version": seen.version}
            try:
                update_rows(user=user, table_id=table.pk, rows=[change], origin=API)
                done += 1
            except Outdated:
                continue

    in_threads(4, count_on)
    assert get_row(table, row).data[column] == 40


def test_no_update_is_lost_with_expected_values(counter: tuple[User, Table, int]) -> None:
    user, table, row = counter
    column = table_shape(table).columns[0].id

    def add_own(number: int) -> None:
        # Each writer has its own values, because two writers of the same value would both succeed.
        done = 0
        while done < 10:
            seen = get_row(table, row).data[column]
            change = {"id": row, "data": {"N": seen + 100**number}, "expected": {"N": seen}}
            try:
                update_rows(user=user, table_id=table.pk, rows=[change], origin=API)
                done += 1
            except Conflict:
                continue

    in_threads(4, add_own)
    assert get_row(table, row).data[column] == 10 * (1 + 100 + 100**2 + 100**3)


def test_concurrent_undos_undo_a_change_once(counter: tuple[User, Table, int]) -> None:
    user, table, row = counter
    change = update_rows(user=user, table_id=table.pk, rows=[{"id": row, "data": {"N": 5}}], origin=API).change

    def undo(_number: int) -> str:
        try:
            undo_change(user=user, table_id=table.pk, change_id=change)
        except Conflict as error:
            return error.code
        return "undone"

    assert sorted(in_threads(6, undo)) == ["already_undone"] * 5 + ["undone"]
