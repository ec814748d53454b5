"""The most expensive requests that users and visitors can send, for tests of their effect on others."""

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

# A function that sends one request and returns the status of the response.
Request = Callable[[], int]


def large_table(owner: User, *, rows: int) -> Table:
    table = write_table(owner, [(name, "text") for name in COLUMNS], [], name="Large")
    write_copies(table, {name: f"the quick brown fox {name}" * 3 for name in COLUMNS}, count=rows)
    # The cost of conditions is estimated from the row count.
    Table.objects.filter(pk=table.pk).update(next_position=rows)
    return table


def conditions(count: int, *, first: int = 0) -> list[dict[str, Any]]:
    return [
        {"column": COLUMNS[number % len(COLUMNS)], "op": "contains", "value": f"missing {number}"}
        for number in range(first, first + count)
    ]


def proposals_with_conditions(server_url: str, user: User, *, rows: int) -> Request:
    """Proposals with the maximum number of conditional operations for this number of rows."""
    table, browser = large_table(user, rows=rows), Browser(server_url, user)
    operations = [
        {"action": "update", "where": {"and": conditions(10, first=10 * number)}, "changes": {COLUMNS[0]: "found"}}
        for number in range(min(200, 2_000_000 // rows))
    ]
    body = json.dumps({"reasoning": "Load", "operations": operations}).encode()
    return lambda: browser.request("POST", f"/api/tables/{table.pk}/proposals/data/?dry_run=true", body)[0]


def filters_of_visitors(server_url: str, user: User, *, rows: int) -> Request:
    table, visitor = large_table(user, rows=rows), Browser(server_url)
    token = create_link(user=user, table_id=table.pk, expires_at=None, now=timezone.now()).token
    path = f"/shared/{token}/?filter={quote(json.dumps({'or': conditions(50)}))}"

    def request() -> int:
        with visitor.open("GET", path) as stream:
            stream.response.read()
            return stream.response.status

    return request


def bodies_of_empty_lists(server_url: str, user: User, *, rows: int) -> Request:
    """Large bodies, sent in turn to an endpoint that accepts them and to the stream, an async view without a slot."""
    table, browser, numbers = large_table(user, rows=1), Browser(server_url, user), count()
    body = b'{"operations":[' + b",".join([b"[]"] * min(6_000_000, 10_000 * rows)) + b"]}"
    paths = f"/api/tables/{table.pk}/proposals/data/", STREAM
    return lambda: browser.request("POST", paths[next(numbers) % len(paths)], body)[0]


def writes_of_many_rows(server_url: str, user: User, *, rows: int) -> Request:
    table, browser = write_table(user, [(name, "text") for name in COLUMNS], []), Browser(server_url, user)
    count = min(rows, 10_000)
    body = json.dumps({"rows": [{name: f"{name} {number}" for name in COLUMNS} for number in range(count)]}).encode()
    return lambda: browser.request("POST", f"/api/tables/{table.pk}/rows/", body)[0]


def many_sockets(server_url: str, user: User, *, rows: int) -> Request:
    table, session = large_table(user, rows=1), session_of(user)

    def request() -> int:
        with ExitStack() as sockets:
            pages = [
                sockets.enter_context(real_page(server_url, table.pk, session=session)) for _ in range(MAX_SOCKETS)
            ]
            # It may have been closed by newer sockets.
            with suppress(ConnectionClosed):
                pages[-1].receive("presence")
        return 200

    return request


def writes_to_locked_rows(server_url: str, user: User, *, rows: int) -> Request:
    """Changes of all rows of a table, and changes of one row that wait for their lock."""
    table, browser, numbers = large_table(user, rows=min(rows, 10_000)), Browser(server_url, user), count()
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
# Statuses of attackers: they are served, refused or wait, without a server error.
EXPECTED_STATUSES = {200, 201, 400, 413, 422, 429, 503}
