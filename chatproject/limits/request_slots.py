"""Slots for the requests that a process handles concurrently, shared fairly among its clients."""
from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from concurrent.futures import Future
from dataclasses import dataclass

from django.http import HttpResponse

from accounts.exceptions import Busy, TooMany
from shared.user_messages import declare

TOO_MANY_RUNNING = declare(
    "too_many_running", "Too many of your requests are running. Try again in {seconds} s."
)
BUSY_WITH_LARGE_BODIES = declare(
    "busy_with_large_bodies", "The server is busy with other large requests. Try again in {seconds} s."
)
# Only clients with fewer running requests may use the reserve.
RESERVE_MAX_RUNNING = 1
RETRY_SECONDS = 2
BUSY_SECONDS = 5


class SlotPool:
    """The slots of one event loop for requests that use the database.

    A client (a user or an address) has at most `per_client` of the `slots` at a time. Waiting clients get slots in
    turn, so that one with many requests does not delay the first of another. The last `reserve` slots are for clients
    that have none. Only one large request runs at a time; while another one waits it holds no slot, and later requests
    of its client overtake it.
    """

    def __init__(self, *, slots: int, reserve: int, per_client: int, max_waiting: int, seconds: float) -> None:
        self._slots = slots
        self._reserve = reserve
        self._per_client = per_client
        self._max_waiting = max_waiting
        self._seconds = seconds
        self._active: Counter[str] = Counter()
        self._has_large = False
        # By client, the next one first. None of these requests could start now.
        self._waiting: OrderedDict[str, deque[_Waiter]] = OrderedDict()

    async def acquire(self, client: str, *, large: bool = False) -> None:
        """Wait for a slot.

        Raises TooMany if too many requests of this client are waiting, or after `seconds`; Busy if after `seconds` the
        only obstacle is another large request.
        """
        if self._may_start(client, large=large):
            self._start(client, large=large)
            return
        queue = self._waiting.setdefault(client, deque())
        if len(queue) >= self._max_waiting:
            raise _too_many()
        waiter = _Waiter(asyncio.get_running_loop().create_future(), large=large)
        queue.append(waiter)
        try:
            async with asyncio.timeout(self._seconds):
                await waiter.granted
        except BaseException as error:
            if waiter.granted.done() and not waiter.granted.cancelled():
                # The slot was granted at the same moment.
                self.release(client, large=large)
            else:
                self._remove(client, waiter)
            if not isinstance(error, TimeoutError):
                raise
            raise (busy() if self._may_start(client, large=False) else _too_many()) from None

    def make_large(self) -> bool:
        """Make a running request the large one, unless another one is running or waiting. Return whether it is."""
        if self._has_large or any(one.large for queue in self._waiting.values() for one in queue):
            return False
        self._has_large = True
        return True

    def release(self, client: str, *, large: bool = False) -> None:
        """Release a slot, and grant free slots to waiting requests."""
        self._active[client] -= 1
        if not self._active[client]:
            del self._active[client]
        self._has_large &= not large
        for each in list(self._waiting):
            if self._active.total() >= self._slots:
                return
            # Cancelled requests leave the queue when their task runs next.
            ready = (one for one in self._waiting[each] if not one.granted.done())
            first = next((one for one in ready if self._may_start(each, large=one.large)), None)
            if first is not None:
                self._start(each, large=first.large)
                self._waiting.move_to_end(each)
                self._remove(each, first)
                first.granted.set_result(None)

    def _may_start(self, client: str, *, large: bool) -> bool:
        own = self._active[client]
        free = self._slots if own < RESERVE_MAX_RUNNING else self._slots - self._reserve
        return own < self._per_client and self._active.total() < free and not (large and self._has_large)

    def _start(self, client: str, *, large: bool) -> None:
        self._active[client] += 1
        self._has_large |= large

    def _remove(self, client: str, waiter: _Waiter) -> None:
        self._waiting[client].remove(waiter)
        if not self._waiting[client]:
            del self._waiting[client]


@dataclass(eq=False)
class _Waiter:
    """A request that waits for a slot."""

    granted: asyncio.Future[None]
    large: bool


def _too_many() -> TooMany:
    return TooMany(TOO_MANY_RUNNING(seconds=RETRY_SECONDS), extra={"retry_after": RETRY_SECONDS})


def busy() -> Busy:
    """Return the error for a large request that cannot run now."""
    return Busy(BUSY_WITH_LARGE_BODIES(seconds=BUSY_SECONDS), extra={"retry_after": BUSY_SECONDS})


# A running event loop responds within milliseconds.
LOOP_SECONDS = 5.0


class RetryRequest(HttpResponse):
    """Returned in place of a response: the request ended without effect, and must run again as a large request."""

    status_code = 503


class RequestSlot:
    """The slot of one request, which can become large while the request runs."""

    def __init__(self, pool: SlotPool, client: str, *, large: bool) -> None:
        self._pool = pool
        self._client = client
        self._large = large
        self._is_held = False
        self._loop = asyncio.get_running_loop()

    @property
    def is_large(self) -> bool:
        """Whether this is the slot of a large request."""
        return self._large

    async def acquire(self) -> None:
        """Wait for the slot, unless it is held already. Raises AccountsError."""
        if not self._is_held:
            await self._pool.acquire(self._client, large=self._large)
            self._is_held = True

    async def acquire_large(self) -> None:
        """Release the slot and wait for one for a large request. Raises AccountsError."""
        self.release()
        self._large = True
        await self.acquire()

    def release(self) -> None:
        """Release the slot, if it is held."""
        if self._is_held:
            self._is_held = False
            self._pool.release(self._client, large=self._large)

    def become_large(self) -> bool:
        """Make the slot large if no other is, and return whether it is. Called in the request's thread."""
        if self._large:
            return True
        result: Future[bool] = Future()
        self._loop.call_soon_threadsafe(self._become_large, result)
        try:
            return result.result(LOOP_SECONDS)
        except TimeoutError:
            return False

    def _become_large(self, result: Future[bool]) -> None:
        self._large = self._large or (self._is_held and self._pool.make_large())
        result.set_result(self._large)
