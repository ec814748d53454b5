"""Exports in progress are aborted within two seconds after access ends."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import RequestFactory
from django.utils import timezone

from accounts.models import ApiToken
from shared.websockets.clock import Clock
from shared.websockets.credentials import Credential
from shared.websockets.file_stream import CHECK_SECONDS, AccessEnded, FileStream
from tables.api.exporting import export_response
from tables.models import Member, ReadOnlyLink, Table
from tables.selectors import get_table, linked_table
from tables.services import create_link
from tests.chat.stream_client import Browser
from tests.chat.turns.test_access_ended import deactivate, session_credential, sign_out, token_credential
from tests.conftest import Api
from tests.manual_clock import ManualClock
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.sample_tables import write_copies, write_table
from tests.tables.shared_table import make_member

pytestmark = pytest.mark.django_db(transaction=True)

# More than fits in the buffers of a server and the kernel.
ROWS, CHARACTERS = 500, 60_000
End = Callable[[User], Any]


@pytest.fixture
def large(user: User, other_user: User) -> Table:
    """A table shared with another user, whose export has several megabytes."""
    table = write_table(user, [("Text", "text")], [])
    write_copies(table, {"Text": "x" * CHARACTERS}, count=100)
    make_member(table, other_user, role="viewer")
    return table


async def breaks_off_after(response: Any, clock: ManualClock, change: Callable[[], Any]) -> bool:
    """Read a chunk, make a change, advance the clock and return whether the next chunk is refused."""
    await anext(response)
    await sync_to_async(change)()
    await clock.advance(CHECK_SECONDS)
    try:
        await anext(response)
    except AccessEnded:
        return True
    return False


def stream_of(find: Callable[[], Table], *, credential: Credential | None, clock: Clock) -> Any:
    request = RequestFactory().get("/")
    return async_to_sync(export_response)(request, find=find, credential=credential, clock=clock)._iterator


ENDS = [
    pytest.param(session_credential, lambda user: Member.objects.all().delete(), True, id="member removed"),
    pytest.param(
        session_credential, lambda user: Table.objects.update(deleted_at=timezone.now()), True, id="table in trash"
    ),
    pytest.param(session_credential, sign_out, True, id="session ended"),
    pytest.param(session_credential, deactivate, True, id="user deactivated"),
    pytest.param(token_credential, lambda user: ApiToken.objects.all().delete(), True, id="token revoked"),
    pytest.param(token_credential, lambda user: Member.objects.update(role="editor"), False, id="another role"),
]


@pytest.mark.parametrize(("credential_of", "change", "expected"), ENDS)
def test_an_export_is_aborted_when_access_ends(
    large: Table, other_user: User, credential_of: Callable[[User], Credential], change: End, expected: bool
) -> None:
    credential, clock = credential_of(other_user), ManualClock()
    stream = stream_of(lambda: get_table(other_user, large.pk), credential=credential, clock=clock)
    assert async_to_sync(breaks_off_after)(stream, clock, lambda: change(other_user)) is expected
    assert stream._file.closed is expected
    stream.close()


def test_an_export_through_a_link_is_aborted_when_the_link_is_removed(large: Table, user: User) -> None:
    token = create_link(user=user, table_id=large.pk, expires_at=None, now=timezone.now()).token
    clock = ManualClock()
    stream = stream_of(lambda: linked_table(token, now=timezone.now()), credential=None, clock=clock)
    assert async_to_sync(breaks_off_after)(stream, clock, ReadOnlyLink.objects.all().delete)


def test_an_export_continues_when_the_database_is_unavailable(large: Table) -> None:
    def has_access() -> bool:
        raise OperationalError

    clock = ManualClock()
    with Path(__file__).open("rb") as file:
        stream = FileStream(file, has_access=has_access, clock=clock, checked_at=-CHECK_SECONDS)
        assert async_to_sync(stream.__anext__)().startswith(b'"""')


@pytest.fixture(params=["daphne", "uvicorn"])
def server(request: pytest.FixtureRequest, transactional_db: None) -> Iterator[ServerProcess]:
    server = ServerProcess(request.param)
    try:
        yield server.wait()
    finally:
        server.kill()


@pytest.mark.slow
def test_clients_notice_an_aborted_export(
    server: ServerProcess, user: User, other_user: User
) -> None:
    table = write_table(user, [("Text", "text")], [])
    write_copies(table, {"Text": "x" * CHARACTERS}, count=ROWS)
    make_member(table, other_user, role="viewer")
    browser = Browser(server.address, other_user)
    with browser.open("GET", f"/api/tables/{table.pk}/export/") as stream:
        started = time.monotonic()
        stream.response.read(1_000)
        Api(user).delete(f"/api/tables/{table.pk}/members/{other_user.get_username()}/")
        # The buffers are full. After this time the server checks access before it sends the next chunk.
        while time.monotonic() < started + CHECK_SECONDS:
            assert browser.request("GET", f"/api/tables/{table.pk}/")[0] == 404
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            stream.response.read()
