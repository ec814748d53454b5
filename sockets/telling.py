"""Carries a message to a group of sockets, in whatever process those are; from synchronous code, after a commit."""
from __future__ import annotations

import asyncio
import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

# A channel layer out of reach may not hold up what was already written.
SECONDS = 2.0
logger = logging.getLogger(__name__)


def tell(group: str, message: dict[str, Any]) -> None:
    """Sends it to everybody in the group, at most once. That it could not be sent is logged: written is written."""
    try:
        async_to_sync(_send)(group, message)
    except Exception as problem:
        logger.warning("Nobody in %s was told of %s: %r", group, message["type"], problem)


async def _send(group: str, message: dict[str, Any]) -> None:
    await asyncio.wait_for(get_channel_layer().group_send(group, message), SECONDS)
