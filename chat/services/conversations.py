"""What a person does with a conversation as a whole."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from chat.models import Conversation
from chat.selectors import get_conversation, running_turn_of
from chat.services.announcing import announce_conversation
from chat.services.running_turns import ask_to_cancel


def rename_conversation(*, user: Any, conversation_id: Any, title: str) -> Conversation:
    """Gives it a title of the person's own. Raises NotFound."""
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True)
        conversation.title = title
        # It stays where it is among the others: nothing has been said in it.
        conversation.save(update_fields=["title"])
        announce_conversation(conversation)
    return conversation


def delete_conversation(*, user: Any, conversation_id: Any, now: datetime) -> None:
    """Puts it in the trash for 30 days: it and all that is in it no longer exist for anybody, and a running turn
    stops. Raises NotFound.
    """
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True)
        conversation.deleted_at = now
        conversation.save(update_fields=["deleted_at"])
        announce_conversation(conversation)
        running = running_turn_of(conversation)
        if running is not None:
            ask_to_cancel(running.pk, now=now)


def restore_conversation(*, user: Any, conversation_id: Any) -> Conversation:
    """Takes it out of the trash, to where it was; one that is not there stays as it is. Raises NotFound."""
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True, trashed=None)
        if conversation.deleted_at is not None:
            conversation.deleted_at = None
            conversation.save(update_fields=["deleted_at"])
            announce_conversation(conversation)
    return conversation
