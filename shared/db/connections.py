"""Closes the database connections of a thread before it waits."""
from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")


def close_connections() -> None:
    """Close the connections of this thread, which returns them to their pool, except those in a transaction.

    Call this before a thread waits for a model, a lock or a client. If waiting threads held all connections, the work
    that they wait for could not get one.
    """
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def call_and_close(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function, return its result, and close the connections of this thread afterwards."""
    try:
        return function(*args, **kwargs)
    finally:
        close_connections()
