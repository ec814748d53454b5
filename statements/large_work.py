"""Turns for work on many rows, of which a process does one at a time, so that it holds the rows of one at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

# Rows above which work takes a turn. As many requests as have a slot hold about as many rows together as one large
# change, if each stays below.
LARGE_ROWS = 1_000


class TurnNeeded(Exception):
    """Other large work is being done: this must end, release what it holds, and begin again when it has its turn."""

    # What metrics of applied proposals call it.
    code = "waits_for_turn"


# Takes the turn if it is free, and returns whether this context has it now. It must not wait.
_take: ContextVar[Callable[[], bool] | None] = ContextVar("turn for large work", default=None)


def set_turn(take: Callable[[], bool] | None) -> None:
    """Set what takes the turn for large work in this context; with None, all work is done at once."""
    _take.set(take)


def take_turn() -> None:
    """Take the turn for large work, which lasts until the request ends. Raises TurnNeeded.

    Belongs before the data is read. It does not wait, so that it may be called with locks.
    """
    take = _take.get()
    if take is not None and not take():
        raise TurnNeeded


def take_turn_for_rows(count: int) -> None:
    """Take the turn if work on so many rows needs one. Raises TurnNeeded."""
    if count > LARGE_ROWS:
        take_turn()
