"""One open page of a table: sends what changes, who else has it open, and that access has ended."""
from __future__ import annotations

import asyncio
import json
from typing import Any

from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.close_codes import NOT_FOUND, REVOKED
from shared.websockets.heartbeat import PulsingSocket
from tables.consumers.access import look_in_thread
from tables.consumers.announcing import group_of
from tables.consumers.presence import Person
from tables.consumers.table_groups import TableRoom, table_rooms

Json = dict[str, Any]


class TableSocket(PulsingSocket):
    """`/ws/tables/{id}/`, for a session or a bearer token. It sends JSON and ignores what it receives:

    change: {"version", "rows": [ids] or "many", "schema", "moved", "change_id", "actor", "asked_as"?}; moved says that
    rows have other places in the order. change_id and actor are null when only the version is known to have moved.
    asked_as is how a page called its request (`X-From-Page`), where it did.
    presence: {"users": [{"name", "initials", "you"}], "version", "role"}, at once, whenever a user comes or goes or
    this user's role is another (owner, editor, viewer), and every 30 s.
    revoked: {}, then it closes with 4403, within 2 s of the end of the session, token or right. A table that does not
    exist and one of others close alike with 4404. The oldest of more than 10 sockets of a user (50 for all tables and
    the chat) closes with 4429; one that did not take its messages closes with 1013, and its client connects again.
    """

    def __init__(self, *, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock = clock
        self._person: Person | None = None  # set while this socket may receive
        self._room: TableRoom | None = None
        self._version = 0
        self._role = ""
        # Up to which version this client was told to read everything again: those changes are not sent one by one.
        self._reload_version = 0
        self._behind = 0
        self._shown: tuple[Person, ...] | None = None
        self._due = asyncio.Event()
        self._urgent = asyncio.Event()  # set when what is due must not wait for the end of a pause

    @property
    def user(self) -> Person:
        """The user, while the socket is in its room."""
        assert self._person is not None
        return self._person

    @property
    def _table_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["table_id"])

    @property
    def _group(self) -> str:
        return group_of(self._table_id)

    async def connect(self) -> None:
        await self.accept()
        # Joined before the version is read: what changes in between is sent twice rather than never. Redis does not say
        # when the subscription has begun; what would be missed before that is noticed by the version.
        await self.channel_layer.group_add(self._group, self.channel_name)
        async with self._turn_to_read():
            seen = await look_in_thread(self.scope, self._table_id)
        if seen.person is None or seen.credential is None or seen.version is None:
            await self.channel_layer.group_discard(self._group, self.channel_name)
            await self.close(NOT_FOUND if seen.person else REVOKED)
            return
        self._person, self._version, self._role = seen.person, seen.version, seen.role
        self._admit(seen.credential, clock=self._clock, key=("table", self._table_id, seen.person.key))
        rooms = table_rooms(self._clock)
        self._room = rooms.enter(self, table_id=self._table_id)
        self._releases += (lambda: rooms.leave(self, table_id=self._table_id),)
        self._due.clear()
        await self._send_presence()
        self._begin_pulse(self._send_what_is_due())

    async def disconnect(self, code: int) -> None:
        self._rest()
        await self._on_end()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore what the client sends."""

    async def table_change(self, event: Json) -> None:
        """The table was changed."""
        body = event["body"]
        self._version = max(self._version, body["version"])
        if body["schema"] and self._person:
            # The table itself may be in the trash now.
            await table_rooms(self._clock).check(self._table_id)
        if body["version"] > self._reload_version:
            await self._send_message("change", **body)

    async def table_access(self, event: Json) -> None:
        """The rights of a user have changed, perhaps of this one."""
        if self._person:
            await table_rooms(self._clock).check(self._table_id)

    async def table_people(self, event: Json) -> None:
        """The users of another process, or of this one again."""
        if self._room:
            self._room.update_other(event)

    def show_people(self, *, again: bool = False) -> None:
        """Send who has the table open, soon; `again` also when nothing has changed."""
        if again:
            self._shown = None
        self._due.set()

    def apply_access(self, role: str, *, version: int) -> None:
        """Take over the role of the user, "" for none, and a version that the client must have heard of by now."""
        if not role:
            self._end(REVOKED)
            return
        if role != self._role:
            self._role = role
            self._urgent.set()
            self.show_people(again=True)
        if version > self._version:
            # The message was lost, or the change was made by a process that cannot be heard from here.
            self._version = self._reload_version = self._behind = version
            self._urgent.set()
            self._due.set()

    async def _send_what_is_due(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            self._urgent.clear()
            behind, self._behind = self._behind, 0
            if behind:
                await self._send_message(
                    "change", version=behind, rows="many", schema=True, moved=True, change_id=None, actor=None
                )
            if self._room and self._room.people != self._shown:
                await self._send_presence()
            if self._room:
                await self._room.pause(until=self._urgent)

    async def _on_end(self) -> None:
        if self._person is not None:
            table_rooms(self._clock).leave(self, table_id=self._table_id)
        self._person = self._room = None
        await self.channel_layer.group_discard(self._group, self.channel_name)

    async def _send_presence(self) -> None:
        self._shown = self._room.people if self._room else ()
        users = self._room.people_json(self._person) if self._room else "[]"
        if self._person:
            about = json.dumps({"version": self._version, "role": self._role}, separators=(",", ":"))
            await self.send(text_data=f'{{"type":"presence","users":{users},{about[1:]}')

    async def _send_message(self, kind: str, **body: Any) -> None:
        if self._person:
            await self.send(text_data=json.dumps({"type": kind, **body}, separators=(",", ":")))
