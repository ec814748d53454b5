"""The channel layer of one process without Redis: news may come from any thread and reach any event loop."""
from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakValueDictionary

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer

Message = dict[str, Any]

# In place of the messages of a full channel: its reader has missed some, and knows how to make up for that.
OVERFLOW: Message = {"type": "socket.overflow"}


class LocalChannelLayer(InMemoryChannelLayer):
    """Channels' own layer in memory, whose queues may only be touched by the event loop that reads from them.

    Changes are written in threads, some of them with no event loop or with one of their own: what such a thread put
    into a queue would lie there until something else woke the reader.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._sending: set[asyncio.Future[None]] = set()
        self._homes: WeakValueDictionary[str, asyncio.AbstractEventLoop] = WeakValueDictionary()

    async def new_channel(self, prefix: str = "specific.") -> str:
        loop = asyncio.get_running_loop()
        home = f"loop{id(loop)}."
        self._homes[home] = loop
        return str(await super().new_channel(prefix + home))

    async def send(self, channel: str, message: Message) -> None:
        home = self._home_of(channel)
        if home is None or home is asyncio.get_running_loop():
            await self._put(channel, message)
        elif not home.is_closed():
            home.call_soon_threadsafe(self._send_there, channel, message)

    async def group_send(self, group: str, message: Message) -> None:
        self.require_valid_group_name(group)
        # Taken at once: members come and go in another thread.
        for channel in list(self.groups.get(group, ())):
            await self.send(channel, message)

    def _send_there(self, channel: str, message: Message) -> None:
        sending = asyncio.ensure_future(self._put(channel, message))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    async def _put(self, channel: str, message: Message) -> None:
        """Add a message; a sender never fails because its receiver is full, but the receiver is told."""
        try:
            await super().send(channel, message)
        except ChannelFull:
            queue = self.channels[channel]
            while not queue.empty():
                queue.get_nowait()
            await super().send(channel, OVERFLOW)

    def _home_of(self, channel: str) -> asyncio.AbstractEventLoop | None:
        local = channel.partition("!")[0]
        return next((loop for home, loop in list(self._homes.items()) if f".{home}" in local), None)
