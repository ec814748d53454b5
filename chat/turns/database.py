"""The one seam between turns and the database: a unit of sync work in a thread, its connection given back after it."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")


async def in_database(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs `work` in this context's thread.

    A turn or an open stream lives for minutes: were the connection kept, 130 of them would fill PostgreSQL. When the
    caller is cancelled, work that has begun is still waited for, so that nothing goes on unseen behind its back.
    """
    unit: asyncio.Future[T] = asyncio.ensure_future(sync_to_async(_unit)(work, *args, **kwargs))
    try:
        return await asyncio.shield(unit)
    except asyncio.CancelledError:
        await asyncio.wait({unit})
        if not unit.cancelled():
            # Looked at, or asyncio complains of a failure that nobody has seen.
            unit.exception()
        raise


def _unit(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return work(*args, **kwargs)
    finally:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()
