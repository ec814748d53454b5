"""What some clients send at the same time does not stop the others."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from sockets.limit import MAX_SOCKETS
from tables.models import Table
from tables.services import make_link
from tests.chat.browserlike import Browser
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.consumers.sockets import real_page, session_of
from tests.tables.sample_tables import write_copies, write_table

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ATTACKERS, PARALLEL = 3, 8
COLUMNS = [f"Text {number}" for number in range(8)]
# The limits of an ordinary server, where the test measures. Others are higher: a slow machine must not decide.
LIMITS = {"DATABASE_READ_SECONDS": "5", "DATABASE_WRITE_SECONDS": "20", "DATABASE_LOCK_SECONDS": "5"}
READ_SECONDS, WRITE_SECONDS, MEMORY_FACTOR = 1.0, 2.0, 1.3
RETURN_SECONDS = 10.0

Request = Callable[[], Any]


@pytest.fixture(scope="module")
def server(django_db_setup: None, request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    process = ServerProcess(**(LIMITS if is_timed(request) else {}))
    try:
        yield process.wait()
    finally:
        process.kill()


def is_timed(request: pytest.FixtureRequest) -> bool:
    return request.config.option.markexpr == "soak"


def large_table(owner: User, *, rows: int) -> Table:
    table = write_table(owner, [(name, "text") for name in COLUMNS], [], name="Large")
    write_copies(table, {name: f"the quick brown fox {name}" * 3 for name in COLUMNS}, count=rows)
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
    return lambda: browser.ask("POST", f"/api/tables/{table.pk}/proposals/data/?dry_run=true", body)[0]


def filters_of_visitors(address: str, user: User, *, rows: int) -> Request:
    table, visitor = large_table(user, rows=rows), Browser(address)
    token = make_link(user=user, table_id=table.pk, expires_at=None, now=timezone.now()).token
    path = f"/shared/{token}/?filter={quote(json.dumps({'or': conditions(50)}))}"

    def request() -> int:
        with visitor.open("GET", path) as stream:
            stream.response.read()
            return stream.response.status

    return request


def bodies_of_empty_lists(address: str, user: User, *, rows: int) -> Request:
    table, browser = large_table(user, rows=1), Browser(address, user)
    body = b'{"operations":[' + b",".join([b"[]"] * 6_000_000) + b"]}"
    return lambda: browser.ask("POST", f"/api/tables/{table.pk}/proposals/data/", body)[0]


def writes_of_many_rows(address: str, user: User, *, rows: int) -> Request:
    table, browser = write_table(user, [(name, "text") for name in COLUMNS], []), Browser(address, user)
    count = min(rows, 10_000)
    body = json.dumps({"rows": [{name: f"{name} {number}" for name in COLUMNS} for number in range(count)]}).encode()
    return lambda: browser.ask("POST", f"/api/tables/{table.pk}/rows/", body)[0]


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


def memory_of(process: ServerProcess) -> int:
    """Return the resident pages of a server."""
    return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])


ATTACKS = [
    proposals_with_conditions,
    filters_of_visitors,
    bodies_of_empty_lists,
    writes_of_many_rows,
    many_sockets,
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(
    ("rows", "rounds", "timed"),
    [(200, 1, False), pytest.param(45_000, 3, True, marks=pytest.mark.soak)],
    ids=["short", "soak"],
)
def test_others_are_served_during_the_costliest_requests(
    server: ServerProcess, user: User, other_user: User, attack: Any, rows: int, rounds: int, timed: bool
) -> None:
    attackers = [user, *(User.objects.create_user(f"attacker{number}") for number in range(1, ATTACKERS))]
    requests = [attack(server.address, attacker, rows=rows) for attacker in attackers]
    own, browser = write_table(other_user, [("Name", "text")], []), Browser(server.address, other_user)
    path = f"/api/tables/{own.pk}/rows/"
    # The first requests of a server load modules, start threads and open connections.
    requests[0]()
    browser.ask("POST", path, {"Name": "first"})
    with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
        everyone = [Browser(server.address, attacker) for attacker in attackers] * PARALLEL
        list(pool.map(lambda each: each.ask("GET", "/api/tables/"), everyone))
    before, reads, writes = memory_of(server), [], []

    with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
        attacks = [pool.submit(request) for request in requests for _ in range(PARALLEL * rounds)]
        while not all(each.done() for each in attacks) or len(writes) < 5:
            reads.append(timed_ask(browser, "GET", path, None))
            writes.append(timed_ask(browser, "POST", path, {"Name": "Ada"}))

    assert {status for status, _ in reads} == {200}
    assert {status for status, _ in writes} == {201}
    # Attackers are refused, or wait; the server does not break.
    assert {each.result() for each in attacks} <= {200, 201, 413, 400, 422, 429, 503}
    if timed:
        returned = wait_for_memory(server, browser, path, most=before * MEMORY_FACTOR)
        slow_read, slow_write = (percentile([seconds for _, seconds in each]) for each in (reads, writes))
        print(f"{attack.__name__}: {len(reads)} reads p99 {slow_read:.2f} s, writes p99 {slow_write:.2f} s,")
        print(f"memory {memory_of(server) / before:.2f} x; {Counter(each.result() for each in attacks)}")
        assert (slow_read <= READ_SECONDS, slow_write <= WRITE_SECONDS) == (True, True)
        assert returned


def wait_for_memory(server: ServerProcess, browser: Browser, path: str, *, most: float) -> bool:
    """Return whether the server, which goes on serving, uses at most so much memory in the end."""
    deadline = time.monotonic() + RETURN_SECONDS
    while memory_of(server) > most and time.monotonic() < deadline:
        browser.ask("GET", path)
    return memory_of(server) <= most


def timed_ask(browser: Browser, method: str, path: str, body: Any) -> tuple[int, float]:
    """Return the status of the answer and how many seconds it took."""
    began = time.monotonic()
    status = browser.ask(method, path, body)[0]
    return status, time.monotonic() - began


def percentile(values: list[float]) -> float:
    """Return the 99th percentile."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]
