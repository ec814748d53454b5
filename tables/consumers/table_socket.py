"""One open page of a table: passes on what changes, who else is there, and that access has ended."""
from __future__ import annotations

import json
import logging
from typing import Any

from sockets.clock import Clock, SystemClock
from sockets.no_socket import NOT_FOUND, REVOKED
from sockets.pulse import PulsingSocket
from sockets.session import session_key_of
from tables.consumers.announcing import group_of
from tables.consumers.looking import Look, look_from_afar
from tables.consumers.presence import Person, Presence

BEAT_SECONDS = 30
# How often the session and the right to see the table are asked again, in beats.
BEATS_A_CHECK = 2
KEPT_SECONDS = 2.5 * BEAT_SECONDS

Json = dict[str, Any]
logger = logging.getLogger(__name__)


class TableSocket(PulsingSocket):
    """`/ws/tables/{id}/`. It sends JSON and takes nothing:

    change: {"version", "rows": [ids] or "many", "schema", "change_id", "actor", "asked_as"?}; change_id and actor are
    null when only the version is known to have moved; asked_as is how a page called its request (`X-From-Page`), where
    it did. presence: {"users": [{"name", "initials", "you"}], "version", "role"},
    at once, whenever somebody comes or goes or this person's role is another (owner, editor, viewer), and every 30 s.
    revoked: {}, then it closes with 4403. A table that is not there and one that is not theirs close alike with 4404.
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        super().__init__()
        self._clock = clock or SystemClock()
        self._presence = Presence(kept_seconds=KEPT_SECONDS)
        self._person: Person | None = None  # set while this socket is let in
        self._version = 0
        self._role = ""
        # Up to which version this page was told to read everything again: those changes are not told one by one.
        self._all_told = 0
        self._told: tuple[Person, ...] = ()

    @property
    def _table_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["table_id"])

    @property
    def _group(self) -> str:
        return group_of(self._table_id)

    async def connect(self) -> None:
        await self.accept()
        # Joined before the version is read: what changes in between is told twice rather than never. Redis does not say
        # when it has let us in; what would come before that is told with a beat.
        await self.channel_layer.group_add(self._group, self.channel_name)
        seen = await self._look()
        if seen.person is None or seen.version is None:
            await self.channel_layer.group_discard(self._group, self.channel_name)
            await self.close(NOT_FOUND if seen.person else REVOKED)
            return
        self._person, self._version, self._role = seen.person, seen.version, seen.role
        self._presence.here(self.channel_name, person=seen.person, now=self._clock.monotonic())
        await self._tell_presence()
        await self._say("table.here", asks=True)
        self._begin_pulse(self._beat())

    async def disconnect(self, code: int) -> None:
        self._rest()
        await self.channel_layer.group_discard(self._group, self.channel_name)
        if self._person:
            self._person = None
            await self._say("table.gone")

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Whatever a page says here is not listened to."""

    async def table_change(self, event: Json) -> None:
        """Somebody changed the table."""
        body = event["body"]
        self._version = max(self._version, body["version"])
        # The table itself may have gone to the trash.
        if body["schema"] and not await self._still_allowed(catching_up=False):
            return
        if body["version"] > self._all_told:
            await self._tell("change", **body)

    async def table_access(self, event: Json) -> None:
        """Somebody's rights have changed; perhaps this person's."""
        await self._still_allowed()

    async def table_here(self, event: Json) -> None:
        """Another page of this table is there, or this one's own word has come round."""
        if not self._person or event["channel"] == self.channel_name:
            return
        person = Person(name=event["name"], key=event["key"])
        self._presence.here(event["channel"], person=person, now=self._clock.monotonic())
        if event["asks"]:
            await self.channel_layer.send(event["channel"], self._word("table.here", asks=False))
        await self._tell_presence(only_news=True)

    async def table_gone(self, event: Json) -> None:
        """Another page of this table was closed."""
        self._presence.gone(event["channel"])
        await self._tell_presence(only_news=True)

    async def _beat(self) -> None:
        beats = 0
        while True:
            await self._clock.sleep(BEAT_SECONDS)
            beats += 1
            try:
                await self._on_beat(checks=beats % BEATS_A_CHECK == 0)
            except Exception:
                # A database that is away for a moment ends no socket: the next beat asks again.
                logger.exception("A socket of table %s could not ask whether it may stay", self._table_id)

    async def _on_beat(self, *, checks: bool) -> None:
        if checks and not await self._still_allowed():
            return
        if self._person:
            self._presence.here(self.channel_name, person=self._person, now=self._clock.monotonic())
            await self._say("table.here", asks=False)
            await self._tell_presence()

    async def _still_allowed(self, *, catching_up: bool = True) -> bool:
        """Asks session, person and table again; ends the socket when one of them says no.

        Not `catching_up`: a version nobody has told of yet is left to its own word, which is on its way.
        """
        if not self._person:
            return False
        seen = await self._look()
        if seen.person is None or seen.person.key != self._person.key or seen.version is None:
            await self._tell("revoked")
            self._person = None
            await self._say("table.gone")
            await self.close(REVOKED)
            return False
        if seen.role != self._role:
            self._role = seen.role
            await self._tell_presence()
        if catching_up and seen.version > self._version:
            # The word of a change was lost, or it was made by a process that cannot be heard from here.
            self._version = self._all_told = seen.version
            await self._tell("change", version=seen.version, rows="many", schema=True, change_id=None, actor=None)
        return True

    async def _look(self) -> Look:
        return await look_from_afar(session_key_of(self.scope), self._table_id)

    async def _tell_presence(self, *, only_news: bool = False) -> None:
        people = self._presence.people(now=self._clock.monotonic())
        if only_news and people == self._told:
            return
        self._told = people
        users = [{**person.as_json(), "you": person == self._person} for person in people]
        await self._tell("presence", users=users, version=self._version, role=self._role)

    async def _tell(self, kind: str, **body: Any) -> None:
        if self._person:
            await self.send(text_data=json.dumps({"type": kind, **body}, separators=(",", ":")))

    async def _say(self, kind: str, *, asks: bool = False) -> None:
        """Tells the other sockets of this table."""
        await self.channel_layer.group_send(self._group, self._word(kind, asks=asks))

    def _word(self, kind: str, *, asks: bool) -> Json:
        person = self._person or Person(name="", key=0)
        return {"type": kind, "channel": self.channel_name, "name": person.name, "key": person.key, "asks": asks}
