"""A socket that ends with its credential, above the limit of its user, and when it does not take its messages."""
from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from contextlib import suppress
from typing import Any

from shared.websockets.clock import Clock
from shared.websockets.close_codes import OVERFLOWED, REVOKED, TOO_MANY
from shared.websockets.credential_watch import credential_watch
from shared.websockets.credentials import Credential
from shared.websockets.join_limit import JoiningSocket
from shared.websockets.user_limit import MAX_SOCKETS_OF_USER, admit

# The close code of a socket that broke.
BROKEN = 1011


class PulsingSocket(JoiningSocket):
    """`disconnect` releases what the socket holds, also when it broke.

    Channels calls it only when the client leaves. A message without a handler (of another release), a handler that
    fails or a lost channel layer ends a socket without it; its tasks would then run as long as the process.
    """

    _pulse: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None
    _releases: tuple[Callable[[], None], ...] = ()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        except Exception:
            with suppress(Exception):
                await self.disconnect(BROKEN)
            raise
        finally:
            self._rest()

    async def socket_overflow(self, event: Any) -> None:
        """Messages were dropped because the queue of this socket was full."""
        self._end(OVERFLOWED)

    async def _on_end(self) -> None:
        """Stop sending: the socket is about to be closed."""

    def _admit(self, credential: Credential, *, clock: Clock, key: Hashable) -> None:
        """From now on the socket ends with this credential; of all with this key, and of all of its user, the newest
        stay open.
        """
        self._releases = (
            credential_watch(clock).add(credential, lambda: self._end(REVOKED)),
            admit(key, self._make_room),
            admit(("user", credential.user_id), self._make_room, limit=MAX_SOCKETS_OF_USER),
        )

    def _make_room(self) -> None:
        self._end(TOO_MANY)

    def _end(self, code: int) -> None:
        """Close the socket, without waiting for it: a client that takes nothing must not delay the caller."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._close_with(code))

    async def _close_with(self, code: int) -> None:
        # Whatever fails, the socket must be closed.
        with suppress(Exception):
            await self._on_end()
        with suppress(Exception):
            if code == REVOKED:
                await self.send(text_data='{"type":"revoked"}')
            await self.close(code)

    def _begin_pulse(self, beats: Coroutine[Any, Any, None]) -> None:
        self._pulse = asyncio.create_task(beats)

    def _rest(self) -> None:
        for release in self._releases:
            release()
        self._releases = ()
        if self._pulse:
            self._pulse.cancel()
