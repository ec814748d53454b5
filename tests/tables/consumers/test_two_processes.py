"""Two server processes that share a Redis: changes and presence."""
from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from tables.models import Member, Table
from tables.operations import Origin
from tables.services import create_table
from tests.chat.stream_client import Browser
from tests.redis_server import redis_server
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.consumers.sockets import real_page, session_of

pytestmark = pytest.mark.postgres_only

API = Origin("api")


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    """Return the URL of a Redis server."""
    with redis_server() as url:
        yield url


@pytest.fixture(scope="module")
def server_urls(django_db_setup: None, redis_url: str) -> Iterator[tuple[str, str]]:
    servers = ServerProcess(REDIS_URL=redis_url), ServerProcess(REDIS_URL=redis_url)
    try:
        yield servers[0].wait().address, servers[1].wait().address
    finally:
        for server in servers:
            server.kill()


@pytest.fixture
def jobs(transactional_db: None, user: User) -> Table:
    return create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=API)


def test_pages_receive_changes_of_the_other_process(server_urls: tuple[str, str], user: User, jobs: Table) -> None:
    own_url, other_url = server_urls
    with real_page(other_url, jobs.pk, session=session_of(user)) as page:
        page.receive("presence")
        _, row, _ = Browser(own_url, user).request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"})

        assert page.receive("change")["change_id"] == row["change"]


def test_users_of_both_processes_are_present(
    server_urls: tuple[str, str], user: User, other_user: User, jobs: Table
) -> None:
    own_url, other_url = server_urls
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    with real_page(own_url, jobs.pk, session=session_of(user)) as page:
        page.wait_for_users("ada")
        with real_page(other_url, jobs.pk, session=session_of(other_user)) as other:
            page.wait_for_users("ada", "grace")
            other.wait_for_users("ada", "grace")
        page.wait_for_users("ada")
