"""Upserts match keys before the table is locked, and again for rows changed since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.exceptions import Invalid
from tables.models import Table
from tables.operations import Choice, Origin
from tables.selectors import get_table, read_rows, table_shape
from tables.services import add_rows, change_columns, delete_rows, read_upsert, update_rows, upsert_rows
from tables.services.pipeline.row_lookup import MAX_RECHECKED_ROWS
from tests.conftest import Api

API = Origin("api")
ROWS = [{"Company": "Crux", "Note": "seen"}, {"Company": "Dune", "Note": "new"}]
Meanwhile = Callable[[User, Table, list[int]], Any]


def named(user: User, table: Table, row_id: int, name: str) -> None:
    update_rows(user=user, table_id=table.pk, rows=[{"id": row_id, "data": {"Company": name}}], origin=API)


def added(user: User, table: Table, *names: str) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": name} for name in names], origin=API)


def renamed(user: User, table: Table, ids: list[int]) -> None:
    swap = [
        {"action": "modify", "column_id": "Note", "changes": {"name": "Company"}},
        {"action": "modify", "column_id": "Company", "changes": {"name": "Note"}},
    ]
    change_columns(
        user=user, table_id=table.pk, proposal={"mode": "update", "operations": swap}, choice=Choice(), origin=API
    )


# Changes between reading and locking, with the rows of the request that are then added.
MEANWHILE: dict[str, tuple[Meanwhile, list[bool]]] = {
    "nothing": (lambda user, table, ids: None, [False, True]),
    "a row gets the key": (lambda user, table, ids: named(user, table, ids[0], "Dune"), [False, False]),
    "a row is added with the key": (lambda user, table, ids: added(user, table, "Dune"), [False, False]),
    "a row loses the key": (lambda user, table, ids: named(user, table, ids[2], "Core"), [True, True]),
    "the row is deleted": (
        lambda user, table, ids: delete_rows(user=user, table_id=table.pk, row_ids=[ids[2]], origin=API),
        [True, True],
    ),
    "another row is changed": (lambda user, table, ids: named(user, table, ids[0], "Core"), [False, True]),
    "more rows change than are compared under the lock": (
        lambda user, table, ids: added(user, table, *["Ergo"] * MAX_RECHECKED_ROWS, "Dune"),
        [False, False],
    ),
    "the columns swap names": (renamed, [True, True]),
}


@pytest.mark.parametrize(("meanwhile", "expected"), MEANWHILE.values(), ids=MEANWHILE.keys())
def test_keys_are_matched_under_the_lock(
    user: User, jobs: Table, meanwhile: Meanwhile, expected: list[bool]
) -> None:
    ids = [row.id for row in read_rows(jobs)]
    arguments: Any = {"user": user, "table_id": jobs.pk, "merge_on": ["Company"], "rows": ROWS}
    found = read_upsert(**arguments)
    meanwhile(user, jobs, ids)

    applied, are_new = upsert_rows(**arguments, origin=API, found=found)

    assert are_new == expected
    table = get_table(user, jobs.pk)
    columns = {column.name: column.id for column in table_shape(table).columns}
    rows = {row.id: row.data for row in read_rows(table, limit=10_000)}
    for entry, sent in zip(applied.applied, ROWS, strict=True):
        assert {name: rows[entry["row_id"]].get(columns[name]) for name in sent} == sent


def test_keys_that_became_ambiguous_are_refused(user: User, jobs: Table) -> None:
    arguments: Any = {"user": user, "table_id": jobs.pk, "merge_on": ["Company"], "rows": ROWS}
    found = read_upsert(**arguments)
    added(user, jobs, "Crux")
    with pytest.raises(Invalid) as refused:
        upsert_rows(**arguments, origin=API, found=found)
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [("rows[0]", "many_matches")]


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "a-key"}], ids=["without a key", "with a key"])
def test_keys_are_searched_before_the_transaction(api: Api, jobs: Table, key: dict[str, str]) -> None:
    with CaptureQueriesContext(connection) as sent:
        answer = api.client.put(
            f"/api/tables/{jobs.pk}/rows/", {"merge_on": ["Company"], "rows": ROWS},
            content_type="application/json", headers=key,
        )  # fmt: skip
    assert answer.status_code == 200, answer.json()
    statements = [query["sql"] for query in sent.captured_queries]
    begun = next(n for n, statement in enumerate(statements) if statement.startswith("SAVEPOINT"))
    looked = ['FROM "tables_row"' in statement and "Crux" in statement for statement in statements]
    assert (sum(looked[:begun]), sum(looked[begun:])) == (1, 0)


def test_too_many_rows_are_refused(api: Api, jobs: Table) -> None:
    body = {"merge_on": ["Company"], "rows": [{"Company": "Crux"}] * 10_001}
    answers = [
        api.client.put(f"/api/tables/{jobs.pk}/rows/", body, content_type="application/json", headers=headers)
        for headers in ({}, {"Idempotency-Key": "one"})
    ]
    assert [answer.status_code for answer in answers] == [422, 422]
