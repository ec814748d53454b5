"""The one seam between turns and the database: a unit of sync work in a thread, its connection given back after it."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")

# Few, for each holds a connection while it reads: what more is asked for at the same time waits its turn.
READING_THREADS = 4
_readers = ThreadPoolExecutor(max_workers=READING_THREADS, thread_name_prefix="reading")

# Tools that write, in all turns of a process at the same time; more wait for a thread.
WRITING_THREADS = 8
_writers = ThreadPoolExecutor(max_workers=WRITING_THREADS, thread_name_prefix="writing")


async def in_database(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs `work` in this context's thread.

    A turn or an open stream lives for minutes: were the connection kept, 130 of them would fill PostgreSQL. When the
    caller is cancelled, work that has begun is still waited for, so that nothing goes on unseen behind its back.
    """
    return await _waited_for(asyncio.ensure_future(sync_to_async(_unit)(work, *args, **kwargs)))


async def in_tool_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs `work` beside this context's thread, which stays free: a turn can end while one of its tools still runs."""
    run = sync_to_async(_unit, thread_sensitive=False, executor=_writers)
    return await _waited_for(asyncio.ensure_future(run(work, *args, **kwargs)))


async def _waited_for(unit: asyncio.Future[T]) -> T:
    try:
        return await asyncio.shield(unit)
    except asyncio.CancelledError:
        await asyncio.wait({unit})
        if not unit.cancelled():
            # Looked at, or asyncio complains of a failure that nobody has seen.
            unit.exception()
        raise


async def beside_others(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs `work`, which only reads, in one of the process's reading threads: at the same time as other such work of
    this turn, which `in_database` would run one after another.

    When the caller is cancelled, work that waits for a thread is never begun, and work that has begun is left to end
    by itself, for it changes nothing.
    """
    return await sync_to_async(_unit, thread_sensitive=False, executor=_readers)(work, *args, **kwargs)


def _unit(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return work(*args, **kwargs)
    finally:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()
