"""Run synchronous database work of turns in threads; its connection is returned to the pool after each unit."""
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

from chat.exceptions import TooMany
from shared.db import call_and_close
from shared.db.large_work import LargeWorkBusy, large_work_timeout
from shared.db.time_limits import time_limit
from shared.user_messages import declare

P = ParamSpec("P")
T = TypeVar("T")

BUSY_WITH_LARGE_CHANGES = declare(
    "busy_with_large_changes", "The server is busy with other large changes. Try again in a moment."
)
# Tools that run at the same time in a process. Fewer than connections, so that some remain for everything else.
TOOL_THREADS = min(12, settings.DATABASE_CONNECTIONS * 3 // 4)
_tool_executor = ThreadPoolExecutor(TOOL_THREADS, thread_name_prefix="tool")
# By event loop and user. An entry lives while a tool of the user runs or waits.
_tool_semaphores: WeakValueDictionary[tuple[int, int], asyncio.Semaphore] = WeakValueDictionary()


async def in_database(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in the thread of this context.

    A turn or stream lasts for minutes, so it does not hold a connection meanwhile. If the caller is cancelled, work
    that has started is still awaited, so that it never continues in the background.
    """
    in_thread = sync_to_async(call_and_close)
    unit: asyncio.Future[T] = asyncio.ensure_future(in_thread(_within_limits, work, *args, **kwargs))
    try:
        return await asyncio.shield(unit)
    except asyncio.CancelledError:
        await _wait_for_end(unit)
        raise


async def in_tool_thread(work: Callable[[], T], *, user_id: int) -> T:
    """Run `work` in another thread than that of this context, so that a turn can end while one of its tools runs.

    Tools that only read run concurrently, up to `REQUESTS_AT_ONCE` of each user. If the caller is cancelled, work that
    has started is awaited, and other work is not started.
    """
    async with _tool_semaphore(user_id):
        limited = partial(_within_limits, work)
        future: Future[T] = _tool_executor.submit(contextvars.copy_context().run, partial(call_and_close, limited))
        unit = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(unit)
        except asyncio.CancelledError:
            if not future.cancel():
                await _wait_for_end(unit)
            raise


def _tool_semaphore(user_id: int) -> asyncio.Semaphore:
    """Return the semaphore for the tools of this user in all turns of this event loop."""
    key = (id(asyncio.get_running_loop()), user_id)
    semaphore = _tool_semaphores.get(key)
    if semaphore is None:
        semaphore = _tool_semaphores[key] = asyncio.Semaphore(settings.REQUESTS_AT_ONCE)
    return semaphore


def _within_limits(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `work` under its own time limit, because that of the request may end before the turn does.

    Locks may take as long: unlike a request, a turn cannot be repeated after a short wait.
    """
    seconds = settings.DATABASE_WRITE_SECONDS
    try:
        with time_limit(seconds, lock_seconds=seconds), large_work_timeout(seconds):
            return work(*args, **kwargs)
    except LargeWorkBusy:
        raise TooMany(BUSY_WITH_LARGE_CHANGES(), extra={"retry_after": 5}) from None


async def _wait_for_end(unit: asyncio.Future[Any]) -> None:
    """Wait for the end of a unit whose result is not needed."""
    await asyncio.wait({unit})
    if not unit.cancelled():
        # Retrieve the exception, or asyncio logs that it was never retrieved.
        unit.exception()
