"""The numbered events of running turns: in memory for those who listen here, in batches into the database."""
from __future__ import annotations

import asyncio
import logging
from typing import Any
from uuid import UUID

from chat.services import write_events
from chat.turns.database import in_database

log = logging.getLogger(__name__)

FINAL = frozenset({"complete", "error", "cancelled"})
# More than this waiting means the database is away: the turns' memory has them all, the writer lets go of the oldest.
MOST_PENDING = 100_000

Json = dict[str, Any]


class TurnLog:
    """The events of one turn, numbered from 1, and who waits for more."""

    def __init__(self, turn_id: UUID) -> None:
        self.turn_id = turn_id
        self.events: list[Json] = []
        self._listeners: set[asyncio.Event] = set()

    @property
    def ended(self) -> bool:
        """Whether the final event is there."""
        return bool(self.events) and self.events[-1]["type"] in FINAL

    @property
    def final_type(self) -> str:
        """The type of the final event, "" while there is none."""
        return str(self.events[-1]["type"]) if self.ended else ""

    async def until_end(self) -> None:
        """Returns when the final event is there."""
        news = asyncio.Event()
        self.listen(news)
        try:
            while not self.ended:
                await news.wait()
                news.clear()
        finally:
            self.leave(news)

    def append(self, event: Json) -> int:
        """Adds an event and wakes the listeners; its number. After the final event nothing is added."""
        if self.ended:
            return len(self.events)
        self.events.append(event)
        for listener in self._listeners:
            listener.set()
        return len(self.events)

    def listen(self, listener: asyncio.Event) -> None:
        """Sets this event at each new one."""
        self._listeners.add(listener)

    def leave(self, listener: asyncio.Event) -> None:
        """Sets it no more."""
        self._listeners.discard(listener)


class EventWriter:
    """Stores the events of all turns of a process: 2,000 single inserts a second are a database's whole second."""

    def __init__(self) -> None:
        self._pending: list[tuple[UUID, int, Json]] = []
        self._lock = asyncio.Lock()

    def add(self, turn_id: UUID, *, seq: int, event: Json) -> None:
        """Takes an event to be stored with the next batch."""
        self._pending.append((turn_id, seq, event))

    async def flush(self) -> None:
        """Stores everything taken so far in one statement. What could not be stored is tried again next time."""
        async with self._lock:
            batch, self._pending = self._pending, []
            if not batch:
                return
            try:
                await in_database(write_events, batch)
            except Exception:
                log.exception("could not store %d stream events", len(batch))
                self._pending = (batch + self._pending)[-MOST_PENDING:]
