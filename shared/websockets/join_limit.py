"""Turns of the sockets of an event loop that join: a burst of them delays neither other requests nor each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from channels.generic.websocket import AsyncWebsocketConsumer

# After a restart all pages connect again at once. Requests of others get their turn between those that join.
MAX_JOIN_READS = 4
Turns = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]

_beginning: Turns = WeakKeyDictionary()
_reading: Turns = WeakKeyDictionary()


class PageLeft(Exception):
    """The client disconnected while its socket waited to join."""


class JoiningSocket(AsyncWebsocketConsumer):
    """A socket that joins in turn, and gives up waiting for its turn when its client disconnects."""

    _incoming: Incoming | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._incoming = Incoming(receive)
        try:
            await super().__call__(scope, self._incoming, send)
        finally:
            self._incoming.close()

    async def websocket_connect(self, message: Any) -> None:
        try:
            # One at a time: the loop serves others before the next one is accepted, which costs it milliseconds.
            async with self._turn(_beginning, limit=1):
                await asyncio.sleep(0)
            await super().websocket_connect(message)
        except PageLeft:
            # Channels now receives that, and ends the socket.
            return

    def _turn_to_read(self) -> Any:
        """Return a context that is entered when the socket may read what it needs to join. Raises PageLeft.

        Only reads belong into it: a channel layer or a client that does not answer must not delay the other sockets.
        """
        return self._turn(_reading, limit=MAX_JOIN_READS)

    @asynccontextmanager
    async def _turn(self, turns: Turns, *, limit: int) -> AsyncIterator[None]:
        turn = turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(limit))
        if turn.locked():
            await self._acquire(turn)
        else:
            await turn.acquire()
        try:
            yield
        finally:
            turn.release()

    async def _acquire(self, turn: asyncio.Semaphore) -> None:
        assert self._incoming is not None
        acquiring = asyncio.ensure_future(turn.acquire())
        leaving = asyncio.ensure_future(self._incoming.wait_for_disconnect())
        try:
            await asyncio.wait({acquiring, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                raise PageLeft
        except BaseException:
            if not acquiring.cancel():
                turn.release()
            raise
        finally:
            leaving.cancel()


class Incoming:
    """The messages of a client, one of which may be received before it is asked for."""

    def __init__(self, receive: Callable[[], Any]) -> None:
        self._receive = receive
        self._next: asyncio.Future[Any] | None = None

    async def __call__(self) -> Any:
        """Return the next message."""
        following = self._following()
        try:
            return await following
        finally:
            self._next = None

    async def wait_for_disconnect(self) -> None:
        """Return when the client disconnects, which remains the next message; never, if it sends something before."""
        message = await asyncio.shield(self._following())
        if message["type"] != "websocket.disconnect":
            await asyncio.Event().wait()

    def close(self) -> None:
        """Stop receiving."""
        if self._next is not None:
            self._next.cancel()

    def _following(self) -> asyncio.Future[Any]:
        self._next = self._next or asyncio.ensure_future(self._receive())
        return self._next
