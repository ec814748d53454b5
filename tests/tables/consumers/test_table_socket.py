"""The socket of a table: changes, presence, roles and the end of access."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from chatproject.stored_messages import store_message
from shared.websockets.broadcast import broadcast_with
from tables.models import Member, Row, Table
from tables.operations import Origin
from tables.services import (
    add_rows,
    create_thumbnail,
    transfer_ownership,
    trash_table,
    undo_change,
    update_rows,
    upload_file,
)
from tables.services.sharing.invitations import accept_invitation, invite
from tables.services.sharing.members import change_member, remove_member
from tables.signals import news_made
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import ENDS_OF_SESSIONS, Page, in_thread, run_scenario
from tests.tables.files.hostile import png

API = Origin("api")
pytestmark = pytest.mark.django_db(transaction=True)


def add_companies(user: User, table: Table, *, count: int = 1) -> None:
    rows = [{"Company": f"Bolt {number}"} for number in range(count)]
    add_rows(user=user, table_id=table.pk, rows=rows, origin=API)


def test_a_change_is_sent_with_its_rows_and_actor(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.receive("presence")
        await in_thread(add_companies, user, jobs, count=2)
        received = await page.receive("change")
        await page.disconnect()
        return received

    received = run_scenario(scenario)
    added = list(Row.objects.filter(table=jobs).order_by("pk").values_list("pk", flat=True))[1:]
    change = jobs.changes.order_by("-pk").first()
    assert received == {
        "type": "change", "version": change.version, "rows": added, "schema": False, "moved": False,
        "change_id": change.pk, "actor": "ada",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("count", "expected_type"), [(500, list), (501, str)], ids=["500 rows by id", "501 rows as many"]
)
def test_more_than_500_rows_are_sent_as_many(
    user: User, jobs: Table, page_of: Callable[..., Page], count: int, expected_type: type
) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(add_companies, user, jobs, count=count)
        received = await page.receive("change")
        await page.disconnect()
        return received

    rows = run_scenario(scenario)["rows"]
    assert isinstance(rows, expected_type)
    assert rows == "many" or len(rows) == 500


def test_a_new_thumbnail_is_sent_to_the_tables_that_have_its_file(
    user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    page = page_of(user)
    file = upload_file(user=user, table_id=jobs.pk, name="a.png", content=ContentFile(png()))

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(create_thumbnail, file.content_id)
        received = await page.receive("news")
        await page.disconnect()
        return received

    assert run_scenario(scenario) == {"type": "news", "about": "thumbnails", "ids": [file.content_id]}


def test_an_undo_is_sent_as_a_change(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)
    add_companies(user, jobs)
    last = jobs.changes.order_by("-pk").first()

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(undo_change, user=user, table_id=jobs.pk, change_id=last.pk)
        received = await page.receive("change")
        await page.disconnect()
        return received

    received = run_scenario(scenario)
    added = Row.objects.filter(table=jobs).latest("pk").pk
    assert (received["version"], received["rows"]) == (last.version + 1, [added])


def test_news_are_gathered_and_sent_twice_a_second_also_those_of_workers(
    user: User, jobs: Table, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    page = page_of(user)

    def announce(*ids: str) -> None:
        for each in ids:
            news_made.send(sender=None, table_id=jobs.pk, about="fills", about_id=each)

    def announce_in_worker(*ids: str) -> None:
        with broadcast_with(store_message):
            announce(*ids)

    async def scenario() -> list[dict[str, Any]]:
        await page.open()
        await page.receive("presence")
        await in_thread(announce, "a")
        first = await page.receive("news")
        await in_thread(announce, "b", "c", "b")
        await in_thread(add_companies, user, jobs)
        await page.receive("change")
        await clock.advance(0.5)
        received = [first, await page.receive("news")]
        await clock.advance(0.5)
        # Workers are processes without sockets. What is stored again is sent again, but each time once.
        for seconds in (1.0, 1.0):
            await in_thread(announce_in_worker, "d")
            await clock.advance(seconds)
            received.append(await page.receive("news"))
            await clock.advance(seconds)
        await in_thread(announce, "e")
        received.append(await page.receive("news"))
        await page.disconnect()
        return received

    assert [each["ids"] for each in run_scenario(scenario)] == [["a"], ["b", "c"], ["d"], ["d"], ["e"]]


def test_rolled_back_changes_are_not_sent(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)

    def rolled_back() -> None:
        with transaction.atomic():
            add_companies(user, jobs)
            transaction.set_rollback(True)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(rolled_back)
        await in_thread(add_companies, user, jobs)
        received = await page.receive("change")
        await page.disconnect()
        return received

    received = run_scenario(scenario)
    jobs.refresh_from_db()
    assert received["version"] == jobs.version


def test_missing_and_inaccessible_tables_close_alike(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    pages = page_of(other_user), page_of(other_user, jobs.pk + 1_000)

    async def scenario() -> list[int]:
        return [await (await page.open()).receive_close_code() for page in pages]

    assert run_scenario(scenario) == [4404, 4404]


def test_anonymous_sockets_are_closed(jobs: Table, page_of: Callable[..., Page]) -> None:
    pages = page_of(None), page_of(None, jobs.pk + 1_000)

    async def scenario() -> list[int]:
        return [await (await page.open()).receive_close_code() for page in pages]

    assert run_scenario(scenario) == [4403, 4403]


def test_members_receive_each_others_presence(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    ada, second_page, grace = page_of(user), page_of(user), page_of(other_user)

    def names(message: dict[str, Any]) -> list[str]:
        return [user["initials"] for user in message["users"]]

    async def scenario() -> list[list[str]]:
        seen = []
        await ada.open()
        seen.append(names(await ada.receive("presence")))
        await second_page.open()
        await grace.open()
        seen.append(names(await ada.receive("presence")))
        seen.append(names(await grace.receive("presence")))
        await grace.disconnect()
        seen.append(names(await ada.receive("presence")))
        await second_page.disconnect()
        await ada.disconnect()
        return seen

    assert run_scenario(scenario) == [["A"], ["A", "G"], ["A", "G"], ["A"]]


def test_presence_is_repeated_every_30_seconds(
    user: User, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.receive("presence")
        await clock.advance(30)
        received = await page.receive()
        await page.disconnect()
        return received

    assert run_scenario(scenario)["users"] == [{"name": "ada", "initials": "A", "you": True}]


@pytest.mark.parametrize("end", ENDS_OF_SESSIONS)
def test_sockets_close_within_a_second_of_the_end_of_the_session(
    user: User, page_of: Callable[..., Page], clock: ManualClock, end: Callable[[User], None]
) -> None:
    page = page_of(user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.receive("presence")
        await in_thread(end, user)
        await clock.advance(1)
        return await page.receive(), await page.receive_close_code()

    assert run_scenario(scenario) == ({"type": "revoked"}, 4403)


def test_the_socket_of_a_removed_member_is_closed_immediately(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    page = page_of(other_user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.receive("presence")
        await in_thread(remove_member, user=user, table_id=jobs.pk, name="grace")
        return await page.receive(), await page.receive_close_code()

    assert run_scenario(scenario) == ({"type": "revoked"}, 4403)


def test_access_removed_without_a_message_closes_the_socket_within_a_second(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    member = Member.objects.create(table=jobs, user=other_user, role="viewer")
    page = page_of(other_user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.receive("presence")
        # Deleted without the services, so that no message is sent.
        await in_thread(member.delete)
        await clock.advance(1)
        return await page.receive(), await page.receive_close_code()

    assert run_scenario(scenario) == ({"type": "revoked"}, 4403)


def test_a_former_owner_is_disconnected_only_after_leaving(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    former = page_of(user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await former.open()
        await former.receive("presence")
        await in_thread(transfer_ownership, user=user, table_id=jobs.pk, to="grace")
        # The former owner is an editor and still receives changes.
        await in_thread(add_companies, user, jobs)
        await former.receive("change")
        await in_thread(remove_member, user=user, table_id=jobs.pk, name="ada")
        return await former.receive("revoked"), await former.receive_close_code()

    assert run_scenario(scenario) == ({"type": "revoked"}, 4403)


def test_new_roles_are_sent_immediately(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    now = timezone.now()
    link = invite(user=user, table_id=jobs.pk, kind="link", role="editor", now=now)
    page = page_of(other_user)

    async def scenario() -> list[str]:
        await page.open()
        messages = [await page.receive("presence")]
        await in_thread(accept_invitation, user=other_user, key=link.token, now=now)
        messages.append(await page.receive())
        await in_thread(change_member, user=user, table_id=jobs.pk, name="grace", role="viewer")
        messages.append(await page.receive())
        await in_thread(transfer_ownership, user=user, table_id=jobs.pk, to="grace")
        messages.append(await page.receive())
        await page.disconnect()
        return [message["role"] for message in messages]

    assert run_scenario(scenario) == ["viewer", "editor", "viewer", "owner"]


def test_trashing_a_table_closes_its_sockets(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.receive("presence")
        await in_thread(trash_table, user=user, table_id=jobs.pk, origin=API)
        return await page.receive(), await page.receive_close_code()

    assert run_scenario(scenario) == ({"type": "revoked"}, 4403)


def test_changes_without_a_message_are_noticed_within_two_seconds(
    user: User, jobs: Table, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.receive("presence")
        # Written without the services, so that no message is sent.
        await in_thread(Table.objects.filter(pk=jobs.pk).update, version=90)
        await clock.advance(1)
        await in_thread(int)
        await clock.advance(1)
        received = await page.receive()
        await page.disconnect()
        return received

    assert run_scenario(scenario) == {
        "type": "change", "version": 90, "rows": "many", "schema": True, "moved": True, "change_id": None,
        "actor": None,
    }  # fmt: skip


def test_messages_of_pages_are_ignored(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)
    row = Row.objects.get(table=jobs)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.send('{"type": "change", not json')
        changed = {"id": row.pk, "data": {"Salary": 5}}
        await in_thread(update_rows, user=user, table_id=jobs.pk, rows=[changed], origin=API)
        received = await page.receive("change")
        await page.disconnect()
        return received

    assert run_scenario(scenario)["rows"] == [row.pk]
