"""Divides the requests that a process works on at the same time among its clients."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque

from accounts.exceptions import TooMany
from chatproject.error_messages import TOO_MANY_RUNNING

# Only clients with fewer requests at work may use the reserve.
LIGHT = 1
RETRY_SECONDS = 2


class Shares:
    """Slots for requests that use the database, for one event loop.

    A client (a user or an address) has at most `per_client` of the `slots` at a time. Clients that wait take turns, so
    that one with many requests does not delay the first of another. The last `reserve` slots are for clients that have
    none.
    """

    def __init__(self, *, slots: int, reserve: int, per_client: int, max_waiting: int, seconds: float) -> None:
        self._slots = slots
        self._reserve = reserve
        self._per_client = per_client
        self._max_waiting = max_waiting
        self._seconds = seconds
        self._active: Counter[str] = Counter()
        # The client whose turn is next comes first.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def acquire(self, client: str) -> None:
        """Wait for a slot. Raises TooMany when too many requests of this client wait, or after `seconds`."""
        queue = self._waiting.get(client)
        if queue is None and self._may_start(client):
            self._active[client] += 1
            return
        if queue is None:
            queue = self._waiting[client] = deque()
        elif len(queue) >= self._max_waiting:
            raise _too_many()
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(granted)
        try:
            async with asyncio.timeout(self._seconds):
                await granted
        except BaseException as error:
            if granted.done() and not granted.cancelled():
                # The slot was granted in the same moment.
                self.release(client)
            else:
                self._forget(client, granted)
            raise (_too_many() if isinstance(error, TimeoutError) else error) from None

    def release(self, client: str) -> None:
        """Give a slot back, and grant what is free to those who wait."""
        self._active[client] -= 1
        if not self._active[client]:
            del self._active[client]
        for waiting in list(self._waiting):
            if self._active.total() >= self._slots:
                return
            # Cancelled ones leave the queue when their task runs next.
            ready = next((each for each in self._waiting[waiting] if not each.done()), None)
            if ready is not None and self._may_start(waiting):
                self._active[waiting] += 1
                self._waiting.move_to_end(waiting)
                self._forget(waiting, ready)
                ready.set_result(None)

    def _may_start(self, client: str) -> bool:
        own = self._active[client]
        free = self._slots if own < LIGHT else self._slots - self._reserve
        return own < self._per_client and self._active.total() < free

    def _forget(self, client: str, granted: asyncio.Future[None]) -> None:
        self._waiting[client].remove(granted)
        if not self._waiting[client]:
            del self._waiting[client]


def _too_many() -> TooMany:
    return TooMany(TOO_MANY_RUNNING(seconds=RETRY_SECONDS), extra={"retry_after": RETRY_SECONDS})
