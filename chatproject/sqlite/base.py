"""Django's own SQLite backend, but for where its connections come from and go to."""
from __future__ import annotations

import sqlite3
import time
from typing import Any
from weakref import WeakSet

from django.db.backends.sqlite3 import base

from chatproject.sqlite.kept import KeptConnection, kept, place_of
from statements.time_limits import check_time_limit, current_time_limit, lift_time_limit, limit_sqlite


class DatabaseWrapper(base.DatabaseWrapper):
    """A thread's connection: taken from those that are kept when it opens, given back when it closes."""

    _cursors: WeakSet[sqlite3.Cursor]

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """One that was kept, or a new one."""
        self._cursors = WeakSet()
        path = str(conn_params["database"])
        connection = kept.take(path)
        if connection is None:
            connection = super().get_new_connection({**conn_params, "factory": KeptConnection})
            connection.place = place_of(path)
            limit_sqlite(connection)
        self._limit_waiting(connection, longest=float(conn_params["timeout"]))
        return connection

    def _limit_waiting(self, connection: KeptConnection, *, longest: float) -> None:
        """Make statements wait for a lock only as long as the time limit of the context that opens the connection."""
        limit = current_time_limit()
        wanted = longest if limit is None else min(limit.lock_seconds, longest)
        if connection.lock_seconds != wanted:
            connection.execute(f"PRAGMA busy_timeout = {max(1, int(wanted * 1000))}").close()
            connection.lock_seconds = wanted

    def create_cursor(self, name: Any = None) -> Any:
        """Return a cursor that is closed with the connection. Raises OverTimeLimit."""
        check_time_limit()
        cursor = super().create_cursor(name)
        self._cursors.add(cursor)
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        """Begin a transaction. Waiting for the write lock does not count as work of the database."""
        started = time.monotonic()
        super()._start_transaction_under_autocommit()  # type: ignore[misc]  # Django's stubs leave it out
        if (limit := current_time_limit()) is not None:
            limit.postpone(time.monotonic() - started)

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # Django's stubs leave it out
        lift_time_limit()

    def _close(self) -> None:
        # What failed, or is closed in the middle of a transaction and still held, is not for others.
        if isinstance(self.connection, KeptConnection) and not (self.in_atomic_block or self.errors_occurred):
            kept.give(self.connection, cursors=self._cursors)
        else:
            super()._close()  # type: ignore[misc]  # Django's stubs leave it out
