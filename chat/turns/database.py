"""The one seam between turns and the database: a unit of sync work in a thread, its connection given back after it."""
from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from asgiref.sync import sync_to_async
from django.conf import settings

from statements import giving_back
from statements.time_limits import time_limit

P = ParamSpec("P")
T = TypeVar("T")

# As many tools as may run at the same time in a process; more wait for their turn. Fewer than there are connections
# to be had, so that tools leave some for everything else.
TOOL_THREADS = min(12, settings.DATABASE_CONNECTIONS * 3 // 4)
_tools = ThreadPoolExecutor(TOOL_THREADS, thread_name_prefix="tool")
# By event loop and user; each lives as long as a tool of this user runs or waits.
_shares: WeakValueDictionary[tuple[int, int], asyncio.Semaphore] = WeakValueDictionary()


async def in_database(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs `work` in this context's thread.

    A turn or an open stream lives for minutes: were the connection kept, 130 of them would fill PostgreSQL. When the
    caller is cancelled, work that has begun is still waited for, so that nothing goes on unseen behind its back.
    """
    unit: asyncio.Future[T] = asyncio.ensure_future(sync_to_async(giving_back)(_within_limits, work, *args, **kwargs))
    try:
        return await asyncio.shield(unit)
    except asyncio.CancelledError:
        await _seen(unit)
        raise


async def in_tool_thread(work: Callable[[], T], *, user_id: int) -> T:
    """Runs `work` beside this context's thread, which stays free: a turn can end while one of its tools still runs,
    and tools that only read run at the same time, up to `REQUESTS_AT_ONCE` of each user.

    When the caller is cancelled, work that has begun is waited for, and work that has not is never begun.
    """
    async with _share_of(user_id):
        limited = partial(_within_limits, work)
        beginning: Future[T] = _tools.submit(contextvars.copy_context().run, partial(giving_back, limited))
        unit = asyncio.wrap_future(beginning)
        try:
            return await asyncio.shield(unit)
        except asyncio.CancelledError:
            if not beginning.cancel():
                await _seen(unit)
            raise


def _share_of(user_id: int) -> asyncio.Semaphore:
    """Return the semaphore for the tools of this user, in all turns of this event loop."""
    key = (id(asyncio.get_running_loop()), user_id)
    share = _shares.get(key)
    if share is None:
        share = _shares[key] = asyncio.Semaphore(settings.REQUESTS_AT_ONCE)
    return share


def _within_limits(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `work` under a time limit of its own: that of a request would end before its turn or stream does.

    A lock may take as long: a turn that ends is not asked to try again.
    """
    seconds = settings.DATABASE_WRITE_SECONDS
    with time_limit(seconds, lock_seconds=seconds):
        return work(*args, **kwargs)


async def _seen(unit: asyncio.Future[Any]) -> None:
    """Waits for the end of a unit whose outcome nobody asks for any more."""
    await asyncio.wait({unit})
    if not unit.cancelled():
        # Looked at, or asyncio complains of a failure that nobody has seen.
        unit.exception()
