"""Divides the requests that a process works on at the same time among its clients."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass

from accounts.exceptions import Busy, TooMany
from shared.user_messages import declare

TOO_MANY_RUNNING = declare(
    "too_many_running", "Too many of your requests are running. Try again in {seconds} s."
)
BUSY_WITH_LARGE_BODIES = declare(
    "busy_with_large_bodies", "The server is busy with other large requests. Try again in {seconds} s."
)
# Only clients with fewer requests at work may use the reserve.
LIGHT = 1
RETRY_SECONDS = 2
BUSY_SECONDS = 5


class Shares:
    """Slots for requests that use the database, for one event loop.

    A client (a user or an address) has at most `per_client` of the `slots` at a time. Clients that wait take turns, so
    that one with many requests does not delay the first of another. The last `reserve` slots are for clients that have
    none. Of large requests only one works at a time. It gets its slot and its turn in the same moment: while it waits
    for one of them, it does not hold the other, and later requests of its client overtake it.
    """

    def __init__(self, *, slots: int, reserve: int, per_client: int, max_waiting: int, seconds: float) -> None:
        self._slots = slots
        self._reserve = reserve
        self._per_client = per_client
        self._max_waiting = max_waiting
        self._seconds = seconds
        self._active: Counter[str] = Counter()
        self._has_large = False
        # The client whose turn is next comes first. None of the requests could start now.
        self._waiting: OrderedDict[str, deque[_Waiting]] = OrderedDict()

    async def acquire(self, client: str, *, large: bool = False) -> None:
        """Wait for a slot. Raises TooMany when too many requests of this client wait, or after `seconds`.

        Then Busy, if only other large requests were in the way.
        """
        if self._may_start(client, large=large):
            self._start(client, large=large)
            return
        queue = self._waiting.setdefault(client, deque())
        if len(queue) >= self._max_waiting:
            raise _too_many()
        waiting = _Waiting(asyncio.get_running_loop().create_future(), large=large)
        queue.append(waiting)
        try:
            async with asyncio.timeout(self._seconds):
                await waiting.granted
        except BaseException as error:
            if waiting.granted.done() and not waiting.granted.cancelled():
                # The slot was granted in the same moment.
                self.release(client, large=large)
            else:
                self._forget(client, waiting)
            if not isinstance(error, TimeoutError):
                raise
            raise (busy() if self._may_start(client, large=False) else _too_many()) from None

    def enlarge(self) -> bool:
        """Make a request that has a slot the large one, if there is none and none waits; return whether it is."""
        if self._has_large or any(one.large for queue in self._waiting.values() for one in queue):
            return False
        self._has_large = True
        return True

    def release(self, client: str, *, large: bool = False) -> None:
        """Give a slot back, and grant what is free to those who wait."""
        self._active[client] -= 1
        if not self._active[client]:
            del self._active[client]
        self._has_large &= not large
        for each in list(self._waiting):
            if self._active.total() >= self._slots:
                return
            # Cancelled ones leave the queue when their task runs next.
            ready = (one for one in self._waiting[each] if not one.granted.done())
            first = next((one for one in ready if self._may_start(each, large=one.large)), None)
            if first is not None:
                self._start(each, large=first.large)
                self._waiting.move_to_end(each)
                self._forget(each, first)
                first.granted.set_result(None)

    def _may_start(self, client: str, *, large: bool) -> bool:
        own = self._active[client]
        free = self._slots if own < LIGHT else self._slots - self._reserve
        return own < self._per_client and self._active.total() < free and not (large and self._has_large)

    def _start(self, client: str, *, large: bool) -> None:
        self._active[client] += 1
        self._has_large |= large

    def _forget(self, client: str, waiting: _Waiting) -> None:
        self._waiting[client].remove(waiting)
        if not self._waiting[client]:
            del self._waiting[client]


@dataclass(eq=False)
class _Waiting:
    """A request that waits for its slot."""

    granted: asyncio.Future[None]
    large: bool


def _too_many() -> TooMany:
    return TooMany(TOO_MANY_RUNNING(seconds=RETRY_SECONDS), extra={"retry_after": RETRY_SECONDS})


def busy() -> Busy:
    """Return the refusal of a large request."""
    return Busy(BUSY_WITH_LARGE_BODIES(seconds=BUSY_SECONDS), extra={"retry_after": BUSY_SECONDS})
