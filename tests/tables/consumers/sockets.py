"""Pages of a table as far as sockets go: joined to the consumers by hand, or to a real server."""
from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from channels.sessions import SessionMiddlewareStack
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connections
from django.test import Client
from django.urls import path
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tables.consumers.table_socket import TableSocket
from tests.manual_clock import ManualClock

# When a test that waits for something that never comes is given up; nothing is measured with it.
SECONDS = 120.0
Json = dict[str, Any]


def end_session(user: User) -> None:
    """They sign out everywhere."""
    Session.objects.all().delete()


def deactivate(user: User) -> None:
    """They may sign in no more."""
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User) -> None:
    """They have another one: what was signed in before counts no more."""
    user.set_password("another one")
    user.save()


ENDS_OF_SESSIONS = (end_session, deactivate, change_password)


def session_of(user: User | None) -> str:
    """The key of a new session."""
    if user is None:
        return ""
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


class Page:
    """An open page whose time passes by hand."""

    def __init__(self, session: str, table_id: int, *, clock: ManualClock, token: str = "") -> None:
        consumer = TableSocket.as_asgi(clock=clock)
        application = SessionMiddlewareStack(URLRouter([path("ws/tables/<int:table_id>/", consumer)]))
        headers = [(b"cookie", f"sessionid={session}".encode())]
        if token:
            headers = [(b"authorization", f"Bearer {token}".encode())]
        self._socket = WebsocketCommunicator(application, f"/ws/tables/{table_id}/", headers=headers)

    async def open(self) -> Page:
        await self._socket.connect(timeout=SECONDS)
        return self

    async def hear(self, kind: str = "") -> Json:
        """The next message, of this kind when one is asked for."""
        while True:
            message: Json = await self._socket.receive_json_from(timeout=SECONDS)
            if kind in ("", message["type"]):
                return message

    async def hear_close(self) -> int:
        """The code with which it was closed; messages before it do not matter."""
        while (heard := await self._socket.receive_output(timeout=SECONDS))["type"] != "websocket.close":
            pass
        return int(heard["code"])

    async def end(self) -> None:
        """Returns when the socket has ended at the server; raises what broke it there."""
        await self._socket.future

    async def say(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def leave(self) -> None:
        await self._socket.disconnect(timeout=SECONDS)


def played(scene: Callable[[], Awaitable[Any]]) -> Any:
    """What the scene gives.

    While a page waits to hear, `channels.testing` keeps connections from being given back: here they are, as it ends.
    """

    async def play() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        try:
            return await scene()
        finally:
            await loop.run_in_executor(None, connections.close_all)
            await loop.shutdown_default_executor()

    return async_to_sync(play)()


async def in_thread(work: Any, *args: Any, **kwargs: Any) -> Any:
    """What a view does: synchronous work in a thread of its own."""
    return await database_sync_to_async(work, thread_sensitive=False)(*args, **kwargs)


class RealPage:
    """An open page at a real server."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def hear(self, kind: str) -> Json:
        """The next message of this kind."""
        while True:
            message: Json = json.loads(self._socket.recv(timeout=SECONDS))
            if message["type"] == kind:
                return message

    def sees(self, *names: str) -> None:
        """Returns as soon as exactly these people look; whoever comes and goes before that does not matter."""
        while [person["name"] for person in self.hear("presence")["users"]] != [*names]:
            pass

    def hear_close(self) -> int:
        """The code with which it was closed; messages before it do not matter."""
        with suppress(ConnectionClosed):
            while True:
                self._socket.recv(timeout=SECONDS)
        assert self._socket.close_code is not None
        return self._socket.close_code


@contextmanager
def real_socket(address: str, path: str, *, session: str, origin: str = "") -> Iterator[RealPage]:
    """A socket at this path of a real server, opened by a page from `origin` (its own when none is given)."""
    headers = {"Cookie": f"sessionid={session}"}
    came_from = Origin(origin or address)
    url = f"ws://{urlsplit(address).netloc}{path}"
    with connect(url, origin=came_from, additional_headers=headers, open_timeout=SECONDS) as socket:
        yield RealPage(socket)


@contextmanager
def real_page(address: str, table_id: int | str, *, session: str, origin: str = "") -> Iterator[RealPage]:
    """An open page of a table."""
    with real_socket(address, f"/ws/tables/{table_id}/", session=session, origin=origin) as page:
        yield page
