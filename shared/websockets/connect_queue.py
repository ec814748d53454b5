"""Connects sockets one after another, so that many new sockets do not delay other requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from channels.generic.websocket import AsyncWebsocketConsumer

# Sockets that may read from the database at the same time while they connect. After a restart all pages connect again
# at once, and other requests need connections too.
MAX_CONNECT_READS = 4
Semaphores = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]

_accepting: Semaphores = WeakKeyDictionary()
_reading: Semaphores = WeakKeyDictionary()


class ClientDisconnected(Exception):
    """The client disconnected while its socket waited to connect."""


class QueuedConsumer(AsyncWebsocketConsumer):
    """A consumer that waits for its turn to connect, but no longer than its client stays connected."""

    _incoming: IncomingMessages | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._incoming = IncomingMessages(receive)
        try:
            await super().__call__(scope, self._incoming, send)
        finally:
            self._incoming.close()

    async def websocket_connect(self, message: Any) -> None:
        try:
            # One at a time: accepting takes milliseconds, after which the loop runs other tasks first.
            async with self._slot(_accepting, limit=1):
                await asyncio.sleep(0)
            await super().websocket_connect(message)
        except ClientDisconnected:
            # Channels receives the disconnect message next, and ends the socket.
            return

    def _read_slot(self) -> Any:
        """Return a context manager that waits until the socket may read its data from the database.

        Only reads belong inside: a channel layer or client that does not respond must not delay other sockets. Entering
        it raises ClientDisconnected.
        """
        return self._slot(_reading, limit=MAX_CONNECT_READS)

    @asynccontextmanager
    async def _slot(self, semaphores: Semaphores, *, limit: int) -> AsyncIterator[None]:
        semaphore = semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(limit))
        if semaphore.locked():
            await self._acquire(semaphore)
        else:
            await semaphore.acquire()
        try:
            yield
        finally:
            semaphore.release()

    async def _acquire(self, semaphore: asyncio.Semaphore) -> None:
        assert self._incoming is not None
        acquiring = asyncio.ensure_future(semaphore.acquire())
        disconnecting = asyncio.ensure_future(self._incoming.wait_for_disconnect())
        try:
            await asyncio.wait({acquiring, disconnecting}, return_when=asyncio.FIRST_COMPLETED)
            if disconnecting.done():
                raise ClientDisconnected
        except BaseException:
            if not acquiring.cancel():
                semaphore.release()
            raise
        finally:
            disconnecting.cancel()


class IncomingMessages:
    """An ASGI `receive` function that can wait for a disconnect without consuming the message."""

    def __init__(self, receive: Callable[[], Any]) -> None:
        self._receive = receive
        self._next: asyncio.Future[Any] | None = None

    async def __call__(self) -> Any:
        """Return the next message."""
        following = self._peek()
        try:
            return await following
        finally:
            self._next = None

    async def wait_for_disconnect(self) -> None:
        """Return when the client disconnects; never return if it sends a message before."""
        message = await asyncio.shield(self._peek())
        if message["type"] != "websocket.disconnect":
            await asyncio.Event().wait()

    def close(self) -> None:
        """Stop receiving."""
        if self._next is not None:
            self._next.cancel()

    def _peek(self) -> asyncio.Future[Any]:
        self._next = self._next or asyncio.ensure_future(self._receive())
        return self._next
