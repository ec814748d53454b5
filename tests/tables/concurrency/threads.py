"""Run the same work concurrently in threads."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Result = TypeVar("Result")
SECONDS = 300.0


def together(count: int, work: Callable[[int], Result]) -> list[Result]:
    """Return the results of `work(0)`, `work(1)`, …, called at the same time in threads."""
    barrier = Barrier(count)

    def begin(number: int) -> Result:
        barrier.wait(SECONDS)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count), timeout=SECONDS))
