"""Many sockets of one table: limits of each user, bursts, and sockets with lost messages."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens import create_token
from shared.websockets.consumer import MAX_SOCKETS, MAX_SOCKETS_OF_USER
from tables.consumers.broadcast import group_of
from tables.consumers.rooms import MAX_UNPAUSED_SOCKETS
from tables.models import Member, Table
from tables.operations import Origin
from tables.services import add_rows
from tables.services.sharing.members import change_member
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import Page, in_thread, run_scenario, session_of
from tests.tables.sample_tables import write_table
from tests.tables.shared_table import make_member

pytestmark = pytest.mark.django_db(transaction=True)


def add_company(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Bolt"}], origin=Origin("api"))


def test_a_new_socket_closes_the_oldest_one_of_the_user(
    user: User, other_user: User, jobs: Table, clock: ManualClock
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    session = session_of(other_user)
    owner = Page(session_of(user), jobs.pk, clock=clock)
    pages = [Page(session, jobs.pk, clock=clock) for _ in range(MAX_SOCKETS + 2)]

    async def scenario() -> tuple[list[int], list[str]]:
        await owner.open()
        for page in pages:
            await page.open()
            await page.receive("presence")
        closed = [await page.receive_close_code() for page in pages[:2]]
        await in_thread(add_company, user, jobs)
        actors = [(await page.receive("change"))["actor"] for page in (owner, *pages[2:])]
        for page in (owner, *pages[2:]):
            await page.disconnect()
        return closed, actors

    assert run_scenario(scenario) == ([4429, 4429], ["ada"] * (MAX_SOCKETS + 1))


def test_sockets_of_a_user_are_limited_across_tables(user: User, other_user: User, clock: ManualClock) -> None:
    session, tables = session_of(user), [write_table(user, [], []) for _ in range(6)]
    make_member(tables[0], other_user, role="viewer")
    others = Page(session_of(other_user), tables[0].pk, clock=clock)
    pages = [Page(session, tables[number % 6].pk, clock=clock) for number in range(MAX_SOCKETS_OF_USER + 2)]

    async def scenario() -> list[int]:
        for page in (others, *pages):
            await page.open()
            await page.receive("presence")
        closed = [await page.receive_close_code() for page in pages[:2]]
        for page in (others, *pages[2:]):
            await page.disconnect()
        return closed

    assert run_scenario(scenario) == [4429, 4429]


def test_a_burst_of_sockets_is_served_with_constant_reads(
    user: User, jobs: Table, clock: ManualClock
) -> None:
    users = User.objects.bulk_create(User(username=f"user {number}") for number in range(129))
    Member.objects.bulk_create(Member(table=jobs, user=each_user, role="viewer") for each_user in users)
    sessions = [session_of(user), *(session_of(each_user) for each_user in users)]
    pages = [Page(session, jobs.pk, clock=clock) for session in sessions]

    async def scenario() -> tuple[int, int]:
        reads: list[str] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            reads.append(sql)
            return execute(sql, params, many, context)

        await asyncio.gather(*(page.open() for page in pages))
        for page in pages:
            await page.receive("presence")
        await in_thread(lambda: connection.execute_wrappers.append(note))
        await clock.advance(1)
        await in_thread(int)
        await in_thread(int)
        await in_thread(lambda: connection.execute_wrappers.clear())
        # Messages of workers are read once for all sockets.
        assert len([sql for sql in reads if "socketmessage" in sql]) <= 1
        selects = [sql for sql in reads if sql.startswith("SELECT") and "socketmessage" not in sql]
        await in_thread(add_company, user, jobs)
        changes = [await page.receive("change") for page in pages]
        await asyncio.gather(*(page.disconnect() for page in pages))
        return len(changes), len(selects)

    change_count, selects = run_scenario(scenario)
    assert change_count == len(pages) == 130
    assert 0 < selects <= 4


def test_a_new_role_is_sent_immediately_in_a_large_room(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    users = User.objects.bulk_create(User(username=f"user {number}") for number in range(MAX_UNPAUSED_SOCKETS))
    Member.objects.bulk_create(Member(table=jobs, user=each_user, role="viewer") for each_user in (other_user, *users))
    page, others = page_of(other_user), [page_of(each_user) for each_user in users]

    async def scenario() -> str:
        for each in (page, *others):
            await each.open()
            await each.receive("presence")
        while len((await page.receive("presence"))["users"]) <= MAX_UNPAUSED_SOCKETS:
            pass
        # The page waits for its next list of users from now on, because the clock does not advance.
        await in_thread(change_member, user=user, table_id=jobs.pk, name="grace", role="editor")
        message = await page.receive("presence")
        await asyncio.gather(*(each.disconnect() for each in (page, *others)))
        return str(message["role"])

    assert run_scenario(scenario) == "editor"


def test_a_socket_with_lost_messages_is_closed_for_a_reconnect(
    user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    page, other = page_of(user), page_of(user)

    async def scenario() -> int:
        layer = get_channel_layer()
        for each in (page, other):
            await each.open()
            await each.receive("presence")
        channel = next(iter(layer.groups[group_of(jobs.pk)]))
        for _ in range(layer.capacity + 1):
            await layer.send(channel, {"type": "table.access"})
        code = await page.receive_close_code()
        await in_thread(add_company, user, jobs)
        await other.receive("change")
        await other.disconnect()
        return code

    assert run_scenario(scenario) == 1013


def test_a_socket_with_a_deleted_token_is_closed(user: User, jobs: Table, clock: ManualClock) -> None:
    _, token = create_token(user=user, name="robot", scope="read", now=timezone.now())
    page = Page("", jobs.pk, clock=clock, token=token)

    async def scenario() -> int:
        await page.open()
        await page.receive("presence")
        await in_thread(add_company, user, jobs)
        await page.receive("change")
        await in_thread(ApiToken.objects.all().delete)
        await clock.advance(1)
        return await page.receive_close_code()

    assert run_scenario(scenario) == 4403
