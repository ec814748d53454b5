"""Time limits for database work, set around the work and enforced by the connections that it opens.

PostgreSQL ends each statement at the limit (`chatproject.backends.postgresql`). SQLite has no such setting: it calls a
function while it works. Both limit each wait for a lock to a shorter time. Neither starts a statement after the limit,
so all work of a request ends within twice its limit, without a round trip to set the remaining time before each
statement.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from django.db import OperationalError

# Instructions of SQLite's virtual machine between two calls of the progress handler, some milliseconds apart. Each call
# needs the GIL.
PROGRESS_INSTRUCTIONS = 250_000
# https://www.postgresql.org/docs/15/errcodes-appendix.html
QUERY_CANCELED, LOCK_NOT_AVAILABLE = "57014", "55P03"


class OverTimeLimit(OperationalError):
    """The time limit was reached before the next statement."""


class TimeLimit:
    """The seconds that database work may take, and that one statement of it may wait for a lock (`lock_seconds`).

    `deadline` is the end of the time on the monotonic clock, infinite once the limit is lifted. `client` is the user or
    address that the work is for, if known.
    """

    def __init__(self, seconds: float, *, lock_seconds: float, client: str | None = None) -> None:
        self.seconds = seconds
        self.lock_seconds = lock_seconds
        self.client = client
        self.deadline = time.monotonic() + seconds
        self._cancelled = False
        self._lock = threading.Lock()
        self._stops: dict[object, Callable[[], None]] = {}

    @property
    def is_lifted(self) -> bool:
        return self.deadline == float("inf")

    @property
    def is_over(self) -> bool:
        return self._cancelled or time.monotonic() > self.deadline

    def attach(self, session: object, *, stop: Callable[[], None]) -> None:
        """Add a database session that works under this limit; `stop` cancels its running statement, if any."""
        with self._lock:
            self._stops[session] = stop

    def detach(self, session: object) -> None:
        """Remove a session before other work uses it. Waits while its statement is being cancelled."""
        with self._lock:
            self._stops.pop(session, None)

    def postpone(self, seconds: float) -> None:
        """Extend the limit by this time."""
        self.deadline += seconds

    def lift(self) -> None:
        """Lift the limit. The work has been committed, so its response must not report a failure."""
        self.deadline = float("inf")

    def cancel(self) -> None:
        """Cancel the work, because its client has disconnected. Waits for the database."""
        self._cancelled = True
        with self._lock:
            for stop in self._stops.values():
                # A broken session has no statement to cancel.
                with suppress(Exception):
                    stop()


_current: ContextVar[TimeLimit | None] = ContextVar("time limit of database work", default=None)


def current_time_limit() -> TimeLimit | None:
    """Return the limit of this context."""
    return _current.get()


def check_time_limit() -> None:
    """Raise OverTimeLimit when the limit of this context has been reached."""
    limit = _current.get()
    if limit is not None and limit.is_over:
        raise OverTimeLimit("the time limit of this work is over")


def lift_time_limit() -> None:
    """Lift the limit of this context: its transaction has been committed."""
    limit = _current.get()
    if limit is not None:
        limit.lift()


def set_time_limit(limit: TimeLimit | None) -> None:
    """Limit the database work in this context until the next call; None removes the limit."""
    _current.set(limit)


@contextmanager
def time_limit(seconds: float, *, lock_seconds: float) -> Iterator[TimeLimit]:
    """Limit the database work in this context, and in threads started from it."""
    limit = TimeLimit(seconds, lock_seconds=lock_seconds)
    token = _current.set(limit)
    try:
        yield limit
    finally:
        _current.reset(token)


def is_over_limit(error: BaseException | None) -> bool:
    """Return whether a database error means that work reached its time limit."""
    if isinstance(error, OverTimeLimit):
        return True
    cause = getattr(error, "__cause__", None)
    code = getattr(cause, "sqlite_errorcode", None)
    return getattr(cause, "sqlstate", "") == QUERY_CANCELED or code == sqlite3.SQLITE_INTERRUPT


def is_locked(error: BaseException | None) -> bool:
    """Return whether a database error means that a lock could not be acquired in time."""
    cause = getattr(error, "__cause__", None)
    code = getattr(cause, "sqlite_errorcode", None)
    return getattr(cause, "sqlstate", "") == LOCK_NOT_AVAILABLE or code == sqlite3.SQLITE_BUSY


def limit_sqlite(connection: sqlite3.Connection) -> None:
    """Make an SQLite connection cancel statements at the time limit of the context that uses it."""
    connection.set_progress_handler(_is_over, PROGRESS_INSTRUCTIONS)


def _is_over() -> bool:
    limit = _current.get()
    return limit is not None and limit.is_over
