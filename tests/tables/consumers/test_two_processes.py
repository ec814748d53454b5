"""Two server processes with a Redis between them: what one writes, the pages of the other hear at once."""
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
    """A server that speaks Redis's protocol."""
    with redis_server() as address:
        yield address


@pytest.fixture(scope="module")
def addresses(django_db_setup: None, redis_url: str) -> Iterator[tuple[str, str]]:
    both = ServerProcess(REDIS_URL=redis_url), ServerProcess(REDIS_URL=redis_url)
    try:
        yield both[0].wait().address, both[1].wait().address
    finally:
        for server in both:
            server.kill()


@pytest.fixture
def jobs(transactional_db: None, user: User) -> Table:
    return create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=API)


def test_what_one_process_writes_is_heard_in_the_other(addresses: tuple[str, str], user: User, jobs: Table) -> None:
    here, there = addresses
    with real_page(there, jobs.pk, session=session_of(user)) as page:
        page.hear("presence")
        _, row, _ = Browser(here, user).request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"})

        assert page.hear("change")["change_id"] == row["change"]


def test_people_at_both_processes_see_each_other(
    addresses: tuple[str, str], user: User, other_user: User, jobs: Table
) -> None:
    here, there = addresses
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    with real_page(here, jobs.pk, session=session_of(user)) as page:
        page.sees("ada")
        with real_page(there, jobs.pk, session=session_of(other_user)) as other:
            page.sees("ada", "grace")
            other.sees("ada", "grace")
        page.sees("ada")
