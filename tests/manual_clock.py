"""A clock that a test moves by hand, so that timeouts happen at exact moments and without waiting."""
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager


class ManualClock:
    """A replacement of the system's clock. `advance` wakes the sleepers whose time has come."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self._now

    async def sleep(self, seconds: float, /) -> None:
        waking = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, waking))
        await waking

    def timeout(self, seconds: float, /) -> AbstractAsyncContextManager[object]:
        return self._timeout(seconds)

    @asynccontextmanager
    async def _timeout(self, seconds: float) -> AsyncIterator[object]:
        task = asyncio.current_task()
        assert task is not None
        fired = False

        async def fire() -> None:
            nonlocal fired
            await self.sleep(seconds)
            fired = True
            task.cancel()

        alarm = asyncio.ensure_future(fire())
        try:
            yield alarm
        except asyncio.CancelledError:
            if not fired:
                raise
            task.uncancel()
            raise TimeoutError from None
        finally:
            alarm.cancel()

    async def advance(self, seconds: float) -> None:
        """Move the clock, and let the woken tasks run."""
        await settle()
        self._now += seconds
        for entry in [entry for entry in self._sleepers if entry[0] <= self._now]:
            self._sleepers.remove(entry)
            if not entry[1].done():
                entry[1].set_result(None)
        await settle()


async def settle() -> None:
    """Run all tasks that wait for nothing but their turn."""
    for _ in range(20):
        await asyncio.sleep(0)
