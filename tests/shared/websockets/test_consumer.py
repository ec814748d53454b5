"""A socket that fails stops its tasks and leaves the presence list."""
from __future__ import annotations

import asyncio

import pytest
from channels.layers import get_channel_layer
from django.contrib.auth.models import User

from chat.consumers.chat_socket import user_group
from tables.consumers.broadcast import group_of
from tables.models import Member
from tables.operations import Origin
from tables.services import create_table
from tests.chat.consumers.test_chat_socket import Page as ChatPage
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import Page, run_scenario, session_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_failed_table_socket_leaves_the_presence_list(user: User, other_user: User) -> None:
    table = create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))
    Member.objects.create(table=table, user=other_user, role="viewer")
    clock = ManualClock()
    ada, grace = (Page(session_of(each_user), table.pk, clock=clock) for each_user in (user, other_user))

    async def scenario() -> list[str]:
        await ada.open()
        await ada.receive("presence")
        sending = [task for task in asyncio.all_tasks() if "TableSocket._send" in repr(task.get_coro())]
        assert len(sending) == 2
        # A process of another release may send unknown messages.
        message = {"type": "table.of_another_release"}
        await get_channel_layer().group_send(group_of(table.pk), message)
        with pytest.raises(ValueError, match="No handler"):
            await ada.wait_closed()
        await asyncio.sleep(0)
        assert all(task.done() for task in sending)
        await grace.open()
        seen = (await grace.receive("presence"))["users"]
        await grace.disconnect()
        return [each_user["name"] for each_user in seen]

    assert run_scenario(scenario) == ["grace"]


def test_a_failed_chat_socket_stops_its_credential_checks(user: User) -> None:
    page = ChatPage(session_of(user), clock=ManualClock())

    async def scenario() -> list[str]:
        await page.open()
        await page.receive()
        message = {"type": "chat.of_another_release"}
        await get_channel_layer().group_send(user_group(user.pk), message)
        with pytest.raises(ValueError, match="No handler"):
            await page.end()
        await asyncio.sleep(0)
        return [task.get_name() for task in asyncio.all_tasks() if task.get_name() == "credential watch"]

    assert run_scenario(scenario) == []
