"""Sockets of pages, connected to a consumer in this process or to a real server."""
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
from tests.logins import sign_in
from tests.manual_clock import ManualClock

SECONDS = 120.0  # a missing message fails the test after this time
Json = dict[str, Any]


def end_session(user: User) -> None:
    """Delete all sessions."""
    Session.objects.all().delete()


def deactivate(user: User) -> None:
    """Deactivate the account."""
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User) -> None:
    """Set another password, which ends earlier sessions."""
    user.set_password("another one")
    user.save()


ENDS_OF_SESSIONS = (end_session, deactivate, change_password)


def session_of(user: User | None) -> str:
    """Return the key of a new session, or "" without a user."""
    if user is None:
        return ""
    client = Client()
    sign_in(client, user)
    return client.cookies["sessionid"].value


class Page:
    """The socket of a page of a table, connected to the consumer with a manual clock."""

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

    async def receive(self, message_type: str = "") -> Json:
        """Return the next message, or the next one of this type."""
        while True:
            message: Json = await self._socket.receive_json_from(timeout=SECONDS)
            if message_type in ("", message["type"]):
                return message

    async def receive_close_code(self) -> int:
        """Skip messages until the socket is closed and return the close code."""
        while (message := await self._socket.receive_output(timeout=SECONDS))["type"] != "websocket.close":
            pass
        return int(message["code"])

    async def wait_closed(self) -> None:
        """Wait until the consumer has ended; raise its exception."""
        await self._socket.future

    async def send(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def disconnect(self) -> None:
        await self._socket.disconnect(timeout=SECONDS)


def run_scenario(scenario: Callable[[], Awaitable[Any]]) -> Any:
    """Run the scenario in an event loop and return its result.

    `channels.testing` keeps database connections open while a page waits; they are closed at the end.
    """

    async def run() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        try:
            return await scenario()
        finally:
            await loop.run_in_executor(None, connections.close_all)
            await loop.shutdown_default_executor()

    return async_to_sync(run)()


async def in_thread(work: Any, *args: Any, **kwargs: Any) -> Any:
    """Run synchronous work in another thread, as views do."""
    return await database_sync_to_async(work, thread_sensitive=False)(*args, **kwargs)


class RealPage:
    """The socket of a page at a real server."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def receive(self, message_type: str) -> Json:
        """Return the next message of this type."""
        while True:
            message: Json = json.loads(self._socket.recv(timeout=SECONDS))
            if message["type"] == message_type:
                return message

    def wait_for_users(self, *names: str) -> None:
        """Wait until exactly these users are present."""
        while [person["name"] for person in self.receive("presence")["users"]] != [*names]:
            pass

    def receive_close_code(self) -> int:
        """Skip messages until the socket is closed and return the close code."""
        with suppress(ConnectionClosed):
            while True:
                self._socket.recv(timeout=SECONDS)
        assert self._socket.close_code is not None
        return self._socket.close_code


@contextmanager
def real_socket(server_url: str, path: str, *, session: str, origin: str = "") -> Iterator[RealPage]:
    """Open a socket at this path of a real server, from a page of `origin` (by default that of the server)."""
    headers = {"Cookie": f"sessionid={session}"}
    page_origin = Origin(origin or server_url)
    url = f"ws://{urlsplit(server_url).netloc}{path}"
    with connect(url, origin=page_origin, additional_headers=headers, open_timeout=SECONDS) as socket:
        yield RealPage(socket)


@contextmanager
def real_page(server_url: str, table_id: int | str, *, session: str, origin: str = "") -> Iterator[RealPage]:
    """Open the socket of a table's page."""
    with real_socket(server_url, f"/ws/tables/{table_id}/", session=session, origin=origin) as page:
        yield page
