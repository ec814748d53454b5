"""Whether the disks of an installation take data: a small file is written, synced and removed."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

PROBE = b"\0" * 4096
MIN_FREE_BYTES = 8 * 1024 * 1024


class StorageCheck:
    """Checks of folders whose results are reused for a few seconds, so that frequent probes cost little."""

    def __init__(self, *, reuse_seconds: float = 5) -> None:
        self._reuse_seconds = reuse_seconds
        self._results: dict[tuple[Path, ...], tuple[float, OSError | None]] = {}
        self._lock = threading.Lock()

    def fault(self, folders: Sequence[Path], *, now: float) -> OSError | None:
        """Return why one of the folders takes no data, None when all do; `now` is a monotonic time in seconds."""
        key = tuple(dict.fromkeys(folders))
        with self._lock:
            checked_at, fault = self._results.get(key, (now - self._reuse_seconds, None))
            if now - checked_at >= self._reuse_seconds:
                fault = _first_fault(key)
                self._results[key] = (now, fault)
        return fault


def _first_fault(folders: Sequence[Path]) -> OSError | None:
    try:
        for folder in folders:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".writable-") as file:
                file.write(PROBE)
                file.flush()
                os.fsync(file.fileno())
            free = shutil.disk_usage(folder).free
            if free < MIN_FREE_BYTES:
                raise OSError(f"only {free:,} bytes are free in {folder}")
    except OSError as error:
        return error
    return None
