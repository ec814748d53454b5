"""Django's SQLite backend with pooled connections, queued transactions and time limits."""
from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from chatproject.backends.sqlite.connection_pool import PooledConnection, file_id_of, pool
from chatproject.backends.sqlite.write_queue import WriteTicket, write_queue
from shared.db.time_limits import check_time_limit, current_time_limit, lift_time_limit, limit_sqlite

DEFAULT_LOCK_SECONDS = 5.0
# SQLite sleeps longer after each attempt to lock the file, up to 100 ms, so that processes that arrive later are first.
# After this time it starts again with short sleeps; the longest are then 20 ms.
WAIT_MILLISECONDS = 50


class DatabaseWrapper(base.DatabaseWrapper):
    """The connection of a thread: taken from the pool when it is opened, returned to it when it is closed."""

    _cursors: WeakSet[sqlite3.Cursor]
    # The position of the open transaction in the queue of writers.
    _ticket: WriteTicket | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection of the pool, or a new one."""
        self._cursors = WeakSet()
        path = str(conn_params["database"])
        connection = pool.acquire(path)
        if connection is None:
            connection = super().get_new_connection({**conn_params, "factory": PooledConnection})
            connection.file_id = file_id_of(path)
            limit_sqlite(connection)
        self._limit_lock_wait(connection, maximum=float(conn_params.get("timeout", DEFAULT_LOCK_SECONDS)))
        return connection

    def _limit_lock_wait(self, connection: PooledConnection, *, maximum: float) -> None:
        """Set the lock timeout of statements to that of this context's time limit, at most `maximum`."""
        limit = current_time_limit()
        seconds = maximum if limit is None else min(limit.lock_seconds, maximum)
        if connection.lock_seconds != seconds:
            connection.execute(f"PRAGMA busy_timeout = {max(1, int(seconds * 1000))}").close()
            connection.lock_seconds = seconds

    def create_cursor(self, name: Any = None) -> Any:
        """Return a cursor that is closed with the connection. Raises OverTimeLimit."""
        check_time_limit()
        cursor = super().create_cursor(name)
        self._cursors.add(cursor)
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        """Begin a transaction. Waiting for the write lock does not count towards the time limit."""
        if self.transaction_mode == "IMMEDIATE":  # type: ignore[attr-defined]  # the stubs leave it out
            with _time_limit_paused():
                self._wait_in_queue()
        try:
            with _time_limit_paused():
                self._begin()
        except BaseException:
            self._leave_queue()
            raise

    def _begin(self) -> None:
        """Begin a transaction as soon as no other process writes. Raises OperationalError after the lock timeout."""
        (milliseconds,) = self.connection.execute("PRAGMA busy_timeout").fetchone()
        end = time.monotonic() + milliseconds / 1_000
        had_errors = self.errors_occurred
        while True:
            left = max(0, int((end - time.monotonic()) * 1_000))
            self.connection.execute(f"PRAGMA busy_timeout = {min(left, WAIT_MILLISECONDS)}").close()
            try:
                super()._start_transaction_under_autocommit()  # type: ignore[misc]  # Django's stubs leave it out
                return
            except OperationalError as error:
                # The lowest byte, because the lock of a process that recovers the file after a crash has its own code.
                code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
                if left <= WAIT_MILLISECONDS or code != sqlite3.SQLITE_BUSY:
                    raise
                self.errors_occurred = had_errors
            finally:
                self.connection.execute(f"PRAGMA busy_timeout = {milliseconds}").close()

    def _wait_in_queue(self) -> None:
        """Wait until no other thread of this process writes. Raises OperationalError as SQLite does."""
        limit = current_time_limit()
        maximum = float(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_LOCK_SECONDS))
        queue = write_queue(str(self.settings_dict["NAME"]))
        self._ticket = queue.enter(limit.client if limit else None)
        if not self._ticket.granted.wait(min(limit.lock_seconds, maximum) if limit else maximum):
            self._leave_queue()
            locked = sqlite3.OperationalError("database is locked")
            locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("database is locked") from locked

    def _leave_queue(self) -> None:
        if self._ticket is not None:
            write_queue(str(self.settings_dict["NAME"])).leave(self._ticket)
            self._ticket = None

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # Django's stubs leave it out
        self._leave_queue()
        lift_time_limit()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # Django's stubs leave it out
        finally:
            self._leave_queue()

    def _close(self) -> None:
        try:
            self._return_to_pool()
        finally:
            self._leave_queue()

    def _return_to_pool(self) -> None:
        # A connection that failed, or has an open transaction, must not be used by other threads.
        if isinstance(self.connection, PooledConnection) and not (self.in_atomic_block or self.errors_occurred):
            pool.release(self.connection, cursors=self._cursors)
        else:
            super()._close()  # type: ignore[misc]  # Django's stubs leave it out


@contextmanager
def _time_limit_paused() -> Iterator[None]:
    """Extend the current time limit by the duration of the block."""
    started = time.monotonic()
    yield
    if (limit := current_time_limit()) is not None:
        limit.postpone(time.monotonic() - started)
