"""Rename, delete and restore conversations, and rate their answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from chat.models import Conversation, Feedback
from chat.selectors import get_answer, get_conversation, running_turn
from chat.services.notifications import notify_conversation_changed
from chat.services.turns.running import request_cancel


def rename_conversation(*, user: Any, conversation_id: Any, title: str) -> Conversation:
    """Rename a conversation. Raises NotFound."""
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True)
        conversation.title = title
        # Without `updated_at`, so that the position of the conversation in the list does not change.
        conversation.save(update_fields=["title"])
        notify_conversation_changed(conversation)
    return conversation


def delete_conversation(*, user: Any, conversation_id: Any, now: datetime) -> None:
    """Move a conversation to the trash, where it can be restored for 30 days, and cancel its running turn.

    Raises NotFound.
    """
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True)
        conversation.deleted_at = now
        conversation.save(update_fields=["deleted_at"])
        notify_conversation_changed(conversation)
        running = running_turn(conversation)
        if running is not None:
            request_cancel(running.pk, now=now)


def restore_conversation(*, user: Any, conversation_id: Any) -> Conversation:
    """Restore a conversation from the trash; one that is not deleted is left unchanged. Raises NotFound."""
    with transaction.atomic():
        conversation = get_conversation(user, conversation_id, lock=True, trashed=None)
        if conversation.deleted_at is not None:
            conversation.deleted_at = None
            conversation.save(update_fields=["deleted_at"])
            notify_conversation_changed(conversation)
    return conversation


def give_feedback(*, user: Any, message_id: Any, rating: str | None, reason: str = "") -> Feedback | None:
    """Store the user's rating of an answer, `up` or `down`; None deletes it. Raises NotFound."""
    with transaction.atomic():
        answer = get_answer(user, message_id)
        feedback = None
        if rating is None:
            Feedback.objects.filter(message=answer, user=user).delete()
        else:
            values = {"rating": rating, "reason": reason}
            feedback, _ = Feedback.objects.update_or_create(message=answer, user=user, defaults=values)
        notify_conversation_changed(answer.conversation)
    return feedback
