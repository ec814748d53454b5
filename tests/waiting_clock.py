"""A clock on which waiting takes no time: it records each wait and moves on by it."""
from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager


class WaitingClock:
    """`slept` has the duration of each sleep, in seconds. A timeout fires only if its duration is zero or less."""

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
