"""The limit of sockets of an event loop that join at the same time."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

# After a restart all pages connect again at once. Requests of others get their turn between those that join.
MAX_JOINING = 4

_joining: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def turn_to_join() -> asyncio.Semaphore:
    """Return a context that is entered when a socket may read what it needs to join."""
    return _joining.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MAX_JOINING))
