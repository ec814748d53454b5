"""One open page of a person: passes on what happens to their turns, proposals and conversations elsewhere."""
from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async

from chat.consumers.announcing import group_of
from chat.selectors import latest_conversation
from sockets.clock import SYSTEM_CLOCK, Clock
from sockets.close_codes import REVOKED
from sockets.credentials import authenticate
from sockets.heartbeat import PulsingSocket

Json = dict[str, Any]

# Not in the one thread that Django uses for thread-sensitive work: a slow query there would delay every socket.
authenticate_in_thread = database_sync_to_async(authenticate, thread_sensitive=False)
latest_in_thread = database_sync_to_async(latest_conversation, thread_sensitive=False)


class ChatSocket(PulsingSocket):
    """`/ws/chat/`, for a session or a bearer token. It sends JSON and ignores what it receives:

    here: {}, once everything that happens from now on will be told; what happened before, the page reads. To a socket
    of `?page=NAME&object_id=ID` it also says "latest": the id of the latest conversation there, "" for none.
    turn_started, turn_ended: {"turn_id", "conversation_id"}. payload_status: {"payload_id", "conversation_id"}.
    review_changed: {"payload_id", "conversation_id", "revision"}.
    conversation_changed: {"conversation_id"}. revoked: {}, then it closes with 4403, within 2 s of the end of the
    session or token. The oldest of more than 10 sockets of a user (50 with those of tables) closes with 4429; one that
    did not take its messages closes with 1013, and its client connects again.
    """

    def __init__(self, *, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock = clock
        self._user_id: Any = None  # set while this socket is let in
        self._group = ""

    async def connect(self) -> None:
        await self.accept()
        async with self._turn_to_read():
            found = await authenticate_in_thread(self.scope)
        if found is None:
            await self.close(REVOKED)
            return
        user, credential = found
        self._user_id, self._group = user.pk, group_of(user.pk)
        await self.channel_layer.group_add(self._group, self.channel_name)
        self._admit(credential, clock=self._clock, key=("chat", user.pk))
        await self._tell({"type": "here", **await self._latest(user)})

    async def disconnect(self, code: int) -> None:
        self._rest()
        await self._on_end()

    async def _on_end(self) -> None:
        self._user_id = None
        if self._group:
            await self.channel_layer.group_discard(self._group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore what the client sends."""

    async def chat_news(self, event: Json) -> None:
        """Something of this person's has changed."""
        await self._tell(event["body"])

    async def _latest(self, user: Any) -> Json:
        """Read only now, so that what begins later is told and what began before is in it."""
        asked = parse_qs(self.scope["query_string"].decode("latin-1"), errors="replace")
        page, object_id = asked.get("page", [""])[0], asked.get("object_id", [""])[0]
        if not page:
            return {}
        async with self._turn_to_read():
            latest = await latest_in_thread(user, page=page, object_id=object_id)
        return {"latest": str(latest or "")}

    async def _tell(self, body: Json) -> None:
        if self._user_id is not None:
            await self.send(text_data=json.dumps(body, separators=(",", ":")))
