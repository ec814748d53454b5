"""Clocks, injected so that tests never wait. All times are in seconds."""
from __future__ import annotations

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Clock(Protocol):
    """The clock that the agent uses."""

    def monotonic(self) -> float:
        """Return the time since a fixed moment, which never decreases."""
        ...

    async def sleep(self, seconds: float, /) -> None:
        """Wait."""
        ...

    def timeout(self, seconds: float, /) -> AbstractAsyncContextManager[object]:
        """Return a context that is cancelled after `seconds` and then raises TimeoutError."""
        ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        """See `Clock.sleep`."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float, /) -> AbstractAsyncContextManager[object]:
        """See `Clock.timeout`."""
        return asyncio.timeout(max(0.0, seconds))
