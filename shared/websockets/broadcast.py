"""Carries a message to a group of sockets, in whatever process those are; from synchronous code, after a commit."""
from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

# A channel layer out of reach may not hold up what was already written.
SECONDS = 2.0
logger = logging.getLogger(__name__)

# How a page calls the request on whose behalf something is done, "" elsewhere: by that it knows its own news.
ASKED_AS: ContextVar[str] = ContextVar("name of the request", default="")
# The loop that serves, known to all that is done on its behalf, in whatever thread.
_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("loop of the sockets", default=None)

# A loop by itself holds on to nothing that it runs.
_under_way: set[asyncio.Future[None]] = set()


def tell_from_here() -> None:
    """What is done in this context, and in threads on its behalf, leaves its messages to the running loop."""
    _loop.set(asyncio.get_running_loop())


def tell(group: str, message: dict[str, Any]) -> None:
    """Sends it to everybody in the group, at most once. That it could not be sent is logged: written is written.

    While a loop serves, it does so soon; whoever has just written something does not wait for that.
    """
    loop = _loop.get()
    if loop is not None and loop.is_running():
        # What is to be awaited is made by the loop itself: one that is just ending takes nothing up any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_begin, group, message)
            return
    async_to_sync(_send)(group, message)


def _begin(group: str, message: dict[str, Any]) -> None:
    sending = asyncio.ensure_future(_send(group, message))
    _under_way.add(sending)
    sending.add_done_callback(_under_way.discard)


async def _send(group: str, message: dict[str, Any]) -> None:
    try:
        await asyncio.wait_for(get_channel_layer().group_send(group, message), SECONDS)
    except Exception as problem:
        logger.warning("could not send to group %s: %s: %r", group, message["type"], problem)
