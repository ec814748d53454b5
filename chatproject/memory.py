"""Memory of the server process: how much it uses, and what it gives back to the system."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path

MB = 1024 * 1024
STATM = Path("/proc/self/statm")
# A process that has grown by less is left as it is: looking for freed memory takes some milliseconds.
GROWTH_MB = 32
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")

# The size of the process when its freed memory was last returned.
_size_mb = 0


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
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None and used_mb() > _size_mb + GROWTH_MB:
        gc.collect()
        trim(0)
        _size_mb = used_mb()
