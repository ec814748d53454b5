"""A clock whose `sleep` takes a hundredth of the time, for turns over a real network."""
from __future__ import annotations

from chat.agent.clock import SystemClock

SPEED = 100


class FastClock(SystemClock):
    """The system's clock with shorter sleeps; time and deadlines are real."""

    async def sleep(self, seconds: float, /) -> None:
        await super().sleep(seconds / SPEED)
