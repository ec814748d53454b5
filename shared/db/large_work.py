"""Turns for work on many rows, of which a process does one at a time, so that it holds the rows of one at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection

from shared.db.giving_back import giving_back
from shared.db.time_limits import current_time_limit

# Rows above which work takes a turn. As many requests as have a slot hold about as many rows together as one large
# change, if each stays below.
LARGE_ROWS = 1_000


class TurnNeeded(Exception):
    """Other large work is being done: this must end, release what it holds, and begin again when it has its turn."""

    # What metrics of applied proposals call it.
    code = "waits_for_turn"


# Takes the turn if it is free, and returns whether this context has it now. It must not wait.
_take: ContextVar[Callable[[], bool] | None] = ContextVar("turn for large work", default=None)


# The turn of work outside of requests.
_others = threading.Lock()


def set_turn(take: Callable[[], bool] | None) -> None:
    """Set what takes the turn for large work in this context; with None, all work is done at once."""
    _take.set(take)


@contextmanager
def waiting_for_turn(seconds: float) -> Iterator[None]:
    """Let large work in this context wait so long for its turn, among all work of this process that does so.

    For threads that may wait. Work in a transaction does not: its locks would make others wait as well.
    """
    is_taken = False

    def take() -> bool:
        nonlocal is_taken
        if not is_taken and not connection.in_atomic_block:
            giving_back(lambda: None)
            started = time.monotonic()
            is_taken = _others.acquire(timeout=seconds)
            if (limit := current_time_limit()) is not None:
                # The time limit is for the work, not for waiting.
                limit.postpone(time.monotonic() - started)
            return is_taken
        return True

    token = _take.set(take)
    try:
        yield
    finally:
        _take.reset(token)
        if is_taken:
            _others.release()


@contextmanager
def without_turn() -> Iterator[None]:
    """Do large work in this context at once, for work that must not begin again after it has had effects elsewhere."""
    token = _take.set(None)
    try:
        yield
    finally:
        _take.reset(token)


def take_turn() -> None:
    """Take the turn for large work, which lasts until the request or unit of work ends. Raises TurnNeeded.

    Belongs before the data is read. In a request it does not wait, so that it may be called with locks.
    """
    take = _take.get()
    if take is not None and not take():
        raise TurnNeeded


def take_turn_for_rows(count: int) -> None:
    """Take the turn if work on so many rows needs one. Raises TurnNeeded."""
    if count > LARGE_ROWS:
        take_turn()
