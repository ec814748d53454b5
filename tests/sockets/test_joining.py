"""Sockets that wait for the channel layer or for their clients while they join do not delay the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer
from channels.routing import URLRouter
from channels.sessions import SessionMiddlewareStack
from django.contrib.auth.models import User
from django.urls import path

from chat.consumers.chat_socket import ChatSocket
from sockets.join_limit import MAX_JOIN_READS
from tables.consumers.table_socket import TableSocket
from tests.hand_clock import HandClock
from tests.tables.consumers.sockets import SECONDS, played, session_of
from tests.tables.sample_tables import write_table

pytestmark = pytest.mark.django_db(transaction=True)


class UnreachableLayer(InMemoryChannelLayer):
    """A channel layer that never adds a channel to a group."""

    def __init__(self, *, waiting: asyncio.Queue[str], **options: Any) -> None:
        super().__init__(**options)
        self._waiting = waiting

    async def group_add(self, group: str, channel: str) -> None:
        await wait_forever("group_add", waiting=self._waiting)


async def wait_forever(name: str, *, waiting: asyncio.Queue[str]) -> None:
    waiting.put_nowait(name)
    await asyncio.Event().wait()


async def join(url: str, session: str, *, waiting: asyncio.Queue[str]) -> None:
    """Open a socket whose client takes no messages once it is accepted."""
    connecting = asyncio.Queue[dict[str, Any]]()
    connecting.put_nowait({"type": "websocket.connect"})

    async def send(message: dict[str, Any]) -> None:
        if message["type"] != "websocket.accept":
            await wait_forever(message["type"], waiting=waiting)

    clock = HandClock()
    sockets = [
        path("chat/", ChatSocket.as_asgi(clock=clock)),
        path("tables/<int:table_id>/", TableSocket.as_asgi(clock=clock)),
    ]
    headers = [(b"cookie", f"sessionid={session}".encode())]
    scope = {"type": "websocket", "path": url, "headers": headers, "query_string": b""}
    await SessionMiddlewareStack(URLRouter(sockets))(scope, connecting.get, send)


@pytest.mark.parametrize("url", ["/chat/", "/tables/{}/"])
@pytest.mark.parametrize(
    ("signed_in", "reachable", "waits_for"),
    [(True, False, "group_add"), (True, True, "websocket.send"), (False, True, "websocket.close")],
)
def test_a_socket_that_waits_for_something_else_lets_the_next_one_read(
    user: User, settings: Any, url: str, signed_in: bool, reachable: bool, waits_for: str
) -> None:
    url, session = url.format(write_table(user, [], []).pk), session_of(user if signed_in else None)
    waiting = asyncio.Queue[str]()
    if not reachable:
        layer = f"{UnreachableLayer.__module__}.{UnreachableLayer.__qualname__}"
        settings.CHANNEL_LAYERS = {"default": {"BACKEND": layer, "CONFIG": {"waiting": waiting}}}

    async def scenario() -> list[str]:
        # One more than may read at the same time.
        joining = [asyncio.create_task(join(url, session, waiting=waiting)) for _ in range(MAX_JOIN_READS + 1)]
        try:
            return [await asyncio.wait_for(waiting.get(), SECONDS) for _ in joining]
        finally:
            for each in joining:
                each.cancel()
            await asyncio.gather(*joining, return_exceptions=True)

    assert played(scenario) == [waits_for] * (MAX_JOIN_READS + 1)
