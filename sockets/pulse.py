"""A socket that does something by itself now and then, and ceases to when it ends, however it ends."""
from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

# As a server closes a socket that broke.
BROKEN = 1011


class PulsingSocket(AsyncWebsocketConsumer):
    """`disconnect` is where it gives back what it holds: of one that broke, too.

    Channels calls that only where a page leaves. A word that could not be followed (the database was away, it came from
    another release) or a channel layer that is gone ends a socket without it: what it does by itself would go on as
    long as the process, and others would be told that somebody is there who left long ago.
    """

    _pulse: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        except Exception:
            with suppress(Exception):
                await self.disconnect(BROKEN)
            raise
        finally:
            self._rest()

    def _begin_pulse(self, beats: Coroutine[Any, Any, None]) -> None:
        self._pulse = asyncio.create_task(beats)

    def _rest(self) -> None:
        if self._pulse:
            self._pulse.cancel()
