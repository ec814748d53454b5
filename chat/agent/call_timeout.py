"""How long one model call may take, its wait for the first token apart where a server may have to load its model."""
from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from chat.agent.clock import Clock


class CallTime:
    """The time limit of a call: `seconds` in all.

    With `first_token_seconds` the call may take that long until its answer begins, and `seconds` from then on, but
    never more than `at_most` together.
    """

    def __init__(
        self, clock: Clock, *, seconds: float, first_token_seconds: float | None = None, at_most: float | None = None
    ) -> None:
        now = clock.monotonic()
        self._clock = clock
        self._seconds = seconds
        self._last = float("inf") if at_most is None else now + at_most
        self._apart = first_token_seconds is not None
        self._deadline = min(now + max(seconds, first_token_seconds or 0), self._last)

    @property
    def left(self) -> float:
        """Seconds that are left at the moment."""
        return self._deadline - self._clock.monotonic()

    def answer_begins(self) -> None:
        """The first token has come."""
        if self._apart:
            self._apart = False
            self._deadline = min(self._clock.monotonic() + self._seconds, self._last)

    def limit(self) -> AbstractAsyncContextManager[object]:
        """Return a context that raises TimeoutError when the time is up, at once if it is already.

        A stream that always has something to read would never be interrupted otherwise.
        """
        if self.left <= 0:
            raise TimeoutError("the time of the call is up")
        return self._clock.timeout(self.left)
