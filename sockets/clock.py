"""Time as a socket sees it: handed in, so that tests never wait."""
from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Time, and waiting for it to pass. Seconds."""

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float, /) -> None: ...


class SystemClock:
    """The machine's own."""

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        await asyncio.sleep(seconds)
