"""The numbered events of running turns: in memory for those who listen here, in batches into the database."""
from __future__ import annotations

import asyncio
import logging
from typing import Any, NamedTuple
from uuid import UUID

from django.db import DatabaseError, InterfaceError, OperationalError

import strictjson
from chat.agent.clock import Clock
from chat.services import write_events
from chat.turns.database import in_database

log = logging.getLogger(__name__)

FINAL = frozenset({"complete", "error", "cancelled"})
# With more than this waiting, the database is away: turns stop reading their models until there is room again.
MOST_WAITING = 20_000
# A turn that ends waits so many times so long for a database that is away.
PATIENCE, PAUSE_SECONDS = 10, 1.0

Json = dict[str, Any]


class Event(NamedTuple):
    """One event: its type, and itself as JSON, which is what both the database and the stream take."""

    type: str
    json: str


class TurnLog:
    """The events of one turn, numbered from 1, and who waits for more."""

    def __init__(self, turn_id: UUID) -> None:
        self.turn_id = turn_id
        self.events: list[Event] = []
        self._listeners: set[asyncio.Event] = set()

    @property
    def final_type(self) -> str:
        """The type of the final event, "" while there is none."""
        last = self.events[-1].type if self.events else ""
        return last if last in FINAL else ""

    @property
    def ended(self) -> bool:
        """Whether the final event is there."""
        return bool(self.final_type)

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
        if not self.ended:
            self.events.append(Event(event["type"], strictjson.dump(event)))
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
        self._waiting: list[tuple[UUID, int, str]] = []
        self._writing = asyncio.Lock()
        self._room = asyncio.Event()
        self._room.set()
        self._away = False

    def add(self, turn_id: UUID, *, seq: int, event: str) -> None:
        """Takes an event, as JSON, to be stored with the next batch."""
        self._waiting.append((turn_id, seq, event))
        if len(self._waiting) >= MOST_WAITING:
            self._room.clear()

    async def room(self) -> None:
        """Returns when there is room for more: at once, unless the database is away and much is waiting for it."""
        await self._room.wait()

    async def flush(self) -> None:
        """Stores everything taken so far. What cannot be stored now is tried again next time, in its order."""
        async with self._writing:
            batch, self._waiting = self._waiting, []
            left = await self._write(batch)
            self._waiting = left + self._waiting
            if len(self._waiting) < MOST_WAITING:
                self._room.set()

    async def flush_all(self, *, clock: Clock) -> None:
        """Stores everything taken so far, with some patience. Raises OperationalError when the database stays away."""
        for _ in range(PATIENCE):
            await self.flush()
            if not self._away:
                return
            await clock.sleep(PAUSE_SECONDS)
        raise OperationalError("the database is away")

    async def _write(self, batch: list[tuple[UUID, int, str]]) -> list[tuple[UUID, int, str]]:
        """What is left of the batch."""
        if not batch:
            self._away = False
            return []
        try:
            await in_database(write_events, batch)
        except (OperationalError, InterfaceError):
            if not self._away:
                log.exception("the database is away: %d stream events wait for it", len(batch))
            self._away = True
            return batch
        except DatabaseError:
            await self._write_apart(batch)
        self._away = False
        return []

    async def _write_apart(self, batch: list[tuple[UUID, int, str]]) -> None:
        """Turn by turn: what the database refuses of one turn must not hold up the others."""
        for turn_id in {turn_id for turn_id, _, _ in batch}:
            try:
                await in_database(write_events, [row for row in batch if row[0] == turn_id])
            except DatabaseError:
                log.exception("the database refuses events of turn %s; who listens here has them", turn_id)
