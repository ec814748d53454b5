"""Run the same work concurrently in threads, and wait for locks."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

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


def is_waiting_for_lock() -> bool:
    """Return whether another connection waits for a lock. Only on PostgreSQL."""
    with connection.cursor() as cursor:
        # PostgreSQL caches the activity within a transaction.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database())"
        )
        return bool(cursor.fetchone()[0])
