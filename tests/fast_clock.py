"""The system's clock, but whoever waits on purpose waits a hundredth of it: for turns over a real network."""
from __future__ import annotations

from chat.agent.clock import SystemClock

HASTE = 100


class HastyClock(SystemClock):
    """Time and deadlines are real; only `sleep` is short."""

    async def sleep(self, seconds: float, /) -> None:
        await super().sleep(seconds / HASTE)
