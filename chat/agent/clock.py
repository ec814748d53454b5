"""Time as the agent sees it: injected, so that tests never wait."""
from __future__ import annotations

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Clock(Protocol):
    """What the agent may ask of time. Seconds everywhere."""

    def monotonic(self) -> float:
        """A point in time that only ever grows."""
        ...

    async def sleep(self, seconds: float, /) -> None:
        """Waits."""
        ...

    def timeout(self, seconds: float, /) -> AbstractAsyncContextManager[object]:
        """A context that raises TimeoutError when its body takes longer."""
        ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        """Waits."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float, /) -> AbstractAsyncContextManager[object]:
        """Cancels its body after `seconds` and raises TimeoutError in its place."""
        return asyncio.timeout(max(0.0, seconds))
