"""The numbered events of running turns: in memory for those who listen here, in batches into the database."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any
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
# Of the events that are stored so many stay in memory: who follows is hardly ever further behind. The others are read
# back by whoever comes late; a long answer would else be kept here whole, in pieces of a hundred bytes a word.
KEPT = 50

Json = dict[str, Any]
Stored = Callable[[UUID, int, int], None]
# An event with its turn and its number in it.
Waiting = tuple[UUID, int, str]


class TurnLog:
    """The events of one turn, numbered from 1, and who waits for more.

    `count` is of all of them, `gone` of those at the beginning that are no longer here, but in the database.
    `final_type` is the type of the final event, "" while there is none.
    """

    def __init__(self, turn_id: UUID) -> None:
        self.turn_id = turn_id
        self.count = self.gone = 0
        self.final_type = ""
        self._here: list[str] = []  # as JSON, which is what both the database and the stream take
        self._stored = 0
        self._listeners: set[asyncio.Event] = set()

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

    def append(self, event: Json) -> str:
        """Adds an event and wakes the listeners; the event as JSON. After the final event nothing is added: ""."""
        if self.final_type:
            return ""
        text = _as_json(event)
        self._here.append(text)
        self.count += 1
        if event["type"] in FINAL:
            self.final_type = event["type"]
        for listener in self._listeners:
            listener.set()
        return text

    def after(self, number: int, *, most: int) -> list[str]:
        """At most so many events after this one, as JSON; for a number that is not below `gone`."""
        start = number - self.gone
        return self._here[start : start + most]

    def stored(self, first: int, last: int) -> None:
        """These events are in the database by now: of what is there without a gap only the last ones stay here."""
        if first > self._stored + 1:
            # The database refused some before them: those are nowhere but here.
            return
        self._stored = max(self._stored, last)
        spare = min(self._stored - self.gone, len(self._here) - KEPT)
        if spare > 0:
            del self._here[:spare]
            self.gone += spare

    def listen(self, listener: asyncio.Event) -> None:
        """Sets this event at each new one."""
        self._listeners.add(listener)

    def leave(self, listener: asyncio.Event) -> None:
        """Sets it no more."""
        self._listeners.discard(listener)


def _as_json(event: Json) -> str:
    """Nearly every event is a few characters of text: what is around them is not worked out each time."""
    if event["type"] == "text_delta" and len(event) == 2:
        return f'{{"type":"text_delta","text":{strictjson.dump(event["text"])}}}'
    return strictjson.dump(event)


class EventWriter:
    """Stores the events of all turns of a process: 2,000 single inserts a second are a database's whole second."""

    def __init__(self, *, stored: Stored | None = None) -> None:
        """`stored` is told of each turn which of its events, from one number to another, are in the database."""
        self._stored = stored
        self._waiting: list[Waiting] = []
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
            left = batch
            try:
                left = await self._write(batch)
            finally:
                # All of it where this was broken off: what is in the database by then is not stored twice.
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

    async def _write(self, batch: list[Waiting]) -> list[Waiting]:
        """What is left of the batch, in its order: of whatever the database was away for."""
        left: list[Waiting] = []
        try:
            left = await self._try(batch)
        except DatabaseError:
            # Turn by turn: what the database refuses of one turn must not hold up the others.
            for turn_id in dict.fromkeys(turn_id for turn_id, _, _ in batch):
                its_own = [row for row in batch if row[0] == turn_id]
                try:
                    left += await self._try(its_own)
                except DatabaseError:
                    log.exception("the database refuses events of turn %s; who listens here has them", turn_id)
        self._away = bool(left)
        return left

    async def _try(self, batch: list[Waiting]) -> list[Waiting]:
        """What is left of it: all, where the database is away. Raises DatabaseError where it refuses any of it."""
        if not batch:
            return []
        try:
            await in_database(write_events, batch)
        except (OperationalError, InterfaceError):
            if not self._away:
                log.exception("the database is away: %d stream events wait for it", len(batch))
            self._away = True
            return batch
        self._tell(batch)
        return []

    def _tell(self, batch: list[Waiting]) -> None:
        """Of each turn the events follow on each other without a gap, as they were taken."""
        if self._stored is None:
            return
        first = {turn_id: seq for turn_id, seq, _ in reversed(batch)}
        last = {turn_id: seq for turn_id, seq, _ in batch}
        for turn_id, seq in first.items():
            self._stored(turn_id, seq, last[turn_id])
