"""Connections do not wait: a unit of work gives its own back at its end, whatever comes next."""
from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")


def giving_back(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` gives; the connections of this thread are closed after it (a pool has them back), but for those
    in the middle of a transaction.

    For a thread that goes on to wait: for a model, for its turn, for somebody to read. Sixteen that wait with their
    connections in hand stop those for whom they wait.
    """
    try:
        return work(*args, **kwargs)
    finally:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()
