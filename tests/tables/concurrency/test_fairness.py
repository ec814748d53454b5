"""Concurrent expensive requests do not block other users. `test_load.py` measures it with larger tables."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from tables.models import Row, Table
from tests.chat.stream_client import Browser
from tests.tables.concurrency.attacks import (
    ATTACKS,
    COLUMNS,
    EXPECTED_STATUSES,
    bodies_of_empty_lists,
    filters_of_visitors,
    large_table,
    many_sockets,
    proposals_with_conditions,
)
from tests.tables.concurrency.other_user import OtherUser
from tests.tables.concurrency.processes import ServerProcess

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# Together, and each of them, more requests than are handled at the same time (REQUESTS_AT_ONCE).
ATTACKERS, PARALLEL, ROWS = 3, 5, 200
# One database is enough for those that write no rows. Each has one that evaluates conditions.
MARKS = {
    bodies_of_empty_lists: pytest.mark.sqlite_only,
    many_sockets: pytest.mark.sqlite_only,
    filters_of_visitors: pytest.mark.sqlite_only,
    proposals_with_conditions: pytest.mark.postgres_only,
}


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[ServerProcess]:
    process = ServerProcess()
    try:
        yield process.wait()
    finally:
        process.kill()


@pytest.mark.parametrize("attack", [pytest.param(each, marks=MARKS.get(each, ())) for each in ATTACKS])
def test_other_users_are_served_during_expensive_requests(
    server: ServerProcess, user: User, other_user: User, attack: Any
) -> None:
    attackers = [user, *(User.objects.create_user(f"attacker{number}") for number in range(1, ATTACKERS))]
    requests = [attack(server.address, attacker, rows=ROWS) for attacker in attackers]
    other = OtherUser(server.address, other_user)

    with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
        attacks = [pool.submit(request) for request in requests for _ in range(PARALLEL)]
        other.ask_while(lambda: not all(each.done() for each in attacks))

    assert other.are_served()
    assert {each.result() for each in attacks} <= EXPECTED_STATUSES


@pytest.mark.postgres_only
def test_other_users_are_served_while_requests_wait_for_a_locked_table(
    live_server_url: str, user: User, other_user: User, settings: Any
) -> None:
    """On SQLite, which has one lock for all tables, others would wait as well."""
    settings.DATABASE_LOCK_SECONDS = 0.2
    table, browser = large_table(user, rows=1), Browser(live_server_url, user)
    other, row_count = OtherUser(live_server_url, other_user), Row.objects.filter(table=table).count()

    def apply() -> tuple[int, str, str | None]:
        body = {"reasoning": "Load", "operations": [{"action": "add", "data": {COLUMNS[0]: "waits"}}]}
        status, answer, headers = browser.request("POST", f"/api/tables/{table.pk}/proposals/data/", body)
        return status, answer["error"], headers.get("Retry-After")

    with transaction.atomic(), ThreadPoolExecutor(PARALLEL) as pool:
        list(Table.objects.select_for_update().filter(pk=table.pk))
        attacks = [pool.submit(apply) for _ in range(PARALLEL)]
        other.ask_while(lambda: not all(each.done() for each in attacks))

    assert other.are_served()
    assert {each.result() for each in attacks} == {(503, "busy", "5")}
    assert Row.objects.filter(table=table).count() == row_count
