"""SQLite connections that nobody uses at the moment, for whoever asks for one next.

Opening one costs more than most of what is asked of it. And with the last one SQLite tidies its log away, waiting for
the disk: a server that closes what it opened does so again and again.
"""
from __future__ import annotations

import atexit
import os
import sqlite3
from pathlib import Path
from weakref import WeakSet

from chatproject.memory import empty_when_grown

MOST = 8
Place = tuple[str, int, int]


class KeptConnection(sqlite3.Connection):
    """A connection that knows which file it was opened on: another may have taken its name by now."""

    place: Place | None = None
    # Functions that were added to it stay; to add one again would undo all that SQLite has prepared.
    has_sql_functions = False
    # How long its statements wait for a lock, as far as that was set.
    lock_seconds: float | None = None


class KeptConnections:
    """Those of one process, the last one used first. Never shared: who has taken one is alone with it."""

    def __init__(self) -> None:
        self._free: list[KeptConnection] = []

    def take(self, path: str) -> KeptConnection | None:
        """One that is open on the file which has this path now."""
        place = place_of(path)
        while self._free:
            try:
                connection = self._free.pop()
            except IndexError:
                break  # another thread has taken it
            if connection.place == place is not None:
                return connection
            connection.close()
        return None

    def give(self, connection: KeptConnection, *, cursors: WeakSet[sqlite3.Cursor]) -> None:
        """Keeps it, as if new; or closes it, where there are enough."""
        if connection.place is None or len(self._free) >= MOST:
            connection.close()
            return
        # A cursor that was not read to its end goes on seeing the database as it was then, and so would the next user.
        for cursor in list(cursors):
            cursor.close()
        if connection.in_transaction:
            connection.rollback()
        self._free.append(connection)

    def shrink(self) -> None:
        """Empty the page caches of those that are free, up to 2 MB each."""
        for _ in range(len(self._free)):
            try:
                connection = self._free.pop(0)
            except IndexError:
                break  # another thread has taken it
            connection.execute("PRAGMA shrink_memory").close()
            self._free.append(connection)

    def close(self) -> None:
        """Closes those that are free."""
        while self._free:
            self._free.pop().close()

    def forget(self) -> None:
        """For a process that was forked off: SQLite connections must not be carried over, not even to be closed."""
        self._left = self._free
        self._free = []


def place_of(path: str) -> Place | None:
    """Which file has this path now; None for what is no file."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return path, found.st_dev, found.st_ino


kept = KeptConnections()
empty_when_grown(kept.shrink)
atexit.register(kept.close)
os.register_at_fork(after_in_child=kept.forget)
