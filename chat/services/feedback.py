"""What a person thinks of an answer: one thumb each, which they may turn and take back."""
from __future__ import annotations

from typing import Any

from django.db import transaction

from chat.models import Feedback
from chat.selectors import get_answer
from chat.services.announcing import announce_conversation


def give_feedback(*, user: Any, message_id: Any, rating: str | None, reason: str = "") -> Feedback | None:
    """Keeps the thumb, `up` or `down`, in place of the one before; None takes it back. Raises NotFound."""
    with transaction.atomic():
        answer = get_answer(user, message_id)
        kept = Feedback.objects.filter(message=answer, user=user)
        feedback = None
        if rating is None:
            kept.delete()
        else:
            said = {"rating": rating, "reason": reason}
            feedback, _ = Feedback.objects.update_or_create(message=answer, user=user, defaults=said)
        announce_conversation(answer.conversation)
    return feedback
