"""Measures the memory of the process, and returns unused memory to the operating system."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Callable
from pathlib import Path

MB = 1024 * 1024
STATM = Path("/proc/self/statm")
# Memory is returned only after this growth, because that takes some milliseconds.
GROWTH_MB = 16
# Seconds between two attempts while the process uses more than its limit.
RETURN_SECONDS = 1.0
MAX_RETRIES = 5
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")

# The smallest size of the process since its unused memory was last returned, and when that was.
_size_mb = 0
# How often memory was returned again since the process grew.
_retries = MAX_RETRIES
_returned_at = float("-inf")
# Functions that empty a cache, and whether they are called again at each retry.
_caches: dict[Callable[[], None], bool] = {}
_libc = ctypes.CDLL(None)
_malloc_trim = getattr(_libc, "malloc_trim", None)
# https://man7.org/linux/man-pages/man3/mallopt.3.html
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
# New objects between two garbage collections, and collections until older objects are included.
GC_THRESHOLDS = (20_000, 10, 10)
GC_DEFAULT_THRESHOLDS = gc.get_threshold()


def collect_less_often() -> None:
    """Raise the thresholds of the garbage collector for this process.

    With the default threshold of 700 objects, garbage collection takes a tenth of the time of all imports.
    """
    gc.set_threshold(*GC_THRESHOLDS)


def collect_at_default_rate() -> None:
    """Reset the thresholds of the garbage collector.

    In a server under load, rare collections let the memory of finished requests and sockets grow by a few percent.
    """
    gc.set_threshold(*GC_DEFAULT_THRESHOLDS)


def limit_heaps() -> None:
    """Make the C library return large blocks to the system as soon as they are freed.

    By default it raises its thresholds to the largest block that was ever freed, up to 32 MB, and retains twice as much
    at the end of the heap of each thread, which `malloc_trim` does not return. Does nothing without glibc.
    """
    if _malloc_trim is not None:
        _libc.mallopt(M_MMAP_THRESHOLD, MB)
        _libc.mallopt(M_TRIM_THRESHOLD, MB)


def used_mb() -> int:
    """Return the resident memory of this process in MB; 0 on systems without /proc."""
    try:
        resident_pages = int(STATM.read_bytes().split()[1])
    except OSError:
        return 0
    return resident_pages * PAGE_SIZE // MB


def has_grown() -> bool:
    """Return whether `limit_growth` would return memory now."""
    global _size_mb
    size = used_mb()
    _size_mb = min(_size_mb, size)
    return size > _size_mb + GROWTH_MB or _is_retry_due()


def limit_growth() -> None:
    """Return unused memory to the operating system when the process has grown.

    This needs a full garbage collection and a call of the C library. Memory that other requests use at this moment
    cannot be returned, so a few more attempts follow within half a minute. Does nothing without glibc.
    """
    global _retries
    if not has_grown():
        return
    if used_mb() > _size_mb + GROWTH_MB:
        _retries = 0
        _return_unused(has_grown=True)
    else:
        _retries += 1
        _return_unused()


def _is_retry_due() -> bool:
    return _retries < MAX_RETRIES and time.monotonic() >= _returned_at + RETURN_SECONDS * 2**_retries


def memory_is_below(limit_mb: int) -> bool:
    """Return whether the process uses at most this much memory, if necessary after returning unused memory."""
    if used_mb() > limit_mb and time.monotonic() >= _returned_at + RETURN_SECONDS:
        # Other requests may have freed memory since the last attempt.
        _return_unused()
    return used_mb() <= limit_mb


def empty_when_grown(empty: Callable[[], None], *, retry: bool = True) -> None:
    """Register a function that empties a cache; it is called whenever the process has grown.

    With `retry` it is called again at each later attempt to return memory.
    """
    _caches[empty] = retry


def _return_unused(*, has_grown: bool = False) -> None:
    global _size_mb, _returned_at
    for empty, retry in _caches.items():
        if has_grown or retry:
            empty()
    if _malloc_trim is not None:
        gc.collect()
        _malloc_trim(0)
    _size_mb, _returned_at = used_mb(), time.monotonic()
