"""The costliest requests that a user or a visitor may send, for tests of what they do to others."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from typing import Any
from urllib.parse import quote

from django.contrib.auth.models import User
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from shared.websockets.consumer import MAX_SOCKETS
from tables.models import Row, Table
from tables.services import create_link
from tests.chat.stream_client import STREAM, Browser
from tests.tables.consumers.sockets import real_page, session_of
from tests.tables.sample_tables import write_copies, write_table

COLUMNS = [f"Text {number}" for number in range(8)]

# Sends one and returns the status of the answer.
Request = Callable[[], int]


def large_table(owner: User, *, rows: int) -> Table:
    table = write_table(owner, [(name, "text") for name in COLUMNS], [], name="Large")
    write_copies(table, {name: f"the quick brown fox {name}" * 3 for name in COLUMNS}, count=rows)
    # The costs of conditions are estimated by it.
    Table.objects.filter(pk=table.pk).update(next_position=rows)
    return table


def conditions(count: int, *, first: int = 0) -> list[dict[str, Any]]:
    return [
        {"column": COLUMNS[number % len(COLUMNS)], "op": "contains", "value": f"missing {number}"}
        for number in range(first, first + count)
    ]


def proposals_with_conditions(address: str, user: User, *, rows: int) -> Request:
    """As many operations with conditions as one request may have for so many rows."""
    table, browser = large_table(user, rows=rows), Browser(address, user)
    operations = [
        {"action": "update", "where": {"and": conditions(10, first=10 * number)}, "changes": {COLUMNS[0]: "found"}}
        for number in range(min(200, 2_000_000 // rows))
    ]
    body = json.dumps({"reasoning": "Load", "operations": operations}).encode()
    return lambda: browser.request("POST", f"/api/tables/{table.pk}/proposals/data/?dry_run=true", body)[0]


def filters_of_visitors(address: str, user: User, *, rows: int) -> Request:
    table, visitor = large_table(user, rows=rows), Browser(address)
    token = create_link(user=user, table_id=table.pk, expires_at=None, now=timezone.now()).token
    path = f"/shared/{token}/?filter={quote(json.dumps({'or': conditions(50)}))}"

    def request() -> int:
        with visitor.open("GET", path) as stream:
            stream.response.read()
            return stream.response.status

    return request


def bodies_of_empty_lists(address: str, user: User, *, rows: int) -> Request:
    """By turns where large bodies are accepted, and at the stream, which is an async view without a slot."""
    table, browser, numbers = large_table(user, rows=1), Browser(address, user), count()
    body = b'{"operations":[' + b",".join([b"[]"] * min(6_000_000, 10_000 * rows)) + b"]}"
    paths = f"/api/tables/{table.pk}/proposals/data/", STREAM
    return lambda: browser.request("POST", paths[next(numbers) % len(paths)], body)[0]


def writes_of_many_rows(address: str, user: User, *, rows: int) -> Request:
    table, browser = write_table(user, [(name, "text") for name in COLUMNS], []), Browser(address, user)
    count = min(rows, 10_000)
    body = json.dumps({"rows": [{name: f"{name} {number}" for name in COLUMNS} for number in range(count)]}).encode()
    return lambda: browser.request("POST", f"/api/tables/{table.pk}/rows/", body)[0]


def many_sockets(address: str, user: User, *, rows: int) -> Request:
    table, session = large_table(user, rows=1), session_of(user)

    def request() -> int:
        with ExitStack() as sockets:
            pages = [sockets.enter_context(real_page(address, table.pk, session=session)) for _ in range(MAX_SOCKETS)]
            # Unless it had to make room for newer ones.
            with suppress(ConnectionClosed):
                pages[-1].hear("presence")
        return 200

    return request


def writes_to_locked_rows(address: str, user: User, *, rows: int) -> Request:
    """Changes of all rows of a table, and of one row of it that wait for the lock which those hold."""
    table, browser, numbers = large_table(user, rows=min(rows, 10_000)), Browser(address, user), count()
    row_id = Row.objects.filter(table=table).values_list("pk", flat=True)[0]
    every_row = {"column": COLUMNS[1], "op": "contains", "value": "fox"}

    def request() -> int:
        number = next(numbers)
        if number % 4:
            return browser.request(
                "PATCH", f"/api/tables/{table.pk}/rows/{row_id}/", {"data": {COLUMNS[0]: f"one {number}"}}
            )[0]
        operation = {"action": "update", "where": every_row, "changes": {COLUMNS[0]: f"all {number}"}}
        body = {"reasoning": "Load", "operations": [operation]}
        return browser.request("POST", f"/api/tables/{table.pk}/proposals/data/", body)[0]

    return request


ATTACKS = [
    proposals_with_conditions,
    filters_of_visitors,
    bodies_of_empty_lists,
    writes_of_many_rows,
    writes_to_locked_rows,
    many_sockets,
]
# Attackers are served or refused, or wait; the server does not break.
ANSWERS = {200, 201, 400, 413, 422, 429, 503}
