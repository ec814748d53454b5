"""The limit of sockets of an event loop that read the database at the same time in order to join."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

# After a restart all pages connect again at once. Requests of others get their turn between those that join.
MAX_JOIN_READS = 4

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def turn_to_join() -> asyncio.Semaphore:
    """Return a context that is entered when a socket may read what it needs to join.

    Only reads belong into it: a channel layer or a client that does not answer must not delay the other sockets.
    """
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MAX_JOIN_READS))
