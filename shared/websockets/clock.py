"""Time as sockets see it: passed in, so that tests never wait."""
from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Time, and waiting for it to pass. Seconds."""

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float, /) -> None: ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        await asyncio.sleep(seconds)


# One for all sockets: what they share is found by the clock.
SYSTEM_CLOCK = SystemClock()
