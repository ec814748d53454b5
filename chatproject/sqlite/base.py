"""Django's own SQLite backend, but for where its connections come from and go to."""
from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from chatproject.sqlite.connection_pool import KeptConnection, kept, place_of
from chatproject.sqlite.write_turns import Turn, turns_at
from shared.db.time_limits import check_time_limit, current_time_limit, lift_time_limit, limit_sqlite

DEFAULT_LOCK_SECONDS = 5.0


class DatabaseWrapper(base.DatabaseWrapper):
    """A thread's connection: taken from those that are kept when it opens, given back when it closes."""

    _cursors: WeakSet[sqlite3.Cursor]
    # Of the transaction that is open.
    _turn: Turn | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """One that was kept, or a new one."""
        self._cursors = WeakSet()
        path = str(conn_params["database"])
        connection = kept.take(path)
        if connection is None:
            connection = super().get_new_connection({**conn_params, "factory": KeptConnection})
            connection.place = place_of(path)
            limit_sqlite(connection)
        self._limit_waiting(connection, longest=float(conn_params.get("timeout", DEFAULT_LOCK_SECONDS)))
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
        if self.transaction_mode == "IMMEDIATE":  # type: ignore[attr-defined]  # the stubs leave it out
            with _uncounted():
                self._wait_for_turn()
        try:
            with _uncounted():
                super()._start_transaction_under_autocommit()  # type: ignore[misc]  # Django's stubs leave it out
        except BaseException:
            self._end_turn()
            raise

    def _wait_for_turn(self) -> None:
        """Wait until no other thread of this process writes. Raises OperationalError as SQLite does."""
        limit = current_time_limit()
        longest = float(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_LOCK_SECONDS))
        turns = turns_at(str(self.settings_dict["NAME"]))
        self._turn = turns.take(limit.client if limit else None)
        if not self._turn.granted.wait(min(limit.lock_seconds, longest) if limit else longest):
            self._end_turn()
            locked = sqlite3.OperationalError("database is locked")
            locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("database is locked") from locked

    def _end_turn(self) -> None:
        if self._turn is not None:
            turns_at(str(self.settings_dict["NAME"])).give_back(self._turn)
            self._turn = None

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # Django's stubs leave it out
        self._end_turn()
        lift_time_limit()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # Django's stubs leave it out
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            self._close_or_keep()
        finally:
            self._end_turn()

    def _close_or_keep(self) -> None:
        # What failed, or is closed in the middle of a transaction and still held, is not for others.
        if isinstance(self.connection, KeptConnection) and not (self.in_atomic_block or self.errors_occurred):
            kept.give(self.connection, cursors=self._cursors)
        else:
            super()._close()  # type: ignore[misc]  # Django's stubs leave it out


@contextmanager
def _uncounted() -> Iterator[None]:
    """Allow the present time limit as much more time as this takes."""
    started = time.monotonic()
    yield
    if (limit := current_time_limit()) is not None:
        limit.postpone(time.monotonic() - started)
