"""A clock that is passed in, so that tests need not wait."""
from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic time and sleeping, both in seconds."""

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float, /) -> None: ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        await asyncio.sleep(seconds)


# A single instance, because objects that sockets share are looked up by clock.
SYSTEM_CLOCK = SystemClock()
