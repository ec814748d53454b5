"""Pause of the garbage collector during large changes, which create hardly any circular references."""
from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.Lock()
_running = 0
_was_enabled = False


def without_gc(work: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to pause the collector in this process while any such function runs.

    Ten thousand operations are several hundred thousand live objects. The collector would traverse them repeatedly,
    which takes more than half of the time. Objects without circular references are freed as usual.
    """

    @wraps(work)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        _pause()
        try:
            return work(*args, **kwargs)
        finally:
            _resume()

    return wrapper


def _pause() -> None:
    global _running, _was_enabled
    with _lock:
        if _running == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _running += 1


def _resume() -> None:
    global _running
    with _lock:
        _running -= 1
        if _running == 0 and _was_enabled:
            gc.enable()
