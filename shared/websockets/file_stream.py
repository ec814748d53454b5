"""A file as a streamed answer that breaks off when the right to receive it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import IO

from asgiref.sync import sync_to_async
from django.db import Error

from shared.db import giving_back
from shared.websockets.clock import Clock

CHUNK = 64 * 1024
# The stream ends within two seconds of the right to it.
CHECK_SECONDS = 1.0

logger = logging.getLogger(__name__)


class AccessEnded(Exception):
    """The right to receive a streamed answer ended before the answer did."""


class FileStream:
    """Chunks of an open file, each read when the client has taken the one before, in a thread.

    `has_access` is asked, in a thread too, before each chunk that is read a second or more after the last check. When
    it says no the stream raises AccessEnded: the connection closes before the answer is complete, so that no client
    takes the file for a whole one. `checked_at`: when access was last checked, by the clock.
    """

    def __init__(self, file: IO[bytes], *, has_access: Callable[[], bool], clock: Clock, checked_at: float) -> None:
        self._file = file
        self._has_access = has_access
        self._clock = clock
        self._checked_at = checked_at

    def __aiter__(self) -> FileStream:
        return self

    async def __anext__(self) -> bytes:
        now = self._clock.monotonic()
        if now - self._checked_at >= CHECK_SECONDS:
            await self._check()
            self._checked_at = now
        chunk = await sync_to_async(self._file.read, thread_sensitive=False)(CHUNK)
        if not chunk:
            self.close()
            raise StopAsyncIteration
        return chunk

    async def _check(self) -> None:
        try:
            has_access = await sync_to_async(giving_back, thread_sensitive=False)(self._has_access)
        except Error:
            # While the database is away nothing ends: the next check asks again.
            logger.exception("could not check access to a file during its download")
            return
        if not has_access:
            self.close()
            raise AccessEnded

    def close(self) -> None:
        """Django calls this when the answer is over, also where the client has disconnected."""
        self._file.close()
