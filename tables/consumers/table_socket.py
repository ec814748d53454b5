"""The WebSocket of an open page of a table: sends changes, the users who have it open, and the end of access."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async

from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.consumer import NOT_FOUND, REVOKED, AuthenticatedConsumer, RevokedMessage
from shared.websockets.credentials import Credential, authenticate
from shared.websockets.groups import join_group
from tables.consumers.broadcast import group_of
from tables.consumers.messages import TableChangeMessage, TableNewsMessage, TablePresenceMessage
from tables.consumers.presence import PresentUser
from tables.consumers.rooms import TableRoom, table_rooms
from tables.exceptions import TablesError
from tables.selectors import get_table

Json = dict[str, Any]
# The time between two messages about news.
NEWS_SECONDS = 0.5


@dataclass(frozen=True)
class HandshakeAccess:
    """The user of a handshake, None without a valid credential; no version if the user may not see the table.

    `role` is owner, editor or viewer.
    """

    user: PresentUser | None
    credential: Credential | None = None
    version: int | None = None
    role: str = ""


def authorize(scope: Json, table_id: int) -> HandshakeAccess:
    """Authenticate the handshake and read the table as its user."""
    found = authenticate(scope)
    if found is None:
        return HandshakeAccess(None)
    account, credential = found
    user = PresentUser(name=account.get_full_name() or account.get_username(), user_id=account.pk)
    try:
        table = get_table(account, table_id)
    except TablesError:
        return HandshakeAccess(user, credential)
    role: str = table.role  # type: ignore[attr-defined]  # set by the selector
    return HandshakeAccess(user, credential, table.version, role)


# Not in the thread of thread-sensitive work: see `rooms.read_access`.
authorize_in_thread = database_sync_to_async(authorize, thread_sensitive=False)


class TableSocket(AuthenticatedConsumer):
    """The changes of a table, and the users who have it open. Messages of the client are ignored.

    Missing tables and those of other users close with 4404.
    """

    messages = (TableChangeMessage, TableNewsMessage, TablePresenceMessage, RevokedMessage)

    def __init__(self, *, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock = clock
        self._user: PresentUser | None = None  # set while this socket may receive
        self._room: TableRoom | None = None
        self._version = 0
        self._role = ""
        # The client has to read the table again up to this version, so earlier changes are not sent individually.
        self._reload_version = 0
        self._missed_version = 0
        self._sent_users: tuple[PresentUser, ...] | None = None
        self._due = asyncio.Event()
        self._urgent = asyncio.Event()  # ends a pause
        # The ids of what has changed, by kind, until they are sent.
        self._news: dict[str, set[str]] = {}
        self._has_news = asyncio.Event()

    @property
    def user(self) -> PresentUser:
        """The user, while the socket is in its room."""
        assert self._user is not None
        return self._user

    @property
    def _table_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["table_id"])

    @property
    def _group(self) -> str:
        return group_of(self._table_id)

    async def connect(self) -> None:
        await self.accept()
        # Joined before the version is read, so that changes in between are sent twice rather than never.
        await join_group(self.channel_layer, group=self._group, channel=self.channel_name)
        async with self._read_slot():
            access = await authorize_in_thread(self.scope, self._table_id)
        if access.user is None or access.credential is None or access.version is None:
            await self.channel_layer.group_discard(self._group, self.channel_name)
            await self.close(NOT_FOUND if access.user else REVOKED)
            return
        self._user, self._version, self._role = access.user, access.version, access.role
        self._register(access.credential, clock=self._clock, key=("table", self._table_id, access.user.user_id))
        rooms = table_rooms(self._clock)
        self._room = rooms.enter(self, table_id=self._table_id)
        self._releases += (lambda: rooms.leave(self, table_id=self._table_id),)
        self._due.clear()
        await self._send_presence()
        self._run_in_background(self._send_due_messages())
        self._run_in_background(self._send_news())

    async def disconnect(self, code: int) -> None:
        self._release()
        await self._stop_sending()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore what the client sends."""

    async def table_change(self, event: Json) -> None:
        """Send a change of the table to the client."""
        body = event["body"]
        self._version = max(self._version, body["version"])
        if body["schema"] and self._user:
            # The table may have been moved to the trash.
            await table_rooms(self._clock).check(self._table_id)
        if body["version"] > self._reload_version:
            await self._send_message(body)

    async def table_access(self, event: Json) -> None:
        """Check access, because that of some user has changed."""
        if self._user:
            await table_rooms(self._clock).check(self._table_id)

    async def table_news(self, event: Json) -> None:
        """Send soon that something has changed."""
        self._news.setdefault(event["about"], set()).add(event["id"])
        self._has_news.set()

    async def table_people(self, event: Json) -> None:
        """Pass the users of another room, or of this socket's own, to the room."""
        if self._room:
            self._room.update_other(event)

    def send_users(self, *, force: bool = False) -> None:
        """Send the present users soon; with `force` even if they have not changed."""
        if force:
            self._sent_users = None
        self._due.set()

    def apply_access(self, role: str, *, version: int) -> None:
        """Apply the role of the user, "" for none, and a version that the client must have received by now."""
        if not role:
            self._close_soon(REVOKED)
            return
        if role != self._role:
            self._role = role
            self._urgent.set()
            self.send_users(force=True)
        if version > self._version:
            # The message was lost, or the process of the change has no connection to the channel layer.
            self._version = self._reload_version = self._missed_version = version
            self._urgent.set()
            self._due.set()

    async def _send_due_messages(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            self._urgent.clear()
            missed_version, self._missed_version = self._missed_version, 0
            if missed_version:
                missed = TableChangeMessage(
                    version=missed_version, rows="many", schema=True, moved=True, change_id=None, actor=None
                )
                await self._send_message(missed.as_json())
            if self._room and self._room.users != self._sent_users:
                await self._send_presence()
            if self._room:
                await self._room.pause(until=self._urgent)

    async def _send_news(self) -> None:
        while True:
            await self._has_news.wait()
            for about in list(self._news):
                message = TableNewsMessage(about=about, ids=sorted(self._news.pop(about)))  # type: ignore[arg-type]  # a kind
                await self._send_message(message.as_json())
                await self._clock.sleep(NEWS_SECONDS)
            if not self._news:
                self._has_news.clear()

    async def _stop_sending(self) -> None:
        if self._user is not None:
            table_rooms(self._clock).leave(self, table_id=self._table_id)
        self._user = self._room = None
        await self.channel_layer.group_discard(self._group, self.channel_name)

    async def _send_presence(self) -> None:
        self._sent_users = self._room.users if self._room else ()
        users = self._room.users_json(self._user) if self._room else "[]"
        if self._user:
            message = TablePresenceMessage(users=[], version=self._version, role=self._role)  # type: ignore[arg-type]  # a role
            # The users are encoded already.
            await self.send(text_data=_encoded(message.as_json()).replace('"users":[]', f'"users":{users}', 1))

    async def _send_message(self, message: Json) -> None:
        if self._user:
            await self.send(text_data=_encoded(message))


def _encoded(message: Json) -> str:
    return json.dumps(message, separators=(",", ":"))
