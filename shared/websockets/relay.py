"""Messages between processes without a shared channel layer: workers store them, and servers send what was stored.

Servers read stored messages once a second, in one query, while they have sockets.
"""
from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from shared.websockets.clock import Clock
from shared.websockets.periodic import PeriodicTask, PerLoop

READ_SECONDS = 1.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoredMessage:
    """A message for the sockets of a group. `key` differs from that of every other message, and of a repetition."""

    key: Hashable
    group: str
    message: dict[str, Any]


Read = Callable[[], Sequence[StoredMessage]]
# Reads the messages of the last seconds, oldest first; None where processes share a channel layer.
_read: list[Read | None] = [None]


def register_stored_messages(read: Read | None) -> None:
    """Set how stored messages are read, None for not at all."""
    _read[0] = read


class Relay:
    """Sends stored messages to the sockets of an event loop. It runs only while there are any."""

    def __init__(self, clock: Clock) -> None:
        self._sockets: set[object] = set()
        self._sent: set[Hashable] = set()
        self._reads = PeriodicTask(self._send_new, clock=clock, seconds=READ_SECONDS, name="stored messages")

    def add(self) -> Callable[[], None]:
        """Send messages for a new socket. Return a function that stops that, which may be called more than once."""
        key = object()
        self._sockets.add(key)
        if _read[0] is not None:
            self._reads.start()

        def remove() -> None:
            self._sockets.discard(key)
            if not self._sockets:
                self._reads.stop()

        return remove

    async def _send_new(self) -> None:
        read = _read[0]
        if read is None:
            return
        try:
            # Not in the one thread that Django uses for thread-sensitive work: see `credentials.valid_in_thread`.
            messages = await database_sync_to_async(read, thread_sensitive=False)()
            for each in messages:
                if each.key not in self._sent:
                    await get_channel_layer().group_send(each.group, each.message)
        except Exception:
            # Read again a second later.
            logger.exception("could not send stored messages")
            return
        self._sent = {each.key for each in messages}


relay = PerLoop(Relay)
