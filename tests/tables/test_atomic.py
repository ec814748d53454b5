"""All or nothing at every statement, and nobody's work lost among many writers."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections

from tables.exceptions import Conflict, Outdated
from tables.models import Change, Row, Table
from tables.operations import Choice, Origin
from tables.selectors import get_row, read_rows, table_shape
from tables.services import (
    apply_data,
    apply_schema,
    create_table,
    prepare_data,
    prepare_schema,
    undo_change,
    update_rows,
)
from tests.tables.snapshots import snapshot

API = Origin("api")


class Cut(Exception):
    """The statement that was not let through."""


def cut_at(number: int) -> Callable[..., Any]:
    """An execute wrapper that fails the statement of this number, savepoints not counted."""
    seen = 0

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal seen
        if "SAVEPOINT" in sql:
            return execute(sql, params, many, context)
        seen += 1
        if seen == number:
            raise Cut
        return execute(sql, params, many, context)

    return wrapper


def everything(table_id: int) -> tuple[Any, ...]:
    """The table, and how much of anything there is."""
    counts = [model.objects.count() for model in (Table, Row, Change)]
    return snapshot(table_id), Table.objects.get(pk=table_id).version, counts


def actions(user: User, table: Table) -> dict[str, Callable[[], Any]]:
    """One of each kind of write."""
    first, second, third = (row.id for row in read_rows(table))
    rows = [
        {"action": "add", "data": {"Company": "New"}},
        {"action": "update", "row_id": first, "changes": {"Salary": 1}},
        {"action": "delete", "row_id": second},
    ]
    columns = [
        {"action": "add", "column": {"name": "Size", "type": "number"}},
        {"action": "modify", "column_id": "Salary", "changes": {"type": "text"}},
        {"action": "remove", "column_id": "Note"},
    ]
    data = prepare_data(user=user, table_id=table.pk, proposal={"operations": rows})
    schema = prepare_schema(user=user, table_id=table.pk, proposal={"mode": "update", "operations": columns})
    change = update_rows(user=user, table_id=table.pk, rows=[{"id": third, "data": {"Note": "n"}}], origin=API)
    return {
        "rows": lambda: apply_data(user=user, prepared=data, choice=Choice(), origin=API),
        "columns": lambda: apply_schema(user=user, prepared=schema, choice=Choice(), origin=API),
        "undo": lambda: undo_change(user=user, table_id=table.pk, change_id=change.change),
        "create": lambda: create_table(
            user=user, name="T", columns=[{"name": "A", "type": "text"}], rows=[{"A": "x"}], origin=API
        ),
    }


@pytest.mark.parametrize("name", ["rows", "columns", "undo", "create"])
def test_a_failure_at_any_statement_leaves_nothing_behind(user: User, jobs: Table, name: str) -> None:
    act = actions(user, jobs)[name]
    before = everything(jobs.pk)
    number = 0
    while True:
        number += 1
        try:
            with connection.execute_wrapper(cut_at(number)):
                act()
            break
        except Cut:
            assert everything(jobs.pk) == before, f"something stayed of a write cut at statement {number}"
    assert number > 5
    assert everything(jobs.pk) != before


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(0)`, `work(1)`, … gave in threads of their own."""

    def closing(number: int) -> Any:
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(closing, range(count)))


@pytest.fixture
def counter(transactional_db: None) -> tuple[User, Table, int]:
    """A table with one row that counts from 0."""
    user = User.objects.create_user("ada")
    columns = [{"name": "N", "type": "number"}]
    table = create_table(user=user, name="Counter", columns=columns, rows=[{"N": 0}], origin=API)
    return user, table, read_rows(table)[0].id


def test_no_update_is_lost_among_writers_who_name_the_version_they_saw(counter: tuple[User, Table, int]) -> None:
    user, table, row = counter
    column = table_shape(table).columns[0].id

    def count_on(_number: int) -> None:
        done = 0
        while done < 10:
            seen = get_row(table, row)
            change = {"id": row, "data": {"N": seen.data[column] + 1}}
            try:
                update_rows(user=user, table_id=table.pk, rows=[change], origin=API, version=seen.version)
                done += 1
            except Outdated:
                continue

    in_threads(4, count_on)
    assert get_row(table, row).data[column] == 40


def test_no_update_is_lost_among_writers_who_say_what_they_expect(counter: tuple[User, Table, int]) -> None:
    user, table, row = counter
    column = table_shape(table).columns[0].id

    def add_own(number: int) -> None:
        # Each writer's values are its own: two who want the same are both content.
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


def test_a_change_is_undone_once_however_many_ask_at_the_same_time(counter: tuple[User, Table, int]) -> None:
    user, table, row = counter
    change = update_rows(user=user, table_id=table.pk, rows=[{"id": row, "data": {"N": 5}}], origin=API).change

    def undo(_number: int) -> str:
        try:
            undo_change(user=user, table_id=table.pk, change_id=change)
        except Conflict as error:
            return error.code
        return "undone"

    assert sorted(in_threads(6, undo)) == ["already_undone"] * 5 + ["undone"]
