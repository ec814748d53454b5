"""The sockets of each table in an event loop: who has it open, and who may still see it."""
from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from shared.websockets.clock import Clock
from tables.consumers.access import access_in_thread
from tables.consumers.announcing import group_of
from tables.consumers.presence import EncodedPeople, Person, Presence
from tables.selectors import TableAccess

# How often the rights to all tables that are open here are read, in two queries.
CHECK_SECONDS = 1.0
BEAT_SECONDS = 30
# A process that sends nothing for this long is taken for dead.
PRESENCE_TTL_SECONDS = 2.5 * BEAT_SECONDS
# In a room with more sockets than this, joins and leaves are sent to each of them at most every PAUSE_SECONDS, and with
# more than SOCKETS_A_PAUSE less often, since the messages are longer too. Otherwise the cost of a restart would grow
# with the cube of their number. A new role is sent at once.
MAX_AT_ONCE = 20
SOCKETS_A_PAUSE = 100
PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 1.5

Json = dict[str, Any]
logger = logging.getLogger(__name__)


class RoomSocket(Protocol):
    """What a room needs of a socket. None of it waits, so that a slow client delays no other."""

    channel_name: str

    @property
    def user(self) -> Person: ...

    def show_people(self, *, again: bool = False) -> None:
        """Send who has the table open, soon; `again` also when nothing has changed."""

    def apply_access(self, role: str, *, version: int) -> None:
        """Take over the role of the user, "" for none, and a version that the client must have heard of by now."""


@dataclass(frozen=True)
class OtherRoom:
    """The last message of a room elsewhere: its number, its users, and when it came on the monotonic clock."""

    number: int
    people: frozenset[Person]
    received_at: float


class TableRoom:
    """The sockets of one table here, and the users of those elsewhere.

    Other event loops and processes are told the users of this room, all at once: what a join costs does not grow with
    the number of sockets.
    """

    def __init__(self, table_id: int, *, clock: Clock) -> None:
        self.table_id = table_id
        self.sockets: dict[str, RoomSocket] = {}
        self.people: tuple[Person, ...] = ()
        self._encoded = EncodedPeople(())
        self._id = uuid4().hex
        self._clock = clock
        self._presence = Presence(ttl_seconds=PRESENCE_TTL_SECONDS)
        self._others: dict[str, OtherRoom] = {}
        self._sent = 0
        self._wants_reply = self._due = False
        self._sending: asyncio.Task[None] | None = None
        self._announced: frozenset[Person] = frozenset()
        self._seen_version = 0

    def enter(self, socket: RoomSocket) -> None:
        """Add a socket."""
        self.sockets[socket.channel_name] = socket
        self.update(asks=len(self.sockets) == 1)

    def leave(self, socket: RoomSocket) -> None:
        """Remove a socket; does nothing for one that is not here."""
        if self.sockets.pop(socket.channel_name, None) is not None:
            self._presence.gone(socket.channel_name)
            self.update()

    async def pause(self, *, until: asyncio.Event | None = None) -> None:
        """Wait before more joins and leaves are sent, in a room with many sockets; this event ends it."""
        if len(self.sockets) <= MAX_AT_ONCE:
            return
        seconds = PAUSE_SECONDS * max(1.0, len(self.sockets) / SOCKETS_A_PAUSE)
        waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(self._clock.sleep(min(MAX_PAUSE_SECONDS, seconds)))]
        if until is not None:
            waits.append(asyncio.ensure_future(until.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    def people_json(self, person: Person | None) -> str:
        """Return the users as a JSON array, in which this one is "you"."""
        if self._encoded.people is not self.people:
            self._encoded = EncodedPeople(self.people)
        return self._encoded.as_seen_by(person)

    def update_other(self, event: Json) -> None:
        """Take over the users of another room. Each socket receives the message; only the first one counts.

        A room without users is remembered for a while, so that an earlier message that comes late is ignored.
        """
        room, number, now = event["room"], event["number"], self._clock.monotonic()
        before = self._others.get(room, OtherRoom(0, frozenset(), now))
        if room == self._id or number <= before.number:
            return
        people = frozenset(Person(name=name, key=key) for name, key in json.loads(event["people"]))
        for person in people:
            self._presence.here(f"{room} {person.key}", person=person, now=now)
        for person in before.people - people:
            self._presence.gone(f"{room} {person.key}")
        self._others[room] = OtherRoom(number, people, now)
        if event["asks"]:
            self._announce()
        self.update()

    def beat(self) -> None:
        """Send who is here to every client and every other room again, and forget rooms of processes that died."""
        oldest = self._clock.monotonic() - PRESENCE_TTL_SECONDS
        self._others = {room: other for room, other in self._others.items() if other.received_at >= oldest}
        self.update()
        self._announce()
        for socket in self.sockets.values():
            socket.show_people(again=True)

    def update(self, *, asks: bool = False) -> None:
        """Find out who is here; when that has changed, send it to the clients and the other rooms."""
        now = self._clock.monotonic()
        for channel, socket in self.sockets.items():
            self._presence.here(channel, person=socket.user, now=now)
        people = self._presence.people(now=now)
        if people != self.people:
            self.people = people
            for socket in self.sockets.values():
                socket.show_people()
        if asks or frozenset(self._own_people()) != self._announced:
            self._announce(asks=asks)

    def apply(self, access: TableAccess | None, *, settled: bool, among: set[str]) -> None:
        """Take over the rights that were read for the sockets `among` those of the room.

        `settled` says that the message of a version that was seen the time before has had a second to arrive.
        """
        known_version = self._seen_version if settled else 0
        if settled and access is not None:
            self._seen_version = access.version
        for channel in among & self.sockets.keys():
            socket = self.sockets[channel]
            role = access.roles.get(socket.user.key, "") if access else ""
            socket.apply_access(role, version=known_version)

    def _own_people(self) -> set[Person]:
        return {socket.user for socket in self.sockets.values()}

    def _announce(self, *, asks: bool = False) -> None:
        """Send the users of this room to the others, soon; what comes meanwhile goes with it."""
        self._announced = frozenset(self._own_people())
        self._wants_reply = self._wants_reply or asks
        self._due = True
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_while_due())

    async def _send_while_due(self) -> None:
        while self._due:
            asks, self._wants_reply, self._due = self._wants_reply, False, False
            self._sent += 1
            # As one text: copying it for every socket costs nothing.
            people = json.dumps([[person.name, person.key] for person in sorted(self._own_people())])
            message = {"type": "table.people", "room": self._id, "number": self._sent, "people": people, "asks": asks}
            try:
                await get_channel_layer().group_send(group_of(self.table_id), message)
            except Exception:
                # Sent again with the next beat.
                logger.exception("Who has table %s open could not be announced", self.table_id)
            await self.pause()


class TableRooms:
    """All rooms of an event loop. While there are any, their rights are read once a second."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._rooms: dict[int, TableRoom] = {}
        self._task: asyncio.Task[None] | None = None
        self._reading = asyncio.Lock()
        self._next_check: dict[int, asyncio.Future[None]] = {}

    def enter(self, socket: RoomSocket, *, table_id: int) -> TableRoom:
        """Add a socket to the room of its table."""
        room = self._rooms.setdefault(table_id, TableRoom(table_id, clock=self._clock))
        room.enter(socket)
        if self._task is None or self._task.done():
            # In a context of its own: the first request must not lend its variables to all later checks.
            loop = asyncio.get_running_loop()
            self._task = loop.create_task(self._run(), name="table rooms", context=contextvars.Context())
        return room

    def leave(self, socket: RoomSocket, *, table_id: int) -> None:
        """Remove a socket from the room of its table; does nothing for one that is not there."""
        room = self._rooms.get(table_id)
        if room is None:
            return
        room.leave(socket)
        if not room.sockets:
            self._rooms.pop(table_id, None)
        if not self._rooms and self._task is not None:
            self._task.cancel()
            self._task = None

    async def check(self, table_id: int) -> None:
        """Read the rights to one table; all who ask before the reading begins share it."""
        if table_id not in self._next_check:
            self._next_check[table_id] = asyncio.ensure_future(self._check_alone(table_id))
        await asyncio.shield(self._next_check[table_id])

    async def _check_alone(self, table_id: int) -> None:
        async with self._reading:
            self._next_check.pop(table_id, None)
            await self._check([table_id], settled=False)

    async def _run(self) -> None:
        beaten = self._clock.monotonic()
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            now = self._clock.monotonic()
            if now - beaten >= BEAT_SECONDS:
                beaten = now
                for room in list(self._rooms.values()):
                    room.beat()
            async with self._reading:
                await self._check(list(self._rooms), settled=True)

    async def _check(self, table_ids: Iterable[int], *, settled: bool) -> None:
        rooms = [room for table_id in table_ids if (room := self._rooms.get(table_id))]
        users = {socket.user.key for room in rooms for socket in room.sockets.values()}
        # A socket that enters while the database answers was checked on entering and is not among these.
        asked = {room.table_id: set(room.sockets) for room in rooms}
        try:
            found = await access_in_thread([room.table_id for room in rooms], users)
        except Exception:
            # While the database cannot be reached, every socket stays; the next check reads again.
            logger.exception("The rights to %s open tables could not be checked", len(rooms))
            return
        for room in rooms:
            room.apply(found.get(room.table_id), settled=settled, among=asked[room.table_id])


_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Clock, TableRooms]] = WeakKeyDictionary()


def table_rooms(clock: Clock) -> TableRooms:
    """Return the rooms of the running event loop that go by this clock."""
    rooms = _rooms.setdefault(asyncio.get_running_loop(), {})
    if clock not in rooms:
        rooms[clock] = TableRooms(clock=clock)
    return rooms[clock]
