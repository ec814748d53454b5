"""Sends messages to groups of sockets in all processes, from synchronous code after a commit."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

# An unreachable channel layer must not delay the response to a write that has been committed.
SEND_SECONDS = 2.0
logger = logging.getLogger(__name__)

# The name that a page gave the current request, "" for none: the page recognizes its own changes by it.
PAGE_REQUEST_NAME: ContextVar[str] = ContextVar("name of the request", default="")
# The event loop of the server, for work that its requests do in threads.
_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("loop of the sockets", default=None)

Send = Callable[[str, dict[str, Any]], None]
_other_way: list[Send | None] = [None]

# An event loop holds only weak references to its tasks.
_tasks: set[asyncio.Future[None]] = set()


def broadcast_from_running_loop() -> None:
    """Let the running event loop send the messages of this context and of threads started from it."""
    _loop.set(asyncio.get_running_loop())


@contextmanager
def broadcast_with(send: Send) -> Iterator[None]:
    """Let this process, which has no sockets, send its messages in another way than by the channel layer."""
    before, _other_way[0] = _other_way[0], send
    try:
        yield
    finally:
        _other_way[0] = before


def broadcast(group: str, message: dict[str, Any]) -> None:
    """Send a message to all sockets of a group, at most once. A failure is only logged.

    In a server it is sent by the event loop, and the caller does not wait for it.
    """
    send = _other_way[0]
    if send is not None:
        try:
            send(group, message)
        except Exception:
            logger.exception("could not send to group %s: %s", group, message["type"])
        return
    loop = _loop.get()
    if loop is not None and loop.is_running():
        # The coroutine is created in the loop. Otherwise it would never be awaited if the loop is about to stop.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_start, group, message)
            return
    async_to_sync(_send)(group, message)


def _start(group: str, message: dict[str, Any]) -> None:
    sending = asyncio.ensure_future(_send(group, message))
    _tasks.add(sending)
    sending.add_done_callback(_tasks.discard)


async def _send(group: str, message: dict[str, Any]) -> None:
    try:
        await asyncio.wait_for(get_channel_layer().group_send(group, message), SEND_SECONDS)
    except Exception as problem:
        logger.warning("could not send to group %s: %s: %r", group, message["type"], problem)
