"""All that a person and the assistant said to each other, for the person to take along."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chat.links import without_links
from chat.models import Conversation, Message

AT_ONCE = 200


def everything_said(user: Any) -> Iterator[dict[str, Any]]:
    """The conversations, the oldest first, those that were deleted and can be restored too: each with `messages`, those
    of all branches as they were said (`answers` is the id of the message before).
    """
    own = Conversation.objects.filter(user_id=user.pk, sandbox=False).order_by("created_at", "id")
    for conversation in own.iterator(chunk_size=AT_ONCE):
        messages = Message.objects.filter(conversation_id=conversation.pk).order_by("created_at", "id")
        said = messages.values("id", "parent_id", "role", "text", "created_at")
        yield {
            "id": str(conversation.pk),
            "title": conversation.title,
            "page": conversation.page,
            "about": conversation.object_id,
            "created_at": conversation.created_at.isoformat(),
            "deleted_at": conversation.deleted_at.isoformat() if conversation.deleted_at else None,
            "messages": [
                {
                    "id": str(each["id"]),
                    "answers": str(each["parent_id"]) if each["parent_id"] else None,
                    "from": each["role"],
                    "text": without_links(each["text"]) if each["role"] == Message.Role.ASSISTANT else each["text"],
                    "at": each["created_at"].isoformat(),
                }
                for each in said
            ],
        }
