"""Concurrent expensive requests do not block other users. `test_load.py` measures it with larger tables."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.tables.concurrency.attacks import ATTACKS, EXPECTED_STATUSES
from tests.tables.concurrency.other_user import OtherUser
from tests.tables.concurrency.processes import ServerProcess

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ATTACKERS, PARALLEL, ROWS = 3, 8, 200


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[ServerProcess]:
    process = ServerProcess()
    try:
        yield process.wait()
    finally:
        process.kill()


@pytest.mark.parametrize("attack", ATTACKS)
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
