"""Sockets that wait for the channel layer or their client while joining do not delay others."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer
from channels.routing import URLRouter
from channels.sessions import SessionMiddlewareStack
from django.contrib.auth.models import User
from django.urls import path

from chat.consumers.chat_socket import ChatSocket
from shared.websockets.connect_queue import MAX_CONNECT_READS, QueuedConsumer
from tables.consumers.table_socket import TableSocket
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import SECONDS, run_scenario, session_of
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
    """Open a socket whose client receives no messages after the socket was accepted."""
    connecting = asyncio.Queue[dict[str, Any]]()
    connecting.put_nowait({"type": "websocket.connect"})

    async def send(message: dict[str, Any]) -> None:
        if message["type"] != "websocket.accept":
            await wait_forever(message["type"], waiting=waiting)

    clock = ManualClock()
    sockets = [
        path("chat/", ChatSocket.as_asgi(clock=clock)),
        path("tables/<int:table_id>/", TableSocket.as_asgi(clock=clock)),
    ]
    headers = [(b"cookie", f"sessionid={session}".encode())]
    scope = {"type": "websocket", "path": url, "headers": headers, "query_string": b""}
    await SessionMiddlewareStack(URLRouter(sockets))(scope, connecting.get, send)


@pytest.mark.parametrize("url", ["/chat/", "/tables/{}/"])
@pytest.mark.parametrize(
    ("signed_in", "reachable", "blocked_in"),
    [(True, False, "group_add"), (True, True, "websocket.send"), (False, True, "websocket.close")],
)
def test_a_socket_that_waits_for_others_does_not_block_reads(
    user: User, settings: Any, url: str, signed_in: bool, reachable: bool, blocked_in: str
) -> None:
    url, session = url.format(write_table(user, [], []).pk), session_of(user if signed_in else None)
    waiting = asyncio.Queue[str]()
    if not reachable:
        layer = f"{UnreachableLayer.__module__}.{UnreachableLayer.__qualname__}"
        settings.CHANNEL_LAYERS = {"default": {"BACKEND": layer, "CONFIG": {"waiting": waiting}}}

    async def scenario() -> list[str]:
        # One more than the limit of concurrent reads.
        joining = [asyncio.create_task(join(url, session, waiting=waiting)) for _ in range(MAX_CONNECT_READS + 1)]
        try:
            return [await asyncio.wait_for(waiting.get(), SECONDS) for _ in joining]
        finally:
            for each in joining:
                each.cancel()
            await asyncio.gather(*joining, return_exceptions=True)

    assert run_scenario(scenario) == [blocked_in] * (MAX_CONNECT_READS + 1)


class Reader(QueuedConsumer):
    """A socket that adds its path to `reading` when its join read starts, and reads until `go` is set."""

    def __init__(self, *, reading: asyncio.Queue[str], go: asyncio.Event) -> None:
        super().__init__()
        self._reading, self._go = reading, go

    async def connect(self) -> None:
        await self.accept()
        async with self._read_slot():
            self._reading.put_nowait(self.scope["path"])
            await self._go.wait()


class Client:
    """A client of a Reader; `events` collects the types of messages it receives."""

    def __init__(self, path: str, *, reading: asyncio.Queue[str], go: asyncio.Event, events: list[str]) -> None:
        self._messages = asyncio.Queue[dict[str, Any]]()
        self._messages.put_nowait({"type": "websocket.connect"})
        self._events = events
        application = Reader.as_asgi(reading=reading, go=go)
        self.socket = asyncio.ensure_future(application({"type": "websocket", "path": path}, self._messages.get, self))

    async def __call__(self, message: dict[str, Any]) -> None:
        self._events.append(message["type"])

    async def leave(self) -> None:
        """Disconnect, and wait until the socket has ended."""
        self._messages.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self.socket, SECONDS)


def test_a_client_that_leaves_before_the_join_read_is_not_read_for() -> None:
    async def scenario() -> list[str]:
        reading, go, events = asyncio.Queue[str](), asyncio.Event(), list[str]()
        names = [str(number) for number in range(MAX_CONNECT_READS + 2)]
        clients = [Client(name, reading=reading, go=go, events=events) for name in names]
        read = [await asyncio.wait_for(reading.get(), SECONDS) for _ in range(MAX_CONNECT_READS)]
        await clients[MAX_CONNECT_READS].leave()
        go.set()
        read.append(await asyncio.wait_for(reading.get(), SECONDS))
        for client in clients[:MAX_CONNECT_READS] + clients[MAX_CONNECT_READS + 1 :]:
            await client.leave()
        return read

    read = asyncio.run(scenario())
    assert read == [*(str(number) for number in range(MAX_CONNECT_READS)), str(MAX_CONNECT_READS + 1)]


def test_other_tasks_run_between_two_accepted_sockets() -> None:
    async def scenario() -> list[str]:
        reading, go, events = asyncio.Queue[str](), asyncio.Event(), list[str]()
        go.set()
        clients = [Client(str(number), reading=reading, go=go, events=events) for number in range(5)]
        while reading.qsize() < len(clients):
            events.append("another task")
            await asyncio.sleep(0)
        for client in clients:
            await client.leave()
        return events

    events = asyncio.run(scenario())
    assert events.count("websocket.accept") == 5
    assert ("websocket.accept", "websocket.accept") not in itertools.pairwise(events)
