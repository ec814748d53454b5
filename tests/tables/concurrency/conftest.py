"""Two servers on one database, and a person at each of them."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import Browser
from tests.tables.concurrency.processes import ServerProcess

At = Callable[[int], Browser]


@pytest.fixture(scope="session")
def servers(django_db_setup: None) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    """Two processes for the run."""
    both = ServerProcess(), ServerProcess()
    try:
        yield both[0].wait(), both[1].wait()
    finally:
        for server in both:
            server.kill()


@pytest.fixture
def at(servers: tuple[ServerProcess, ServerProcess], transactional_db: None, user: User) -> At:
    """`at(n)`: the person's browser at the first server for even n, at the second for odd n."""
    browsers = [Browser(server.address, user) for server in servers]
    return lambda number: browsers[number % 2]
