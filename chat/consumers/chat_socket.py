"""The socket of an open page, and the signal receiver that sends a user's changes to all of their sockets."""
from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async

from chat.events import (
    ConversationChangedMessage,
    HereMessage,
    NoticesChangedMessage,
    PayloadStatusMessage,
    ReviewChangedMessage,
    TurnEndedMessage,
    TurnStartedMessage,
)
from chat.selectors import latest_conversation_id
from chat.signals import user_update
from shared.websockets.broadcast import broadcast
from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.consumer import REVOKED, AuthenticatedConsumer, RevokedMessage
from shared.websockets.credentials import authenticate
from shared.websockets.groups import join_group

Json = dict[str, Any]

# Not in the one thread that Django uses for thread-sensitive work: a slow query there would delay every socket.
authenticate_in_thread = database_sync_to_async(authenticate, thread_sensitive=False)
latest_in_thread = database_sync_to_async(latest_conversation_id, thread_sensitive=False)


def connect_signals() -> None:
    """Connect the receiver that sends committed changes to the sockets of their user in all processes."""
    user_update.connect(_send_update, dispatch_uid="chat.consumers.user_update")


def user_group(user_id: Any) -> str:
    """Return the channel group of a user's sockets."""
    return f"chat.user.{user_id}"


def _send_update(sender: Any, *, user_id: Any, body: Json, **_: Any) -> None:
    broadcast(user_group(user_id), {"type": "chat.news", "body": body})


class ChatSocket(AuthenticatedConsumer):
    """Changes of the user's turns, proposals and conversations. Messages of the client are ignored."""

    messages = (
        HereMessage,
        TurnStartedMessage,
        TurnEndedMessage,
        PayloadStatusMessage,
        ReviewChangedMessage,
        ConversationChangedMessage,
        NoticesChangedMessage,
        RevokedMessage,
    )
    query = {
        "page": {"type": "string", "description": "A page with the chat, for “latest” in the first message."},
        "object_id": {"type": "string", "description": "The id of the object of the page."},
    }

    def __init__(self, *, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock = clock
        self._user_id: Any = None  # set while messages may be sent
        self._group = ""

    async def connect(self) -> None:
        await self.accept()
        async with self._read_slot():
            authenticated = await authenticate_in_thread(self.scope)
        if authenticated is None:
            await self.close(REVOKED)
            return
        user, credential = authenticated
        self._user_id, self._group = user.pk, user_group(user.pk)
        await join_group(self.channel_layer, group=self._group, channel=self.channel_name)
        self._register(credential, clock=self._clock, key=("chat", user.pk))
        await self._send_json(HereMessage(latest=await self._latest(user)).as_json())

    async def disconnect(self, code: int) -> None:
        self._release()
        await self._stop_sending()

    async def _stop_sending(self) -> None:
        self._user_id = None
        if self._group:
            await self.channel_layer.group_discard(self._group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore messages of the client."""

    async def chat_news(self, event: Json) -> None:
        """Send a change to the page."""
        await self._send_json(event["body"])

    async def _latest(self, user: Any) -> str | None:
        """Return the id of the latest conversation of the page in the query string, "" for none; None without a page.

        It must be read after joining the group, so that no conversation is missed in between.
        """
        query = parse_qs(self.scope["query_string"].decode("latin-1"), errors="replace")
        page, object_id = query.get("page", [""])[0], query.get("object_id", [""])[0]
        if not page:
            return None
        async with self._read_slot():
            latest = await latest_in_thread(user, page=page, object_id=object_id)
        return str(latest or "")

    async def _send_json(self, message: Json) -> None:
        if self._user_id is not None:
            await self.send(text_data=json.dumps(message, separators=(",", ":")))
