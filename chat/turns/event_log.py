"""The numbered events of running turns: in memory for streams of this process, and stored in batches."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import DatabaseError, InterfaceError, OperationalError

from chat.agent.clock import Clock
from chat.services import write_events
from chat.turns.database import in_database
from shared import strictjson

log = logging.getLogger(__name__)

FINAL_TYPES = frozenset({"complete", "error", "cancelled"})
# With more events in the queue the database is not available: turns stop reading from their models.
MAX_QUEUED = 20_000
# A turn that ends tries this often, with this pause, to reach the database.
FLUSH_TRIES, FLUSH_PAUSE_SECONDS = 10, 1.0
# Stored events that remain in memory: streams are hardly ever further behind. Clients that connect late read older
# ones from the database, so that a long answer does not fill the memory.
MIN_IN_MEMORY = 50

Json = dict[str, Any]
StoredCallback = Callable[[UUID, int, int], None]
# The id of a turn, the number of an event of it, and the event as JSON.
QueuedEvent = tuple[UUID, int, str]
# The type of an event, and the event as JSON, which is what both the database and the stream take.
TypedEvent = tuple[str, str]


class TurnLog:
    """The events of one turn, numbered from 1, and its listeners.

    `count` is the number of all events, `released` that of the first ones, which are only in the database.
    `final_type` is the type of the final event, or "".
    """

    def __init__(self, turn_id: UUID) -> None:
        self.turn_id = turn_id
        self.count = self.released = 0
        self.final_type = ""
        self._in_memory: list[TypedEvent] = []
        self._stored = 0
        self._listeners: set[asyncio.Event] = set()

    @property
    def ended(self) -> bool:
        """Whether the log has its final event."""
        return bool(self.final_type)

    async def until_end(self) -> None:
        """Wait for the final event."""
        appended = asyncio.Event()
        self.add_listener(appended)
        try:
            while not self.ended:
                await appended.wait()
                appended.clear()
        finally:
            self.remove_listener(appended)

    def append(self, event: Json) -> str:
        """Append an event, wake the listeners and return the event as JSON. After the final event return "" only."""
        if self.final_type:
            return ""
        text = _as_json(event)
        self._in_memory.append((event["type"], text))
        self.count += 1
        if event["type"] in FINAL_TYPES:
            self.final_type = event["type"]
        for listener in self._listeners:
            listener.set()
        return text

    def after(self, number: int, *, limit: int) -> list[TypedEvent]:
        """Return up to `limit` events after this number, which is not below `released`."""
        start = number - self.released
        return self._in_memory[start : start + limit]

    def stored(self, first: int, last: int) -> None:
        """Note that these events are stored, and drop all but the last stored ones from memory."""
        if first > self._stored + 1:
            # Earlier events that the database refused must remain in memory.
            return
        self._stored = max(self._stored, last)
        spare = min(self._stored - self.released, len(self._in_memory) - MIN_IN_MEMORY)
        if spare > 0:
            del self._in_memory[:spare]
            self.released += spare

    def add_listener(self, listener: asyncio.Event) -> None:
        """Set this asyncio event for each new event."""
        self._listeners.add(listener)

    def remove_listener(self, listener: asyncio.Event) -> None:
        """Remove the listener."""
        self._listeners.discard(listener)


def _as_json(event: Json) -> str:
    """Return the event as JSON, with a fast path for text deltas, which are nearly all events."""
    if event["type"] == "text_delta" and len(event) == 2:
        return f'{{"type":"text_delta","text":{strictjson.dumps(event["text"])}}}'
    return strictjson.dumps(event)


class EventWriter:
    """Stores the events of all turns of a process in batches, because single inserts would overload the database."""

    def __init__(self, *, stored: StoredCallback | None = None) -> None:
        """`stored(turn_id, first, last)` is called after events of a turn were stored."""
        self._stored = stored
        self._queue: list[QueuedEvent] = []
        self._writing = asyncio.Lock()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._unavailable = False

    def add(self, turn_id: UUID, *, seq: int, event: str) -> None:
        """Add an event, as JSON, to the next batch."""
        self._queue.append((turn_id, seq, event))
        if len(self._queue) >= MAX_QUEUED:
            self._has_room.clear()

    async def wait_for_room(self) -> None:
        """Wait until there is room for more events: no wait unless the database is not available."""
        await self._has_room.wait()

    async def flush(self) -> None:
        """Store all added events. Those that cannot be stored are tried again next time, in their order."""
        async with self._writing:
            batch, self._queue = self._queue, []
            remaining = batch
            try:
                remaining = await self._write(batch)
            finally:
                # All of it after a cancellation: events that are stored already are not stored twice.
                self._queue = remaining + self._queue
                if len(self._queue) < MAX_QUEUED:
                    self._has_room.set()

    async def flush_all(self, *, clock: Clock) -> None:
        """Store all added events, with retries. Raises OperationalError if the database is not available."""
        for _ in range(FLUSH_TRIES):
            await self.flush()
            if not self._unavailable:
                return
            await clock.sleep(FLUSH_PAUSE_SECONDS)
        raise OperationalError("the database is not available")

    async def _write(self, batch: list[QueuedEvent]) -> list[QueuedEvent]:
        """Write a batch and return the events that could not be stored, in their order."""
        remaining: list[QueuedEvent] = []
        try:
            remaining = await self._try(batch)
        except DatabaseError:
            # Turn by turn: an event that the database refuses must not block those of other turns.
            for turn_id in dict.fromkeys(turn_id for turn_id, _, _ in batch):
                own = [row for row in batch if row[0] == turn_id]
                try:
                    remaining += await self._try(own)
                except DatabaseError:
                    log.exception("could not store events of turn %s; only streams of this process have them", turn_id)
        self._unavailable = bool(remaining)
        return remaining

    async def _try(self, batch: list[QueuedEvent]) -> list[QueuedEvent]:
        """Write a batch; return it if the database is not available. Raises DatabaseError if it refuses an event."""
        if not batch:
            return []
        try:
            await in_database(write_events, batch)
        except (OperationalError, InterfaceError):
            if not self._unavailable:
                log.exception("the database is not available: %d stream events are waiting", len(batch))
            self._unavailable = True
            return batch
        self._report_stored(batch)
        return []

    def _report_stored(self, batch: list[QueuedEvent]) -> None:
        """Report the stored numbers of each turn; within a batch they have no gaps."""
        if self._stored is None:
            return
        first = {turn_id: seq for turn_id, seq, _ in reversed(batch)}
        last = {turn_id: seq for turn_id, seq, _ in batch}
        for turn_id, seq in first.items():
            self._stored(turn_id, seq, last[turn_id])
