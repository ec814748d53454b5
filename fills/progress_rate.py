"""The rate at which rows were answered in the last minute, from which the time left of a fill follows."""
from __future__ import annotations

from collections import deque

PERIOD_SECONDS = 60.0
MIN_SECONDS = 3.0


class ProgressRate:
    """Samples of the number of answered rows; times are in seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def add(self, done: int, *, at: float) -> None:
        """Add the number of rows that are answered at a time. If it has decreased, the rate begins anew."""
        if self._samples and done < self._samples[-1][1]:
            self._samples.clear()
        self._samples.append((at, done))
        # One sample before the period remains, as the period starts with it.
        while len(self._samples) > 2 and self._samples[1][0] <= at - PERIOD_SECONDS:
            self._samples.popleft()

    def seconds_left(self, rows: int) -> int | None:
        """Return how long this number of rows will take, None while the rate is not known."""
        if not self._samples:
            return None
        (start, done_before), (end, done) = self._samples[0], self._samples[-1]
        if end - start < MIN_SECONDS or done == done_before:
            return None
        return round(rows * (end - start) / (done - done_before))
