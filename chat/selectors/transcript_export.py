"""Export of a user's conversations, for the download of their data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chat.links import without_links
from chat.models import Conversation, Message

CHUNK_SIZE = 200


def export_conversations(user: Any) -> Iterator[dict[str, Any]]:
    """Yield the user's conversations with their messages, oldest first.

    Deleted conversations that can be restored are included, as are the messages of all branches; `answers` is the id
    of the parent message.
    """
    own = Conversation.objects.filter(user_id=user.pk, sandbox=False).order_by("created_at", "id")
    for conversation in own.iterator(chunk_size=CHUNK_SIZE):
        messages = Message.objects.filter(conversation_id=conversation.pk).order_by("created_at", "id")
        rows = messages.values("id", "parent_id", "role", "text", "created_at")
        yield {
            "id": str(conversation.pk),
            "title": conversation.title,
            "page": conversation.page,
            "about": conversation.object_id,
            "created_at": conversation.created_at.isoformat(),
            "deleted_at": conversation.deleted_at.isoformat() if conversation.deleted_at else None,
            "messages": [
                {
                    "id": str(row["id"]),
                    "answers": str(row["parent_id"]) if row["parent_id"] else None,
                    "from": row["role"],
                    "text": without_links(row["text"]) if row["role"] == Message.Role.ASSISTANT else row["text"],
                    "at": row["created_at"].isoformat(),
                }
                for row in rows
            ],
        }
