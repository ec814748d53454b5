"""The channel layer of several processes: Channels' own over Redis, which lets go of a socket that has gone."""
from __future__ import annotations

import asyncio
from typing import Any

from channels_redis.core import RedisChannelLayer

Message = dict[str, Any]

# Whoever was told to stop listening and did not is told again after so long.
AGAIN_SECONDS = 0.5


class StopsWhenTold:
    """Over a layer whose `receive` may miss that it was cancelled.

    Up to Python 3.11 `asyncio.wait_for` does, where what it waits for ends at the same moment, and the client of Redis
    sends through it. The task of a socket that has gone would listen for ever, with a connection to Redis, and hold up
    the end of its process.
    """

    async def receive(self, channel: str) -> Message:
        """The next message of this channel."""
        listening = asyncio.ensure_future(super().receive(channel))  # type: ignore[misc]  # of the layer beside this
        try:
            return await asyncio.shield(listening)
        except asyncio.CancelledError:
            while not listening.done():
                listening.cancel()
                await asyncio.wait({listening}, timeout=AGAIN_SECONDS)
            raise
        finally:
            if listening.done() and not listening.cancelled():
                # Looked at, or asyncio complains of a failure that nobody has seen.
                listening.exception()


class SharedChannelLayer(StopsWhenTold, RedisChannelLayer):
    """The one that settings name."""
