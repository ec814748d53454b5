"""Checks whether this process can serve: database, migrations and disks; and whether it can use Redis."""
from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from chat.selectors.configuration.catalogue import faults_of_configuration
from chatproject.workers import task_queue

log = logging.getLogger(__name__)
PROBE = b"\0" * 4096
MIN_FREE_BYTES = 8 * 1024 * 1024
# Less than a probe waits. Other requests wait longer for the database.
SESSION_SECONDS = 2.0
NO_DATABASE = "not ready: the database is not available"
NO_MIGRATIONS = "not ready: unapplied migrations"
NO_DISK = "not ready: cannot write data"
INVALID_OVERRIDES = "invalid changes of the configuration"


class FaultLog:
    """Logs each kind of fault once when it begins, and once when it has ended, however often it is checked."""

    def __init__(self) -> None:
        self._current: set[str] = set()
        self._lock = threading.Lock()

    def begin(self, kind: str, reason: object, *, error: BaseException | None = None) -> None:
        """Log the beginning of a fault, unless it has begun already."""
        with self._lock:
            is_new = kind not in self._current
            self._current.add(kind)
        if is_new:
            log.error("%s: %s", kind, reason, exc_info=error)

    def end(self, kind: str) -> None:
        """Log the end of a fault that has begun."""
        with self._lock:
            has_begun = kind in self._current
            self._current.discard(kind)
        if has_begun:
            log.warning("ended: %s", kind)


class StorageCheck:
    """Checks that folders are writable. Results are reused for a few seconds, so that frequent probes cost little."""

    def __init__(self, *, reuse_seconds: float = 5, min_free_bytes: int = MIN_FREE_BYTES) -> None:
        self._reuse_seconds = reuse_seconds
        self._min_free_bytes = min_free_bytes
        self._results: dict[tuple[Path, ...], tuple[float, OSError | None]] = {}
        self._lock = threading.Lock()

    def fault(self, folders: Sequence[Path], *, now: float) -> OSError | None:
        """Return why one of the folders is not writable, None if all are. `now` is a monotonic time in seconds."""
        key = tuple(dict.fromkeys(folders))
        with self._lock:
            checked_at, fault = self._results.get(key, (now - self._reuse_seconds, None))
            if now - checked_at >= self._reuse_seconds:
                fault = _first_fault(key, min_free_bytes=self._min_free_bytes)
                self._results[key] = (now, fault)
        return fault


storage = StorageCheck()
faults = FaultLog()


def is_ready() -> bool:
    """Return False if the database, a migration or disk space is missing, and log the reason when it changes."""
    try:
        connection = connections[DEFAULT_DB_ALIAS]
        wait_for_session(connection, seconds=SESSION_SECONDS)
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Exception as error:
        # The traceback of an outage gives no further information.
        is_outage = isinstance(error, OperationalError | InterfaceError)
        faults.begin(NO_DATABASE, " ".join(str(error).split()), error=None if is_outage else error)
        return False
    faults.end(NO_DATABASE)
    disk_fault = storage.fault(_folders(), now=time.monotonic())
    for kind, reason in ((NO_MIGRATIONS, len(missing)), (NO_DISK, disk_fault)):
        if reason:
            faults.begin(kind, reason)
        else:
            faults.end(kind)
    return not missing and disk_fault is None


def wait_for_session(connection: Any, *, seconds: float) -> None:
    """Raise OperationalError if the connection has a pool, and this has no session within so many seconds."""
    pool = getattr(connection, "pool", None)
    if pool is not None and connection.connection is None:
        with connection.wrap_database_errors:
            pool.open()
            pool.putconn(pool.getconn(timeout=seconds))


def _folders() -> list[Path]:
    """Return the folders that must be writable: DATA_DIR, and that of an SQLite database."""
    folders = [Path(settings.DATA_DIR)]
    database = connections[DEFAULT_DB_ALIAS]
    if database.vendor == "sqlite":
        folders.append(Path(str(database.settings_dict["NAME"])).parent)
    return folders


def redis_is_available() -> bool:
    """Return whether the channel layer can be used. Without it, only live updates are slower."""
    try:
        async_to_sync(get_channel_layer().check)()
    except Exception:
        # The channel layer logs outages when it is used.
        return False
    return True


def tasks_are_done() -> bool:
    """Return whether no task waits, or a worker runs."""
    queue = task_queue(now=timezone.now())
    return not queue.waiting or bool(queue.workers)


def overrides_are_valid() -> bool:
    """Return whether all overrides of administrators can be used, and log when some begin to be ignored."""
    ignored = faults_of_configuration()
    if ignored:
        faults.begin(INVALID_OVERRIDES, "; ".join(map(str, ignored)))
    else:
        faults.end(INVALID_OVERRIDES)
    return not ignored


def _first_fault(folders: Sequence[Path], *, min_free_bytes: int) -> OSError | None:
    try:
        for folder in folders:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".writable-") as file:
                file.write(PROBE)
                file.flush()
                os.fsync(file.fileno())
            free = shutil.disk_usage(folder).free
            if free < min_free_bytes:
                raise OSError(f"only {free:,} bytes are free in {folder}")
    except OSError as error:
        return error
    return None
