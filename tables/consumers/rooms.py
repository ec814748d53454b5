"""The sockets of each table in an event loop: the users who have it open, and their access."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from shared.websockets.clock import Clock
from shared.websockets.periodic import PeriodicTask, PerLoop
from tables.consumers.broadcast import group_of
from tables.consumers.presence import EncodedUsers, Presence, PresentUser
from tables.selectors import TableAccess, access_to

# Interval of access checks of all open tables, which take two queries.
CHECK_SECONDS = 1.0
HEARTBEAT_SECONDS = 30
# A process that has sent nothing for this time is considered dead.
PRESENCE_TTL_SECONDS = 2.5 * HEARTBEAT_SECONDS
# In a room with more sockets than this, joins and leaves are sent to each of them at most every PAUSE_SECONDS, and with
# more than SOCKETS_PER_PAUSE less often, because the messages are longer too. Otherwise the cost of a restart would
# grow with the cube of their number. A new role is sent immediately.
MAX_UNPAUSED_SOCKETS = 20
SOCKETS_PER_PAUSE = 100
PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 1.5

Json = dict[str, Any]
logger = logging.getLogger(__name__)
# Not in the one thread that Django uses for thread-sensitive work: a slow query there would delay every socket.
read_access = database_sync_to_async(access_to, thread_sensitive=False)


class RoomSocket(Protocol):
    """The interface of a socket. No method waits, so that a slow client delays no other."""

    channel_name: str

    @property
    def user(self) -> PresentUser: ...

    def send_users(self, *, force: bool = False) -> None:
        """Send the present users soon; with `force` even if they have not changed."""

    def apply_access(self, role: str, *, version: int) -> None:
        """Apply the role of the user, "" for none, and a version that the client must have received by now."""


@dataclass(frozen=True)
class RemoteRoom:
    """The last message of a room of another event loop. `received_at` is a time of the monotonic clock."""

    number: int
    users: frozenset[PresentUser]
    received_at: float


class TableRoom:
    """The sockets of one table in this event loop, and the users of its rooms in other event loops and processes.

    Rooms send each other all their users at once, so that the cost of a join does not grow with the number of sockets.
    """

    def __init__(self, table_id: int, *, clock: Clock) -> None:
        self.table_id = table_id
        self.sockets: dict[str, RoomSocket] = {}
        self.users: tuple[PresentUser, ...] = ()
        self._encoded = EncodedUsers(())
        self._id = uuid4().hex
        self._clock = clock
        self._presence = Presence(ttl_seconds=PRESENCE_TTL_SECONDS)
        self._others: dict[str, RemoteRoom] = {}
        self._sent_messages = 0
        self._request_reply = self._is_due = False
        self._sending: asyncio.Task[None] | None = None
        self._announced: frozenset[PresentUser] = frozenset()
        self._seen_version = 0

    def enter(self, socket: RoomSocket) -> None:
        """Add a socket."""
        self.sockets[socket.channel_name] = socket
        self.update(request_reply=len(self.sockets) == 1)

    def leave(self, socket: RoomSocket) -> None:
        """Remove a socket. Unknown sockets are ignored."""
        if self.sockets.pop(socket.channel_name, None) is not None:
            self._presence.remove(socket.channel_name)
            self.update()

    async def pause(self, *, until: asyncio.Event | None = None) -> None:
        """Wait before more joins and leaves are sent, in a room with many sockets; the event `until` ends the wait."""
        if len(self.sockets) <= MAX_UNPAUSED_SOCKETS:
            return
        seconds = PAUSE_SECONDS * max(1.0, len(self.sockets) / SOCKETS_PER_PAUSE)
        waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(self._clock.sleep(min(MAX_PAUSE_SECONDS, seconds)))]
        if until is not None:
            waits.append(asyncio.ensure_future(until.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    def users_json(self, user: PresentUser | None) -> str:
        """Return the users as a JSON array, in which this one is "you"."""
        if self._encoded.users is not self.users:
            self._encoded = EncodedUsers(self.users)
        return self._encoded.for_user(user)

    def update_other(self, event: Json) -> None:
        """Take over the users of another room. Each socket receives the message; only the first one counts.

        A room without users is stored for a while, so that an earlier message that arrives late is ignored.
        """
        room, number, now = event["room"], event["number"], self._clock.monotonic()
        before = self._others.get(room, RemoteRoom(0, frozenset(), now))
        if room == self._id or number <= before.number:
            return
        users = frozenset(PresentUser(name=name, user_id=user_id) for name, user_id in json.loads(event["people"]))
        for user in users:
            self._presence.add(f"{room} {user.user_id}", user=user, now=now)
        for user in before.users - users:
            self._presence.remove(f"{room} {user.user_id}")
        self._others[room] = RemoteRoom(number, users, now)
        if event["asks"]:
            self._announce()
        self.update()

    def send_heartbeat(self) -> None:
        """Send the users to all clients and other rooms again, and delete the rooms of processes that died."""
        oldest = self._clock.monotonic() - PRESENCE_TTL_SECONDS
        self._others = {room: other for room, other in self._others.items() if other.received_at >= oldest}
        self.update()
        self._announce()
        for socket in self.sockets.values():
            socket.send_users(force=True)

    def update(self, *, request_reply: bool = False) -> None:
        """Read the present users; if they have changed, send them to the clients and the other rooms."""
        now = self._clock.monotonic()
        for channel, socket in self.sockets.items():
            self._presence.add(channel, user=socket.user, now=now)
        users = self._presence.users(now=now)
        if users != self.users:
            self.users = users
            for socket in self.sockets.values():
                socket.send_users()
        if request_reply or frozenset(self._own_users()) != self._announced:
            self._announce(request_reply=request_reply)

    def apply(self, access: TableAccess | None, *, is_periodic: bool, channels: set[str]) -> None:
        """Apply the access that was read for the sockets with these channels.

        In a periodic check, the message of the version that was seen in the last one has had a second to arrive.
        """
        known_version = self._seen_version if is_periodic else 0
        if is_periodic and access is not None:
            self._seen_version = access.version
        for channel in channels & self.sockets.keys():
            socket = self.sockets[channel]
            role = access.roles.get(socket.user.user_id, "") if access else ""
            socket.apply_access(role, version=known_version)

    def _own_users(self) -> set[PresentUser]:
        return {socket.user for socket in self.sockets.values()}

    def _announce(self, *, request_reply: bool = False) -> None:
        """Send the users of this room to the other rooms soon, with all changes until then."""
        self._announced = frozenset(self._own_users())
        self._request_reply = self._request_reply or request_reply
        self._is_due = True
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_while_due())

    async def _send_while_due(self) -> None:
        while self._is_due:
            request_reply, self._request_reply, self._is_due = self._request_reply, False, False
            self._sent_messages += 1
            # A string is cheaper to copy for every socket than nested lists.
            users = json.dumps([[user.name, user.user_id] for user in sorted(self._own_users())])
            message = {
                "type": "table.people", "room": self._id, "number": self._sent_messages, "people": users,
                "asks": request_reply,
            }  # fmt: skip
            try:
                await get_channel_layer().group_send(group_of(self.table_id), message)
            except Exception:
                # Sent again with the next heartbeat.
                logger.exception("could not send the presence list of table %s", self.table_id)
            await self.pause()


class TableRooms:
    """All rooms of an event loop. While there are any, access to their tables is checked once a second."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._rooms: dict[int, TableRoom] = {}
        self._checks = PeriodicTask(self._check_all, clock=clock, seconds=CHECK_SECONDS, name="table rooms")
        self._last_heartbeat = clock.monotonic()
        self._reading = asyncio.Lock()
        self._next_check: dict[int, asyncio.Future[None]] = {}

    def enter(self, socket: RoomSocket, *, table_id: int) -> TableRoom:
        """Add a socket to the room of its table."""
        if not self._rooms:
            self._last_heartbeat = self._clock.monotonic()
        room = self._rooms.setdefault(table_id, TableRoom(table_id, clock=self._clock))
        room.enter(socket)
        self._checks.start()
        return room

    def leave(self, socket: RoomSocket, *, table_id: int) -> None:
        """Remove a socket from the room of its table. Unknown sockets are ignored."""
        room = self._rooms.get(table_id)
        if room is None:
            return
        room.leave(socket)
        if not room.sockets:
            self._rooms.pop(table_id, None)
        if not self._rooms:
            self._checks.stop()

    async def check(self, table_id: int) -> None:
        """Check access to one table. Calls before the check starts share it."""
        if table_id not in self._next_check:
            self._next_check[table_id] = asyncio.ensure_future(self._check_alone(table_id))
        await asyncio.shield(self._next_check[table_id])

    async def _check_alone(self, table_id: int) -> None:
        async with self._reading:
            self._next_check.pop(table_id, None)
            await self._check([table_id], is_periodic=False)

    async def _check_all(self) -> None:
        now = self._clock.monotonic()
        if now - self._last_heartbeat >= HEARTBEAT_SECONDS:
            self._last_heartbeat = now
            for room in list(self._rooms.values()):
                room.send_heartbeat()
        async with self._reading:
            await self._check(list(self._rooms), is_periodic=True)

    async def _check(self, table_ids: Iterable[int], *, is_periodic: bool) -> None:
        rooms = [room for table_id in table_ids if (room := self._rooms.get(table_id))]
        users = {socket.user.user_id for room in rooms for socket in room.sockets.values()}
        # Sockets that enter during the query were checked when they entered, and are not included.
        channels = {room.table_id: set(room.sockets) for room in rooms}
        try:
            found = await read_access([room.table_id for room in rooms], users)
        except Exception:
            # While the database is unavailable, no socket is closed.
            logger.exception("could not check permissions on %s open tables", len(rooms))
            return
        for room in rooms:
            room.apply(found.get(room.table_id), is_periodic=is_periodic, channels=channels[room.table_id])


table_rooms = PerLoop(lambda clock: TableRooms(clock=clock))
