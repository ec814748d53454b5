"""Two servers on one database, and a browser at each of them."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import Browser
from tests.tables.concurrency.processes import ServerProcess

At = Callable[[int], Browser]


@pytest.fixture(scope="session")
def servers(django_db_setup: None) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    """Two server processes for the whole run."""
    processes = ServerProcess(), ServerProcess()
    try:
        yield processes[0].wait(), processes[1].wait()
    finally:
        for server in processes:
            server.kill()


@pytest.fixture
def at(servers: tuple[ServerProcess, ServerProcess], transactional_db: None, user: User) -> At:
    """Return `at(n)`, the user's browser at the first server for even n and at the second for odd n."""
    browsers = [Browser(server.address, user) for server in servers]
    return lambda number: browsers[number % 2]
