"""Every change is told to a page once, also those about columns, which have the page's rights looked at again."""
from __future__ import annotations

from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.contrib.auth.models import User

from tables.consumers.broadcast import group_of
from tables.models import Table
from tables.operations import Choice, Origin
from tables.services import add_rows, change_columns, create_table
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import Page, in_thread, played, session_of

API = Origin("api")
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def jobs(user: User) -> Table:
    columns = [{"name": "Company", "type": "text"}]
    return create_table(user=user, name="Jobs", columns=columns, rows=[{"Company": "Acme"}], origin=API)


def rename(user: User, table: Table, name: str) -> None:
    proposal = {"mode": "update", "operations": [], "table_name": name}
    change_columns(user=user, table_id=table.pk, proposal=proposal, choice=Choice(), origin=API)


def add_row(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Bolt"}], origin=API)


async def changes_until(page: Page, version: int) -> list[tuple[int, bool]]:
    """Version and “schema” of each change the page hears of, up to this version."""
    heard: list[tuple[int, bool]] = []
    while not heard or heard[-1][0] < version:
        change = await page.hear("change")
        heard.append((change["version"], change["schema"]))
    return heard


def test_changes_of_columns_are_told_once(user: User, jobs: Table) -> None:
    page = Page(session_of(user), jobs.pk, clock=ManualClock())

    def work() -> None:
        rename(user, jobs, "Work")
        rename(user, jobs, "Toil")
        add_row(user, jobs)

    async def scenario() -> list[tuple[int, bool]]:
        await page.open()
        await page.hear("presence")
        await in_thread(work)
        heard = await changes_until(page, jobs.version + 3)
        await page.leave()
        return heard

    first = jobs.version + 1
    assert played(scenario) == [(first, True), (first + 1, True), (first + 2, False)]


def test_what_a_page_was_told_to_read_whole_is_not_told_again_when_its_word_comes_late(user: User, jobs: Table) -> None:
    clock = ManualClock()
    page = Page(session_of(user), jobs.pk, clock=clock)

    def late_word(version: int) -> dict[str, Any]:
        body = {"version": version, "rows": [1], "schema": False, "change_id": 1, "actor": "ada"}
        return {"type": "table.change", "body": body}

    async def scenario() -> list[tuple[int, bool]]:
        layer = get_channel_layer()
        assert layer is not None
        await page.open()
        await page.hear("presence")
        # A change whose word this process has not heard yet.
        await in_thread(Table.objects.filter(pk=jobs.pk).update, version=jobs.version + 1)
        await clock.advance(1)
        await in_thread(int)
        await clock.advance(1)
        heard = await changes_until(page, jobs.version + 1)
        await layer.group_send(group_of(jobs.pk), late_word(jobs.version + 1))
        await layer.group_send(group_of(jobs.pk), late_word(jobs.version + 2))
        heard += await changes_until(page, jobs.version + 2)
        await page.leave()
        return heard

    assert played(scenario) == [(jobs.version + 1, True), (jobs.version + 2, False)]
