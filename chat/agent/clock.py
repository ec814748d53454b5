"""Clocks, injected so that tests never wait, and the time limit of a model call. All times are in seconds."""
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


class CallTimeout:
    """The time limit of a model call: `seconds` in all.

    With `first_token_seconds` (for servers that may have to load their model) the call may take that long until its
    answer starts, and `seconds` from then on, but never more than `max_seconds` in all.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        seconds: float,
        first_token_seconds: float | None = None,
        max_seconds: float | None = None,
    ) -> None:
        now = clock.monotonic()
        self._clock = clock
        self._seconds = seconds
        self._last = float("inf") if max_seconds is None else now + max_seconds
        self._waits_for_first_token = first_token_seconds is not None
        self._deadline = min(now + max(seconds, first_token_seconds or 0), self._last)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self._deadline - self._clock.monotonic()

    def start_answer(self) -> None:
        """Start the time of the answer, as its first token has arrived."""
        if self._waits_for_first_token:
            self._waits_for_first_token = False
            self._deadline = min(self._clock.monotonic() + self._seconds, self._last)

    def limit(self) -> AbstractAsyncContextManager[object]:
        """Return a context that raises TimeoutError at the deadline. Raises it at once if the deadline has passed.

        A stream that always has something to read would never be interrupted otherwise.
        """
        if self.remaining <= 0:
            raise TimeoutError("the model call timed out")
        return self._clock.timeout(self.remaining)
