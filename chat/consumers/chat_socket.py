"""One open page of a person: passes on what happens to their turns, proposals and conversations elsewhere."""
from __future__ import annotations

import json
import logging
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async

from chat.consumers.announcing import group_of
from chat.selectors import latest_conversation
from sockets.clock import Clock, SystemClock
from sockets.no_socket import REVOKED
from sockets.pulse import PulsingSocket
from sockets.session import mark_of, person_behind, session_key_of

CHECK_SECONDS = 60

Json = dict[str, Any]
logger = logging.getLogger(__name__)

# Not in the one thread that Django keeps for what must not run side by side: a slow database would stop every socket.
person_from_afar = database_sync_to_async(person_behind, thread_sensitive=False)
latest_from_afar = database_sync_to_async(latest_conversation, thread_sensitive=False)


class ChatSocket(PulsingSocket):
    """`/ws/chat/`. It sends JSON and takes nothing:

    here: {}, once everything that happens from now on will be told; what happened before, the page reads. To a socket
    of `?page=NAME&object_id=ID` it also says "latest": the id of the latest conversation there, "" for none.
    turn_started, turn_ended: {"turn_id", "conversation_id"}. payload_status: {"payload_id", "conversation_id"}.
    conversation_changed: {"conversation_id"}. revoked: {}, then it closes with 4403.
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        super().__init__()
        self._clock = clock or SystemClock()
        self._user_id: Any = None  # set while this socket is let in
        self._group = ""

    async def connect(self) -> None:
        await self.accept()
        user = await self._person()
        if user is None:
            await self.close(REVOKED)
            return
        self._user_id, self._group = user.pk, group_of(user.pk)
        await self.channel_layer.group_add(self._group, self.channel_name)
        await self._tell({"type": "here", **await self._latest(user)})
        self._begin_pulse(self._beat())

    async def disconnect(self, code: int) -> None:
        self._rest()
        self._user_id = None
        if self._group:
            await self.channel_layer.group_discard(self._group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Whatever a page says here is not listened to."""

    async def chat_news(self, event: Json) -> None:
        """Something of this person's has changed."""
        await self._tell(event["body"])

    async def chat_access(self, event: Json) -> None:
        """A session of this person's is ending, perhaps this one; others may have ended before it."""
        if self._user_id is not None and event["ending"] == mark_of(session_key_of(self.scope)):
            await self._revoke()
        else:
            await self._check()

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            try:
                await self._check()
            except Exception:
                # A database that is away for a moment ends no socket: the next beat asks again.
                logger.exception("A socket of person %s could not ask whether it may stay", self._user_id)

    async def _check(self) -> None:
        """Asks for the session again; ends the socket when it is no longer this person's."""
        if self._user_id is None:
            return
        user = await self._person()
        if user is None or user.pk != self._user_id:
            await self._revoke()

    async def _revoke(self) -> None:
        await self._tell({"type": "revoked"})
        self._user_id = None
        await self.close(REVOKED)

    async def _latest(self, user: Any) -> Json:
        """Read only now, so that what begins later is told and what began before is in it."""
        asked = parse_qs(self.scope["query_string"].decode("latin-1"), errors="replace")
        page, object_id = asked.get("page", [""])[0], asked.get("object_id", [""])[0]
        if not page:
            return {}
        return {"latest": str(await latest_from_afar(user, page=page, object_id=object_id) or "")}

    async def _person(self) -> Any:
        return await person_from_afar(session_key_of(self.scope))

    async def _tell(self, body: Json) -> None:
        if self._user_id is not None:
            await self.send(text_data=json.dumps(body, separators=(",", ":")))
