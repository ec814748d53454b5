"""Messages of workers for sockets, in the database, as long as processes share no channel layer (no Redis)."""
from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from chatproject.models import SocketMessage
from shared import strictjson
from shared.websockets.broadcast import broadcast_with
from shared.websockets.relay import StoredMessage, register_stored_messages

# Longer than a server is busy, and than clocks of machines differ.
RECENT = timedelta(seconds=60)


def connect_server() -> None:
    """Have the sockets of this process receive what workers store."""
    register_stored_messages(None if settings.REDIS_URL else recent_messages)


def messages_stored() -> AbstractContextManager[None]:
    """Store the messages of this process, which has no sockets."""
    return nullcontext() if settings.REDIS_URL else broadcast_with(store_message)


def store_message(group: str, message: dict[str, Any]) -> None:
    """Store a message for the sockets of a group. A repetition, such as further news of a fill, replaces it."""
    key = strictjson.content_hash([group, message])
    stored = SocketMessage(key=key, group=group, message=message, sent_at=timezone.now())
    SocketMessage.objects.bulk_create(
        [stored], update_conflicts=True, unique_fields=["key"], update_fields=["sent_at"]
    )  # fmt: skip


def recent_messages() -> list[StoredMessage]:
    """Return the messages of the last minute, oldest first, in one query."""
    recent = SocketMessage.objects.filter(sent_at__gt=timezone.now() - RECENT).order_by("sent_at")
    return [StoredMessage((each.key, each.sent_at), each.group, each.message) for each in recent]


def old_messages(*, now: datetime) -> QuerySet[SocketMessage]:
    """Return the messages that are not sent any more."""
    return SocketMessage.objects.filter(sent_at__lte=now - RECENT).order_by()
