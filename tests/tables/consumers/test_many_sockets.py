"""Many sockets of one table: the newest of each user stay, all of a burst are served, a full one harms no other."""
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
from accounts.tokens import make_token
from shared.websockets.consumer import MAX_SOCKETS, MAX_SOCKETS_OF_USER
from tables.consumers.broadcast import group_of
from tables.consumers.rooms import MAX_UNPAUSED_SOCKETS
from tables.models import Member, Table
from tables.operations import Origin
from tables.services import add_rows
from tables.services.sharing.members import change_member
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import Page, in_thread, played, session_of
from tests.tables.sample_tables import write_table
from tests.tables.shared_table import make_member

pytestmark = pytest.mark.django_db(transaction=True)


def add_company(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Bolt"}], origin=Origin("api"))


def test_the_oldest_socket_of_a_user_makes_room_for_a_new_one(
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
            await page.hear("presence")
        closed = [await page.hear_close() for page in pages[:2]]
        await in_thread(add_company, user, jobs)
        heard = [(await page.hear("change"))["actor"] for page in (owner, *pages[2:])]
        for page in (owner, *pages[2:]):
            await page.leave()
        return closed, heard

    assert played(scenario) == ([4429, 4429], ["ada"] * (MAX_SOCKETS + 1))


def test_a_user_has_one_limit_of_sockets_for_all_tables(user: User, other_user: User, clock: ManualClock) -> None:
    session, tables = session_of(user), [write_table(user, [], []) for _ in range(6)]
    make_member(tables[0], other_user, role="viewer")
    others = Page(session_of(other_user), tables[0].pk, clock=clock)
    pages = [Page(session, tables[number % 6].pk, clock=clock) for number in range(MAX_SOCKETS_OF_USER + 2)]

    async def scenario() -> list[int]:
        for page in (others, *pages):
            await page.open()
            await page.hear("presence")
        closed = [await page.hear_close() for page in pages[:2]]
        for page in (others, *pages[2:]):
            await page.leave()
        return closed

    assert played(scenario) == [4429, 4429]


def test_a_burst_of_sockets_is_served_and_the_reads_do_not_grow_with_them(
    user: User, jobs: Table, clock: ManualClock
) -> None:
    people = User.objects.bulk_create(User(username=f"user {number}") for number in range(129))
    Member.objects.bulk_create(Member(table=jobs, user=one, role="viewer") for one in people)
    sessions = [session_of(user), *(session_of(one) for one in people)]
    pages = [Page(session, jobs.pk, clock=clock) for session in sessions]

    async def scenario() -> tuple[int, int]:
        reads: list[str] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            reads.append(sql)
            return execute(sql, params, many, context)

        await asyncio.gather(*(page.open() for page in pages))
        for page in pages:
            await page.hear("presence")
        await in_thread(lambda: connection.execute_wrappers.append(note))
        await clock.advance(1)
        await in_thread(int)
        await in_thread(int)
        await in_thread(lambda: connection.execute_wrappers.clear())
        selects = [sql for sql in reads if sql.startswith("SELECT")]
        await in_thread(add_company, user, jobs)
        heard = [await page.hear("change") for page in pages]
        await asyncio.gather(*(page.leave() for page in pages))
        return len(heard), len(selects)

    heard, selects = played(scenario)
    assert heard == len(pages) == 130
    assert 0 < selects <= 4


def test_a_new_role_does_not_wait_for_the_next_list_of_users_in_a_large_room(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    people = User.objects.bulk_create(User(username=f"user {number}") for number in range(MAX_UNPAUSED_SOCKETS))
    Member.objects.bulk_create(Member(table=jobs, user=one, role="viewer") for one in (other_user, *people))
    page, others = page_of(other_user), [page_of(one) for one in people]

    async def scenario() -> str:
        for each in (page, *others):
            await each.open()
            await each.hear("presence")
        while len((await page.hear("presence"))["users"]) <= MAX_UNPAUSED_SOCKETS:
            pass
        # From now on the page is in a pause, which does not end: the clock stays where it is.
        await in_thread(change_member, user=user, table_id=jobs.pk, name="grace", role="editor")
        heard = await page.hear("presence")
        await asyncio.gather(*(each.leave() for each in (page, *others)))
        return str(heard["role"])

    assert played(scenario) == "editor"


def test_a_socket_whose_messages_were_lost_is_closed_to_connect_again(
    user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    page, other = page_of(user), page_of(user)

    async def scenario() -> int:
        layer = get_channel_layer()
        for each in (page, other):
            await each.open()
            await each.hear("presence")
        channel = next(iter(layer.groups[group_of(jobs.pk)]))
        for _ in range(layer.capacity + 1):
            await layer.send(channel, {"type": "table.access"})
        code = await page.hear_close()
        await in_thread(add_company, user, jobs)
        await other.hear("change")
        await other.leave()
        return code

    assert played(scenario) == 1013


def test_the_socket_of_a_program_ends_with_its_token(user: User, jobs: Table, clock: ManualClock) -> None:
    _, secret = make_token(user=user, name="robot", scope="read", now=timezone.now())
    page = Page("", jobs.pk, clock=clock, token=secret)

    async def scenario() -> int:
        await page.open()
        await page.hear("presence")
        await in_thread(add_company, user, jobs)
        await page.hear("change")
        await in_thread(ApiToken.objects.all().delete)
        await clock.advance(1)
        return await page.hear_close()

    assert played(scenario) == 4403
