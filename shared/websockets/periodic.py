"""Periodic work of an event loop: a task that runs only while it is needed, and objects shared by a loop."""
from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from shared.websockets.clock import Clock

T = TypeVar("T")


class PeriodicTask:
    """Calls an asynchronous function every so many seconds, between `start` and `stop`."""

    def __init__(self, work: Callable[[], Awaitable[None]], *, clock: Clock, seconds: float, name: str) -> None:
        self._work = work
        self._clock = clock
        self._seconds = seconds
        self._name = name
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin in the running event loop, unless it has begun already."""
        if self._task is None or self._task.done():
            # In an empty context: otherwise all calls would run with the context variables of the first request.
            loop = asyncio.get_running_loop()
            self._task = loop.create_task(self._run(), name=self._name, context=contextvars.Context())

    def stop(self) -> None:
        """Cancel the task, and a call that has begun."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(self._seconds)
            await self._work()


class PerLoop(Generic[T]):
    """Creates one object for each event loop and clock, which ends with the loop."""

    def __init__(self, create: Callable[[Clock], T]) -> None:
        self._create = create
        self._created: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Clock, T]] = WeakKeyDictionary()

    def __call__(self, clock: Clock) -> T:
        """Return the object of the running event loop for this clock."""
        created = self._created.setdefault(asyncio.get_running_loop(), {})
        if clock not in created:
            created[clock] = self._create(clock)
        return created[clock]
