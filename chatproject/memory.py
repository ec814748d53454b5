"""Memory of the server process: how much it uses, and what it gives back to the system."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

MB = 1024 * 1024
STATM = Path("/proc/self/statm")
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


def used_mb() -> int:
    """Return the resident memory of this process in MB; 0 on systems without /proc."""
    try:
        resident_pages = int(STATM.read_bytes().split()[1])
    except OSError:
        return 0
    return resident_pages * PAGE_SIZE // MB


def give_back_freed() -> None:
    """Return freed memory to the system, which the C library would hold on to. Does nothing without glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
