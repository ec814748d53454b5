"""Every change is sent to a page once, including column changes, which repeat the access check."""
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
from tests.tables.consumers.sockets import Page, in_thread, run_scenario, session_of

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
    """Return version and "schema" of each change that the page receives, up to this version."""
    received: list[tuple[int, bool]] = []
    while not received or received[-1][0] < version:
        change = await page.receive("change")
        received.append((change["version"], change["schema"]))
    return received


def test_column_changes_are_sent_once(user: User, jobs: Table) -> None:
    page = Page(session_of(user), jobs.pk, clock=ManualClock())

    def work() -> None:
        rename(user, jobs, "Work")
        rename(user, jobs, "Toil")
        add_row(user, jobs)

    async def scenario() -> list[tuple[int, bool]]:
        await page.open()
        await page.receive("presence")
        await in_thread(work)
        received = await changes_until(page, jobs.version + 3)
        await page.disconnect()
        return received

    first = jobs.version + 1
    assert run_scenario(scenario) == [(first, True), (first + 1, True), (first + 2, False)]


def test_a_late_message_about_a_noticed_change_is_not_sent_again(user: User, jobs: Table) -> None:
    clock = ManualClock()
    page = Page(session_of(user), jobs.pk, clock=clock)

    def late_message(version: int) -> dict[str, Any]:
        body = {"type": "change", "version": version, "rows": [1], "schema": False, "change_id": 1, "actor": "ada"}
        return {"type": "table.change", "body": body}

    async def scenario() -> list[tuple[int, bool]]:
        layer = get_channel_layer()
        assert layer is not None
        await page.open()
        await page.receive("presence")
        # A change whose message has not reached this process yet.
        await in_thread(Table.objects.filter(pk=jobs.pk).update, version=jobs.version + 1)
        await clock.advance(1)
        await in_thread(int)
        await clock.advance(1)
        received = await changes_until(page, jobs.version + 1)
        await layer.group_send(group_of(jobs.pk), late_message(jobs.version + 1))
        await layer.group_send(group_of(jobs.pk), late_message(jobs.version + 2))
        received += await changes_until(page, jobs.version + 2)
        await page.disconnect()
        return received

    assert run_scenario(scenario) == [(jobs.version + 1, True), (jobs.version + 2, False)]
