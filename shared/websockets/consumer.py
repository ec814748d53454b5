"""The base class of consumers, which closes sockets when their credential ends or a user has too many; close codes."""
from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from channels.generic.websocket import AsyncWebsocketConsumer

from shared.events import Event
from shared.websockets.clock import Clock
from shared.websockets.connect_queue import QueuedConsumer
from shared.websockets.credentials import Credential, credential_watch
from shared.websockets.relay import relay

# Close codes.
# The object does not exist or is not visible to the user. The page does not connect again.
NOT_FOUND = 4404
# The credential is invalid, or access to the object has ended. The page does not connect again.
REVOKED = 4403
# The user has opened too many newer sockets. The page connects again when the user returns to it.
TOO_MANY = 4429
# The process has reached its limit of sockets. The page connects again later.
FULL = 4503
# Messages were lost because the client did not read them in time. The page connects again and reads everything.
OVERFLOWED = 1013
# After an unexpected error.
INTERNAL_ERROR = 1011

# Sockets of one user for one object, and for all objects, so that no user takes all sockets of a process.
MAX_SOCKETS = 10
MAX_SOCKETS_OF_USER = 50

# The open sockets of each key in each event loop, oldest first, as functions that close them.
_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, list[Callable[[], None]]]] = WeakKeyDictionary()


@dataclass(frozen=True, kw_only=True)
class RevokedMessage(Event):
    """The session, the token or the access has ended within the last two seconds. The socket then closes with 4403."""

    type = "revoked"


class AuthenticatedConsumer(QueuedConsumer):
    """A consumer whose `disconnect` always runs, also after an error. Subclasses declare their messages.

    Channels calls `disconnect` only when the client disconnects. After a message without a handler (from another
    release), an error in a handler or the loss of the channel layer, it ends the socket without this call, and the
    tasks of the socket would run as long as the process.
    """

    messages: ClassVar[tuple[type[Event], ...]] = ()
    # JSON schemas of the parameters in the query of the handshake.
    query: ClassVar[dict[str, Any]] = {}

    _background: tuple[asyncio.Task[None], ...] = ()
    _closing: asyncio.Task[None] | None = None
    _releases: tuple[Callable[[], None], ...] = ()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        except Exception:
            with suppress(Exception):
                await self.disconnect(INTERNAL_ERROR)
            raise
        finally:
            self._release()

    async def socket_overflow(self, event: Any) -> None:
        """Close the socket: messages were dropped because its queue was full."""
        self._close_soon(OVERFLOWED)

    async def _stop_sending(self) -> None:
        """Stop sending, because the socket is about to be closed. Subclasses override this."""

    def _register(self, credential: Credential, *, clock: Clock, key: Hashable) -> None:
        """Close the socket when this credential ends, or when the key or the user has too many newer sockets."""
        self._releases = (
            credential_watch(clock).add(credential, lambda: self._close_soon(REVOKED)),
            relay(clock).add(),
            count_socket(key, self._close_surplus),
            count_socket(("user", credential.user_id), self._close_surplus, limit=MAX_SOCKETS_OF_USER),
        )

    def _close_surplus(self) -> None:
        self._close_soon(TOO_MANY)

    def _close_soon(self, code: int) -> None:
        """Close the socket without waiting: a client that reads nothing must not delay the caller."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close_with(code))

    async def _close_with(self, code: int) -> None:
        # The socket must be closed even if the steps before fail.
        with suppress(Exception):
            await self._stop_sending()
        with suppress(Exception):
            if code == REVOKED:
                await self.send(text_data=json.dumps(RevokedMessage().as_json()))
            await self.close(code)

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine until the socket ends."""
        self._background += (asyncio.create_task(work),)

    def _release(self) -> None:
        for release in self._releases:
            release()
        self._releases = ()
        for task in self._background:
            task.cancel()
        self._background = ()


class NotFoundConsumer(AsyncWebsocketConsumer):
    """Accepts the socket before closing it, because browsers do not reveal the close code of a refused handshake."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)


def count_socket(key: Hashable, close: Callable[[], None], *, limit: int = MAX_SOCKETS) -> Callable[[], None]:
    """Count a new socket and close the oldest one above the limit. Return a function that stops counting it."""
    open_sockets = _open.setdefault(asyncio.get_running_loop(), {})
    sockets = open_sockets.setdefault(key, [])
    sockets.append(close)
    if len(sockets) > limit:
        sockets.pop(0)()

    def release() -> None:
        if close in sockets:
            sockets.remove(close)
        if not sockets and open_sockets.get(key) is sockets:
            del open_sockets[key]

    return release
