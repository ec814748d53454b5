"""Memory of the server process: how much it uses, and what it gives back to the system."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from pathlib import Path

MB = 1024 * 1024
STATM = Path("/proc/self/statm")
# A process that has grown by less is left as it is: looking for freed memory takes some milliseconds.
GROWTH_MB = 32
# Seconds between two attempts while the process is over its limit.
RETURN_SECONDS = 1.0
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")

# The smallest size of the process since its unused memory was last returned, and when that was.
_size_mb = 0
_returned_at = float("-inf")
_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def used_mb() -> int:
    """Return the resident memory of this process in MB; 0 on systems without /proc."""
    try:
        resident_pages = int(STATM.read_bytes().split()[1])
    except OSError:
        return 0
    return resident_pages * PAGE_SIZE // MB


def limit_growth() -> None:
    """Return unused memory to the system when the process has grown.

    Garbage that refers to itself waits for a full collection, and the C library holds on to what was freed. Does
    nothing without glibc.
    """
    global _size_mb
    size = used_mb()
    _size_mb = min(_size_mb, size)
    if size > _size_mb + GROWTH_MB:
        _return_unused()


def memory_is_below(limit_mb: int) -> bool:
    """Return whether the process uses at most so much, once unused memory has been returned if it does not."""
    if used_mb() > limit_mb and time.monotonic() >= _returned_at + RETURN_SECONDS:
        # Other requests may have freed theirs since it was last returned.
        _return_unused()
    return used_mb() <= limit_mb


def _return_unused() -> None:
    global _size_mb, _returned_at
    if _malloc_trim is not None:
        gc.collect()
        _malloc_trim(0)
    _size_mb, _returned_at = used_mb(), time.monotonic()
