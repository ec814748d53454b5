"""A lock for work on many rows. A process does one such work at a time, to limit its memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection

from shared.db.connections import close_connections
from shared.db.time_limits import current_time_limit

# Work on more rows needs the lock. All concurrent requests below this number hold about as many rows together as one
# large change.
LARGE_ROWS = 1_000


class LargeWorkBusy(Exception):
    """Other large work is running. This work must end, release its locks, and start again with the lock."""

    # The outcome in the metrics of applied proposals.
    code = "waits_for_turn"


# Acquires the lock without waiting if it is free; returns whether this context holds it.
_acquire: ContextVar[Callable[[], bool] | None] = ContextVar("lock of large work", default=None)
# For work outside of requests.
_lock = threading.Lock()


def set_large_work_lock(acquire: Callable[[], bool] | None) -> None:
    """Set the function that acquires the lock in this context; with None, work needs no lock."""
    _acquire.set(acquire)


@contextmanager
def large_work_timeout(seconds: float) -> Iterator[None]:
    """Let large work in this context wait up to `seconds` for the lock that all such contexts of the process share.

    For threads that may wait. Work in a transaction does not wait: its database locks would delay others as well.
    """
    has_lock = False

    def acquire() -> bool:
        nonlocal has_lock
        if not has_lock and not connection.in_atomic_block:
            close_connections()
            started = time.monotonic()
            has_lock = _lock.acquire(timeout=seconds)
            if (limit := current_time_limit()) is not None:
                # The time limit is for the work, not for waiting.
                limit.postpone(time.monotonic() - started)
            return has_lock
        return True

    token = _acquire.set(acquire)
    try:
        yield
    finally:
        _acquire.reset(token)
        if has_lock:
            _lock.release()


@contextmanager
def without_large_work_lock() -> Iterator[None]:
    """Disable the lock in this context, for work that must not be repeated because it has had effects elsewhere."""
    token = _acquire.set(None)
    try:
        yield
    finally:
        _acquire.reset(token)


def lock_large_work() -> None:
    """Acquire the lock until the request or unit of work ends. Raises LargeWorkBusy.

    Call it before the data is read. In a request it does not wait, so it may be called while database locks are held.
    """
    acquire = _acquire.get()
    if acquire is not None and not acquire():
        raise LargeWorkBusy


def lock_large_work_for(row_count: int) -> None:
    """Acquire the lock if work on this number of rows needs it. Raises LargeWorkBusy."""
    if row_count > LARGE_ROWS:
        lock_large_work()
