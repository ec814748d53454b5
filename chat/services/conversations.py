"""What a person does with a conversation as a whole."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from chat.models import Conversation
from chat.selectors import get_conversation, running_turn_of
from chat.services.announcing import announce_conversation
from chat.services.running import ask_to_cancel


def rename_conversation(*, user: Any, conversation_id: Any, title: str) -> Conversation:
    """Gives it a title of the person's own. Raises NotFound."""
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True)
        conversation.title = title
        conversation.save(update_fields=["title", "updated_at"])
        announce_conversation(conversation)
    return conversation


def delete_conversation(*, user: Any, conversation_id: Any, now: datetime) -> None:
    """Puts it aside; it and all that is in it no longer exist for anybody, and a running turn stops.

    Raises NotFound.
    """
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True)
        conversation.deleted_at = now
        conversation.save(update_fields=["deleted_at", "updated_at"])
        announce_conversation(conversation)
        running = running_turn_of(conversation)
        if running is not None:
            ask_to_cancel(running.pk, now=now)
