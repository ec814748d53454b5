"""Changes of many rows wait for their turn before they read rows, and have no effect until then."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import StoredResponse
from shared.db.large_work import LARGE_ROWS, set_large_work_lock
from tables.models import Change, Row, Table
from tests.conftest import Api
from tests.stored_proposals import apply_url, rows_proposal
from tests.tables.sample_tables import write_copies, write_table

COUNT = LARGE_ROWS + 1
READS_CELLS = re.compile(r'^SELECT (?:(?! FROM ).)*"tables_row"\."data"')
Json = dict[str, Any]
# Method, path below that of the table or an absolute one, body.
Request = tuple[str, str, Json]


@pytest.fixture
def table(user: User) -> Table:
    table = write_table(user, [("Company", "text"), ("Salary", "text")], [])
    write_copies(table, {"Company": "Acme", "Salary": "1"}, count=COUNT)
    Table.objects.filter(pk=table.pk).update(next_position=COUNT)
    return table


@pytest.fixture(autouse=True)
def _no_turn() -> Iterator[None]:
    yield
    set_large_work_lock(None)


def update(number: int) -> Json:
    where = {"column": "Company", "op": "eq", "value": "Acme"}
    return {"operations": [{"action": "update", "where": where, "changes": {"Salary": str(number)}}]}


def ids_of(table: Table) -> list[int]:
    return list(table.rows.values_list("pk", flat=True))


def conditional(api: Api, table: Table) -> Request:
    return "POST", "proposals/data/", update(2)


def preview(api: Api, table: Table) -> Request:
    return "POST", "proposals/data/?dry_run=true", update(2)


def updates(api: Api, table: Table) -> Request:
    return "PATCH", "rows/", {"rows": [{"id": pk, "data": {"Salary": "2"}} for pk in ids_of(table)]}


def paste(api: Api, table: Table) -> Request:
    rows = [{"id": pk, "data": {"Salary": "2"}} for pk in ids_of(table)]
    return "PATCH", "rows/?typecast=true&on_invalid=skip", {"rows": rows}


def deletes(api: Api, table: Table) -> Request:
    return "POST", "rows/delete/", {"ids": ids_of(table)}


def upsert(api: Api, table: Table) -> Request:
    return "PUT", "rows/", {"merge_on": ["Company"], "rows": [{"Company": str(number)} for number in range(COUNT)]}


def stored_proposal(api: Api, table: Table) -> Request:
    deletions = [{"action": "delete", "row_id": pk} for pk in ids_of(table)]
    return "POST", apply_url(rows_proposal(table.owner, *deletions, table_id=table.pk)), {"operations": "all"}


def undo(api: Api, table: Table) -> Request:
    change = api.post(f"/api/tables/{table.pk}/proposals/data/", update(2)).json()["change"]
    return "POST", f"changes/{change}/undo/", {}


def redo(api: Api, table: Table) -> Request:
    _, path, _ = undo(api, table)
    api.post(f"/api/tables/{table.pk}/{path}")
    return "POST", path.replace("undo", "redo"), {}


def restore(api: Api, table: Table) -> Request:
    first = api.post(f"/api/tables/{table.pk}/rows/", {"Company": "Bolt"})
    undo(api, table)
    assert first.status_code == 201
    return "POST", f"changes/{Change.objects.earliest('version').pk}/restore/", {}


def conversion(api: Api, table: Table) -> Request:
    column = table.columns.get(name="Salary")
    return "PATCH", f"columns/{column.pk}/", {"type": "number"}


def copies(api: Api, table: Table) -> Request:
    return "POST", "duplicate/", {}


def send(api: Api, table: Table, request: Request, **headers: str) -> Any:
    method, path, body = request
    path = path if path.startswith("/") else f"/api/tables/{table.pk}/{path}"
    return api.client.generic(method, path, json.dumps(body), "application/json", headers=headers)


def stored(table: Table) -> list[Any]:
    counts = [Row.objects.count(), Change.objects.count(), Table.objects.count(), StoredResponse.objects.count()]
    return [*counts, Table.objects.get(pk=table.pk).version]


WITH_KEY = {"Idempotency-Key": "a-key"}


@pytest.mark.parametrize(
    ("request_of", "headers"),
    [
        *((each, {}) for each in (conditional, preview, updates, paste, deletes, upsert, undo, redo, restore, copies)),
        *((each, headers) for each in (stored_proposal, conversion) for headers in ({}, WITH_KEY)),
    ],
)
def test_a_change_of_many_rows_restarts_when_it_gets_its_turn(
    api: Api, table: Table, request_of: Callable[[Api, Table], Request], headers: dict[str, str]
) -> None:
    request, before = request_of(api, table), stored(table)

    set_large_work_lock(lambda: False)
    with CaptureQueriesContext(connection) as queries:
        answer = send(api, table, request, **headers)
    assert answer.status_code == 503
    assert stored(table) == before
    assert not [each["sql"] for each in queries if READS_CELLS.search(each["sql"])]

    set_large_work_lock(lambda: True)
    assert send(api, table, request, **headers).status_code in (200, 201)
