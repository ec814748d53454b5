"""A channel layer in the memory of one process, which any thread and any event loop may use."""
from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakValueDictionary

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer

Message = dict[str, Any]

# Replaces the messages of a full channel, so that its consumer knows that it has missed some.
OVERFLOW: Message = {"type": "socket.overflow"}


class LocalChannelLayer(InMemoryChannelLayer):
    """Channels' in-memory layer, with queues that are only used in the event loop of their consumer.

    Changes are committed in threads without that event loop. A message that such a thread put into a queue would not
    wake the consumer.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._sending: set[asyncio.Future[None]] = set()
        # By a part of the channel name.
        self._loops: WeakValueDictionary[str, asyncio.AbstractEventLoop] = WeakValueDictionary()

    async def check(self) -> None:
        """Do nothing: this layer is always available."""

    async def new_channel(self, prefix: str = "specific.") -> str:
        loop = asyncio.get_running_loop()
        part = f"loop{id(loop)}."
        self._loops[part] = loop
        return str(await super().new_channel(prefix + part))

    async def send(self, channel: str, message: Message) -> None:
        loop = self._loop_of(channel)
        if loop is None or loop is asyncio.get_running_loop():
            await self._put(channel, message)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(self._send_in_loop, channel, message)

    async def group_send(self, group: str, message: Message) -> None:
        self.require_valid_group_name(group)
        # A copy, because channels join and leave in other threads.
        for channel in list(self.groups.get(group, ())):
            await self.send(channel, message)

    def _send_in_loop(self, channel: str, message: Message) -> None:
        sending = asyncio.ensure_future(self._put(channel, message))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    async def _put(self, channel: str, message: Message) -> None:
        """Add a message, or replace all messages of a full channel by OVERFLOW."""
        try:
            await super().send(channel, message)
        except ChannelFull:
            queue = self.channels[channel]
            while not queue.empty():
                queue.get_nowait()
            await super().send(channel, OVERFLOW)

    def _loop_of(self, channel: str) -> asyncio.AbstractEventLoop | None:
        local = channel.partition("!")[0]
        return next((loop for part, loop in list(self._loops.items()) if f".{part}" in local), None)
