"""A page with an open table hears of what changes, who else looks, and that it may look no longer."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from tables.models import Member, Row, Table
from tables.operations import Origin
from tables.services import add_rows, transfer_ownership, trash_table, undo_change, update_rows
from tables.services.sharing.members import change_member, remove_member
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import ENDS_OF_SESSIONS, Page, in_thread, played

API = Origin("api")
pytestmark = pytest.mark.django_db(transaction=True)


def add_companies(user: User, table: Table, *, many: int = 1) -> None:
    rows = [{"Company": f"Bolt {number}"} for number in range(many)]
    add_rows(user=user, table_id=table.pk, rows=rows, origin=API)


def test_a_change_is_told_with_its_rows_and_who_made_it(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.hear("presence")
        await in_thread(add_companies, user, jobs, many=2)
        heard = await page.hear("change")
        await page.leave()
        return heard

    heard = played(scenario)
    added = list(Row.objects.filter(table=jobs).order_by("pk").values_list("pk", flat=True))[1:]
    change = jobs.changes.order_by("-pk").first()
    assert heard == {
        "type": "change", "version": change.version, "rows": added, "schema": False, "moved": False,
        "change_id": change.pk, "actor": "ada",
    }  # fmt: skip


@pytest.mark.parametrize(("many", "told"), [(500, list), (501, str)], ids=["500 rows by id", "501 rows as many"])
def test_over_500_rows_are_just_many(
    user: User, jobs: Table, page_of: Callable[..., Page], many: int, told: type
) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(add_companies, user, jobs, many=many)
        heard = await page.hear("change")
        await page.leave()
        return heard

    rows = played(scenario)["rows"]
    assert isinstance(rows, told)
    assert rows == "many" or len(rows) == 500


def test_an_undo_is_a_change_like_any_other(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)
    last = jobs.changes.order_by("-pk").first()

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(undo_change, user=user, table_id=jobs.pk, change_id=last.pk)
        heard = await page.hear("change")
        await page.leave()
        return heard

    heard = played(scenario)
    assert (heard["version"], heard["rows"]) == (last.version + 1, [Row.objects.get(table=jobs).pk])


def test_what_is_rolled_back_is_never_told(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)

    def rolled_back() -> None:
        with transaction.atomic():
            add_companies(user, jobs)
            transaction.set_rollback(True)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await in_thread(rolled_back)
        await in_thread(add_companies, user, jobs)
        heard = await page.hear("change")
        await page.leave()
        return heard

    heard = played(scenario)
    jobs.refresh_from_db()
    assert heard["version"] == jobs.version


def test_a_missing_table_and_somebody_elses_close_alike(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    pages = page_of(other_user), page_of(other_user, jobs.pk + 1_000)

    async def scenario() -> list[int]:
        return [await (await page.open()).hear_close() for page in pages]

    assert played(scenario) == [4404, 4404]


def test_who_is_not_signed_in_hears_nothing_of_any_table(jobs: Table, page_of: Callable[..., Page]) -> None:
    pages = page_of(None), page_of(None, jobs.pk + 1_000)

    async def scenario() -> list[int]:
        return [await (await page.open()).hear_close() for page in pages]

    assert played(scenario) == [4403, 4403]


def test_members_see_each_other_come_and_go(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    ada, again, grace = page_of(user), page_of(user), page_of(other_user)

    def names(message: dict[str, Any]) -> list[str]:
        return [person["initials"] for person in message["users"]]

    async def scenario() -> list[list[str]]:
        seen = []
        await ada.open()
        seen.append(names(await ada.hear("presence")))
        await again.open()
        await grace.open()
        seen.append(names(await ada.hear("presence")))
        seen.append(names(await grace.hear("presence")))
        await grace.leave()
        seen.append(names(await ada.hear("presence")))
        await again.leave()
        await ada.leave()
        return seen

    assert played(scenario) == [["A"], ["A", "G"], ["A", "G"], ["A"]]


def test_presence_is_told_again_every_30_seconds(
    user: User, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.hear("presence")
        await clock.advance(30)
        heard = await page.hear()
        await page.leave()
        return heard

    assert played(scenario)["users"] == [{"name": "ada", "initials": "A", "you": True}]


@pytest.mark.parametrize("end", ENDS_OF_SESSIONS)
def test_within_a_second_of_the_sessions_end_the_socket_is_closed(
    user: User, page_of: Callable[..., Page], clock: ManualClock, end: Callable[[User], None]
) -> None:
    page = page_of(user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.hear("presence")
        await in_thread(end, user)
        await clock.advance(1)
        return await page.hear(), await page.hear_close()

    assert played(scenario) == ({"type": "revoked"}, 4403)


def test_a_member_who_is_removed_is_sent_away_at_once(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    page = page_of(other_user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.hear("presence")
        await in_thread(remove_member, user=user, table_id=jobs.pk, name="grace")
        return await page.hear(), await page.hear_close()

    assert played(scenario) == ({"type": "revoked"}, 4403)


def test_a_right_that_another_process_takes_away_ends_the_socket_within_a_second(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    member = Member.objects.create(table=jobs, user=other_user, role="viewer")
    page = page_of(other_user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.hear("presence")
        # Deleted past the services: no message says so.
        await in_thread(member.delete)
        await clock.advance(1)
        return await page.hear(), await page.hear_close()

    assert played(scenario) == ({"type": "revoked"}, 4403)


def test_who_gives_a_table_away_or_leaves_it_hears_it_when_there_is_nothing_left_to_look_at(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    former = page_of(user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await former.open()
        await former.hear("presence")
        await in_thread(transfer_ownership, user=user, table_id=jobs.pk, to="grace")
        # Still an editor: what happens next is still told.
        await in_thread(add_companies, user, jobs)
        await former.hear("change")
        await in_thread(remove_member, user=user, table_id=jobs.pk, name="ada")
        return await former.hear("revoked"), await former.hear_close()

    assert played(scenario) == ({"type": "revoked"}, 4403)


def test_who_is_given_a_table_or_another_role_in_it_hears_so_at_once(
    user: User, other_user: User, jobs: Table, page_of: Callable[..., Page]
) -> None:
    Member.objects.create(table=jobs, user=other_user, role="viewer")
    page = page_of(other_user)

    async def scenario() -> list[str]:
        await page.open()
        heard = [await page.hear("presence")]
        await in_thread(change_member, user=user, table_id=jobs.pk, name="grace", role="editor")
        heard.append(await page.hear())
        await in_thread(transfer_ownership, user=user, table_id=jobs.pk, to="grace")
        heard.append(await page.hear())
        await page.leave()
        return [message["role"] for message in heard]

    assert played(scenario) == ["viewer", "editor", "owner"]


def test_a_table_in_the_trash_closes_its_pages(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)

    async def scenario() -> tuple[dict[str, Any], int]:
        await page.open()
        await page.hear("presence")
        await in_thread(trash_table, user=user, table_id=jobs.pk, origin=API)
        return await page.hear(), await page.hear_close()

    assert played(scenario) == ({"type": "revoked"}, 4403)


def test_a_change_of_a_process_that_cannot_be_heard_is_noticed_within_two_seconds(
    user: User, jobs: Table, page_of: Callable[..., Page], clock: ManualClock
) -> None:
    page = page_of(user)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.hear("presence")
        # Written past the services: the word of it reaches nobody.
        await in_thread(Table.objects.filter(pk=jobs.pk).update, version=90)
        await clock.advance(1)
        await in_thread(int)
        await clock.advance(1)
        heard = await page.hear()
        await page.leave()
        return heard

    assert played(scenario) == {
        "type": "change", "version": 90, "rows": "many", "schema": True, "moved": True, "change_id": None,
        "actor": None,
    }  # fmt: skip


def test_what_a_page_says_is_not_listened_to(user: User, jobs: Table, page_of: Callable[..., Page]) -> None:
    page = page_of(user)
    row = Row.objects.get(table=jobs)

    async def scenario() -> dict[str, Any]:
        await page.open()
        await page.say('{"type": "change", not json')
        changed = {"id": row.pk, "data": {"Salary": 5}}
        await in_thread(update_rows, user=user, table_id=jobs.pk, rows=[changed], origin=API)
        heard = await page.hear("change")
        await page.leave()
        return heard

    assert played(scenario)["rows"] == [row.pk]
