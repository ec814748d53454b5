"""A file as a streamed response that is aborted when the client loses access to it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import IO

from asgiref.sync import sync_to_async
from django.db import Error

from shared.db import call_and_close
from shared.websockets.clock import Clock

CHUNK = 64 * 1024
# The stream ends within two seconds of the access to it.
CHECK_SECONDS = 1.0

logger = logging.getLogger(__name__)


class AccessEnded(Exception):
    """The client lost access during a streamed response."""


class FileStream:
    """Chunks of an open file, each read in a thread once the client has received the one before.

    `has_access` is called, also in a thread, before a chunk if the last check was a second or more ago. When it returns
    False the stream raises AccessEnded: the connection closes before the response is complete, so that the client does
    not take the file for complete. `checked_at` is the time of the last check by `clock`. `length` is the number of
    bytes that are sent; None: all.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        has_access: Callable[[], bool],
        clock: Clock,
        checked_at: float,
        length: int | None = None,
    ) -> None:
        self._file = file
        self._left = sys.maxsize if length is None else length
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
        chunk = await sync_to_async(self._file.read, thread_sensitive=False)(min(CHUNK, self._left))
        self._left -= len(chunk)
        if not chunk:
            self.close()
            raise StopAsyncIteration
        return chunk

    async def _check(self) -> None:
        try:
            has_access = await sync_to_async(call_and_close, thread_sensitive=False)(self._has_access)
        except Error:
            # While the database is unavailable nothing is ended; the next check tries again.
            logger.exception("could not check access to a file during its download")
            return
        if not has_access:
            self.close()
            raise AccessEnded

    def close(self) -> None:
        """Close the file. Django calls this at the end of the response, also when the client has disconnected."""
        self._file.close()
