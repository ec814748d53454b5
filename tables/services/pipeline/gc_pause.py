"""Keeps Python's search for circular garbage away from large pieces of work, which make hardly any."""
from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.Lock()
_working = 0
_was_on = False


def uncollected(work: Callable[P, R]) -> Callable[P, R]:
    """The function, with the collector paused in this process as long as any such function runs.

    Ten thousand operations are some hundred thousand objects that all stay alive: the collector looks through all of
    them again and again, for more than half of the time of the work. What is not circular is freed as ever.
    """

    @wraps(work)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> R:
        _begin()
        try:
            return work(*args, **kwargs)
        finally:
            _end()

    return quiet


def _begin() -> None:
    global _working, _was_on
    with _lock:
        if _working == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _working += 1


def _end() -> None:
    global _working
    with _lock:
        _working -= 1
        if _working == 0 and _was_on:
            gc.enable()
