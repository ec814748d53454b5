"""A pool of free SQLite connections.

Opening a connection costs more than most queries. When the last one is closed, SQLite also removes its write-ahead log
and waits for the disk.
"""
from __future__ import annotations

import atexit
import os
import sqlite3
from pathlib import Path
from weakref import WeakSet

from chatproject.limits.memory import empty_when_grown

MAX_FREE = 8
FileId = tuple[str, int, int]


class PooledConnection(sqlite3.Connection):
    """A connection with the identity of its file, because another file may have the same path by now."""

    file_id: FileId | None = None
    # Whether our SQL functions have been added. Adding them again would invalidate all prepared statements.
    has_sql_functions = False
    # How long statements wait for a lock; None before it is set.
    lock_seconds: float | None = None


class ConnectionPool:
    """The free connections of one process, last in, first out. A connection is used by one thread at a time."""

    def __init__(self) -> None:
        self._free: list[PooledConnection] = []

    def acquire(self, path: str) -> PooledConnection | None:
        """Return a free connection to the file that has this path now, or None."""
        file_id = file_id_of(path)
        while self._free:
            try:
                connection = self._free.pop()
            except IndexError:
                break  # another thread has taken it
            if connection.file_id == file_id is not None:
                return connection
            connection.close()
        return None

    def release(self, connection: PooledConnection, *, cursors: WeakSet[sqlite3.Cursor]) -> None:
        """Reset a connection and add it to the pool, or close it if the pool is full."""
        if connection.file_id is None or len(self._free) >= MAX_FREE:
            connection.close()
            return
        # An unfinished cursor would leave its read transaction open, and the next thread would read old data.
        for cursor in list(cursors):
            cursor.close()
        if connection.in_transaction:
            connection.rollback()
        self._free.append(connection)

    def shrink(self) -> None:
        """Empty the page caches of the free connections, up to 2 MB each."""
        for _ in range(len(self._free)):
            try:
                connection = self._free.pop(0)
            except IndexError:
                break  # another thread has taken it
            connection.execute("PRAGMA shrink_memory").close()
            self._free.append(connection)

    def close(self) -> None:
        """Close the free connections."""
        while self._free:
            self._free.pop().close()

    def abandon(self) -> None:
        """Drop the connections of the parent process after a fork. They must not even be closed."""
        self._abandoned = self._free
        self._free = []


def file_id_of(path: str) -> FileId | None:
    """Return the identity of the file at this path, None if there is no file."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return path, status.st_dev, status.st_ino


pool = ConnectionPool()
empty_when_grown(pool.shrink)
atexit.register(pool.close)
os.register_at_fork(after_in_child=pool.abandon)
