"""The limits of sockets that one user may have open, for one object and in all, in each event loop."""
from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from weakref import WeakKeyDictionary

MAX_SOCKETS = 10
# So that no user takes all sockets of a process.
MAX_SOCKETS_OF_USER = 50

# The open sockets of each key, oldest first, as what closes them.
_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, list[Callable[[], None]]]] = WeakKeyDictionary()


def admit(key: Hashable, close: Callable[[], None], *, limit: int = MAX_SOCKETS) -> Callable[[], None]:
    """Count a new socket and close the oldest one above the limit; return what stops counting it."""
    open_here = _open.setdefault(asyncio.get_running_loop(), {})
    sockets = open_here.setdefault(key, [])
    sockets.append(close)
    if len(sockets) > limit:
        sockets.pop(0)()

    def leave() -> None:
        if close in sockets:
            sockets.remove(close)
        if not sockets and open_here.get(key) is sockets:
            del open_here[key]

    return leave
