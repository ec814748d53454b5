"""The event stream of a table: missed changes, live ones, and its end."""
from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.contrib.auth.models import User
from django.test import AsyncClient
from django.utils import timezone
from jsonschema import Draft202012Validator

from accounts.models import ApiToken
from accounts.tokens import create_token
from shared.websockets.credentials import Credential
from shared.websockets.event_stream import StreamBody, end_endless_streams
from tables.consumers.broadcast import group_of
from tables.consumers.event_stream import BATCH, HEARTBEAT_SECONDS, MAX_MISSED, table_event_stream
from tables.consumers.events import COMPONENTS
from tables.models import Change, Member, Table
from tables.operations import Origin
from tables.services import add_rows, trash_table
from tables.services.sharing.members import remove_member
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import SECONDS, end_session, in_thread, run_scenario, session_of

API = Origin("api")
DESCRIBED = Draft202012Validator({**COMPONENTS["TableEvent"], "components": {"schemas": COMPONENTS}})
pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


class Reader:
    """A client of the stream of a table: its events, and its comments as `{"type": ""}`."""

    def __init__(self, body: StreamBody) -> None:
        self._body = body
        self.retry = ""
        self._events = self._read()

    async def next(self) -> Json:
        return await asyncio.wait_for(anext(self._events), SECONDS)

    async def until_end(self) -> list[Json]:
        return [event async for event in self._events]

    def close(self) -> None:
        self._body.close()

    async def _read(self) -> AsyncIterator[Json]:
        async for piece in self._body:
            for block in piece.decode().strip().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in block.split("\n"))
                if "retry" in fields:
                    self.retry = fields["retry"]
                    continue
                event = json.loads(fields.get("data", '{"type": ""}'))
                assert event["type"] == fields.get("event", "")
                assert event["type"] == "" or DESCRIBED.is_valid(event)
                assert str(event.get("version", "")) == fields.get("id", "")
                yield event


Open = Callable[..., Reader]


@pytest.fixture
def open_stream(jobs: Table, clock: ManualClock) -> Open:
    """Return a function that opens a stream of the table for a user, in an event loop."""

    def open_for(user: User, *, after: int | None = None, credential: Credential | None = None) -> Reader:
        credential = credential or Credential(user.pk)
        body = table_event_stream(user=user, table_id=jobs.pk, after=after, credential=credential, clock=clock)
        return Reader(body)

    return open_for


def add_row(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Bolt"}], origin=API)


def set_version(table: Table, version: int) -> None:
    Table.objects.filter(pk=table.pk).update(version=version)


def test_changes_after_a_version_and_live_ones_are_sent(api: Any, user: User, jobs: Table, open_stream: Open) -> None:
    add_row(user, jobs)

    async def scenario() -> list[Json]:
        reader = open_stream(user, after=jobs.version)
        missed = [await reader.next(), await reader.next()]
        assert reader.retry == "2000"
        await in_thread(add_row, user, jobs)
        live = await reader.next()
        reader.close()
        return [*missed, live]

    missed, ready, live = run_scenario(scenario)
    listed = api.get(f"/api/tables/{jobs.pk}/changes/", after_version=jobs.version).json()["changes"]
    assert [live, missed] == [{"type": "change", **change} for change in listed]
    assert ready == {"type": "ready", "version": jobs.version + 1}


def test_without_a_version_the_stream_starts_with_the_current_one(user: User, jobs: Table, open_stream: Open) -> None:
    async def scenario() -> Json:
        reader = open_stream(user)
        first = await reader.next()
        reader.close()
        return first

    assert run_scenario(scenario) == {"type": "ready", "version": jobs.version}


def test_more_than_a_batch_of_changes_is_sent_in_order(user: User, jobs: Table, open_stream: Open) -> None:
    last = jobs.version + BATCH + 1
    Change.objects.bulk_create(
        Change(table=jobs, version=version, source="api", summary="", counts={})
        for version in range(jobs.version + 1, last + 1)
    )
    set_version(jobs, last)

    async def scenario() -> list[int]:
        reader = open_stream(user, after=jobs.version)
        versions = [(await reader.next())["version"] for _ in range(BATCH + 1)]
        assert (await reader.next())["type"] == "ready"
        reader.close()
        return versions

    assert run_scenario(scenario) == list(range(jobs.version + 1, last + 1))


def expire(table: Table) -> None:
    Change.objects.filter(table=table).delete()
    set_version(table, 5)


def make_too_many(table: Table) -> None:
    set_version(table, 4 + MAX_MISSED + 1)


def restore_backup(table: Table) -> None:
    set_version(table, 3)


@pytest.mark.parametrize(
    ("prepare", "reason", "version"),
    [(expire, "expired", 5), (make_too_many, "too_many", 4 + MAX_MISSED + 1), (restore_backup, "unknown_version", 3)],
)
def test_a_client_whose_changes_are_missing_reads_the_table_again(
    user: User, jobs: Table, open_stream: Open, prepare: Callable[[Table], None], reason: str, version: int
) -> None:
    prepare(jobs)

    async def scenario() -> list[Json]:
        reader = open_stream(user, after=4)
        events = [await reader.next(), await reader.next()]
        reader.close()
        return events

    assert run_scenario(scenario) == [
        {"type": "reset", "version": version, "reason": reason}, {"type": "ready", "version": version}
    ]  # fmt: skip


def test_a_change_whose_message_is_lost_is_noticed_within_a_second(
    user: User, jobs: Table, open_stream: Open, clock: ManualClock
) -> None:
    def change_silently() -> None:
        version = jobs.version + 1
        Change.objects.create(table=jobs, version=version, source="api", summary="", counts={})
        set_version(jobs, version)

    async def scenario() -> Json:
        reader = open_stream(user)
        await reader.next()
        await in_thread(change_silently)
        following = asyncio.ensure_future(reader.next())
        await clock.advance(1)
        event = await following
        reader.close()
        return event

    assert run_scenario(scenario)["version"] == jobs.version + 1


def test_a_quiet_stream_sends_comments(user: User, open_stream: Open, clock: ManualClock) -> None:
    async def scenario() -> Json:
        reader = open_stream(user)
        await reader.next()
        following = asyncio.ensure_future(reader.next())
        await clock.advance(HEARTBEAT_SECONDS)
        comment = await following
        reader.close()
        return comment

    assert run_scenario(scenario) == {"type": ""}


def ended(open_stream: Open, user: User, *, end: Callable[[], Awaitable[Any]], credential: Any = None) -> list[Json]:
    """Return what a stream sends after its first event when `end` has run."""

    async def scenario() -> list[Json]:
        reader = open_stream(user, credential=credential)
        await reader.next()
        rest = asyncio.ensure_future(reader.until_end())
        await end()
        return await asyncio.wait_for(rest, SECONDS)

    events: list[Json] = run_scenario(scenario)
    return events


def test_the_stream_ends_with_the_session_within_a_second(user: User, open_stream: Open, clock: ManualClock) -> None:
    async def end() -> None:
        await in_thread(end_session, user)
        await clock.advance(1)

    assert ended(open_stream, user, end=end, credential=Credential(user.pk, session_key=session_of(user))) == []


def test_the_stream_ends_with_the_token_within_a_second(user: User, open_stream: Open, clock: ManualClock) -> None:
    token, _ = create_token(user=user, name="script", scope="read", now=timezone.now())

    async def end() -> None:
        await in_thread(ApiToken.objects.all().delete)
        await clock.advance(1)

    credential = Credential(user.pk, token_id=token.pk, token_scope="read")
    assert ended(open_stream, user, end=end, credential=credential) == []


def test_the_stream_of_a_removed_member_ends_immediately(
    user: User, other_user: User, jobs: Table, open_stream: Open
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")

    async def end() -> None:
        await in_thread(remove_member, user=user, table_id=jobs.pk, name="grace")

    assert ended(open_stream, other_user, end=end) == []


def test_access_removed_without_a_message_ends_the_stream_within_a_second(
    other_user: User, jobs: Table, open_stream: Open, clock: ManualClock
) -> None:
    member = Member.objects.create(table=jobs, user=other_user, role="viewer")

    async def end() -> None:
        await in_thread(member.delete)
        await clock.advance(1)

    assert ended(open_stream, other_user, end=end) == []


def test_trashing_the_table_ends_the_stream(user: User, jobs: Table, open_stream: Open) -> None:
    async def end() -> None:
        await in_thread(trash_table, user=user, table_id=jobs.pk, origin=API)

    assert ended(open_stream, user, end=end) == []


def test_the_end_of_the_server_ends_the_stream(user: User, open_stream: Open) -> None:
    async def end() -> None:
        end_endless_streams()

    assert ended(open_stream, user, end=end) == []


def test_a_server_that_ends_opens_no_further_stream(user: User, jobs: Table) -> None:
    async def scenario() -> Any:
        end_endless_streams()
        client = AsyncClient()
        await client.aforce_login(user)
        return await client.get(f"/api/tables/{jobs.pk}/events/")

    refused = run_scenario(scenario)
    assert (refused.status_code, refused["Retry-After"], refused.json()["error"]) == (503, "2", "restarting")


def test_the_oldest_of_too_many_streams_ends(user: User, open_stream: Open) -> None:
    async def scenario() -> list[Json]:
        readers = [open_stream(user) for _ in range(11)]
        for reader in readers:
            await reader.next()
        rest = await asyncio.wait_for(readers[0].until_end(), SECONDS)
        for reader in readers:
            reader.close()
        return rest

    assert run_scenario(scenario) == []


def test_a_closed_stream_leaves_its_group(user: User, jobs: Table, open_stream: Open) -> None:
    layer: Any = get_channel_layer()

    async def scenario() -> list[bool]:
        reader = open_stream(user)
        await reader.next()
        groups = [group_of(jobs.pk) in layer.groups]
        reader.close()
        while group_of(jobs.pk) in layer.groups:
            await asyncio.sleep(0)
        return [*groups, group_of(jobs.pk) in layer.groups]

    assert run_scenario(scenario) == [True, False]
