"""Less frequent garbage collection during large changes, which create hardly any circular references."""
from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# New objects between two collections, and collections of new objects only until older ones are included.
THRESHOLDS = (50_000, 1_000, 1_000)

_lock = threading.Lock()
_running = 0
_usual_thresholds = (0, 0, 0)


def with_rare_gc(work: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to collect garbage less often in this process while any such function runs.

    Ten thousand operations are several hundred thousand live objects. The collector would traverse them repeatedly,
    which takes more than half of the time. It is not disabled, because the function may wait seconds for a lock, and
    the garbage of all other requests would remain in memory meanwhile.
    """

    @wraps(work)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        _raise_thresholds()
        try:
            return work(*args, **kwargs)
        finally:
            _restore_thresholds()

    return wrapper


def _raise_thresholds() -> None:
    global _running, _usual_thresholds
    with _lock:
        if _running == 0:
            _usual_thresholds = gc.get_threshold()
            gc.set_threshold(*THRESHOLDS)
        _running += 1


def _restore_thresholds() -> None:
    global _running
    with _lock:
        _running -= 1
        if _running == 0:
            gc.set_threshold(*_usual_thresholds)
