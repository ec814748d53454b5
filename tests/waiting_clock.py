"""A clock that stands still until somebody waits: waiting takes no time but is noted, and nobody is timed out."""
from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager


class StoppedClock:
    """`slept` holds every wait asked for; each moves the clock on. A timeout passes only if no time is left for it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float, /) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def timeout(self, seconds: float, /) -> AbstractAsyncContextManager[object]:
        return asyncio.timeout(None if seconds > 0 else 0)
