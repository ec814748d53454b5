"""Checks the credentials of everything that is open in an event loop, all at once and once a second."""
from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async

from shared.websockets.clock import Clock
from shared.websockets.credentials import Credential, valid_credentials

# Whatever is open ends within two seconds of its credential.
CHECK_SECONDS = 1.0

logger = logging.getLogger(__name__)

# Not in the one thread that Django uses for thread-sensitive work: a slow query there would delay every check.
valid_in_thread = database_sync_to_async(valid_credentials, thread_sensitive=False)


class CredentialWatch:
    """Calls back, once, when a credential no longer holds. It runs as long as there is something to check."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._watched: dict[object, tuple[Credential, Callable[[], None]]] = {}
        self._task: asyncio.Task[None] | None = None

    def add(self, credential: Credential, on_end: Callable[[], None]) -> Callable[[], None]:
        """Check this credential from now on; return what ends that, which may be called more than once."""
        key = object()
        self._watched[key] = (credential, on_end)
        if self._task is None or self._task.done():
            # In a context of its own: the first request must not lend its variables to all later checks.
            loop = asyncio.get_running_loop()
            self._task = loop.create_task(self._run(), name="credential watch", context=contextvars.Context())

        def remove() -> None:
            self._watched.pop(key, None)
            if not self._watched and self._task is not None:
                self._task.cancel()
                self._task = None

        return remove

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            try:
                await self._check()
            except Exception:
                # While the database is away nothing ends: the next check asks again.
                logger.exception("could not check the credentials of %s open connections", len(self._watched))

    async def _check(self) -> None:
        watched = list(self._watched.items())
        valid = await valid_in_thread({credential for _, (credential, _) in watched})
        ended = [(key, on_end) for key, (credential, on_end) in watched if credential not in valid]
        for key, on_end in ended:
            # Not one that was closed while the database answered.
            if self._watched.pop(key, None) is not None:
                on_end()


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Clock, CredentialWatch]] = WeakKeyDictionary()


def credential_watch(clock: Clock) -> CredentialWatch:
    """Return the watch of the running event loop that goes by this clock."""
    watches = _watches.setdefault(asyncio.get_running_loop(), {})
    if clock not in watches:
        watches[clock] = CredentialWatch(clock)
    return watches[clock]
