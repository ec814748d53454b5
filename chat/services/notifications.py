"""Notifications to a user's open pages about turns, payloads and conversations: ids only, sent on commit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from chat.signals import turn_finished, user_update

if TYPE_CHECKING:
    from chat.models import Conversation, Payload, Turn


def notify_turn_started(turn: Turn) -> None:
    """Notify that a turn has started."""
    _notify_turn("turn_started", turn=turn)


def notify_turn_ended(turn: Turn) -> None:
    """Notify that a turn has ended."""
    _notify_turn("turn_ended", turn=turn)
    transaction.on_commit(partial(turn_finished.send, sender=None, turn=turn), robust=True)


def notify_payload_changed(payload: Payload) -> None:
    """Notify that the status of a proposal has changed."""
    ids = {"payload_id": payload.pk, "conversation_id": payload.conversation_id}
    _notify("payload_status", user_id=payload.user_id, **ids)


def notify_review_changed(payload: Payload, *, revision: int) -> None:
    """Notify that the stored review of a proposal has changed."""
    ids = {"payload_id": payload.pk, "conversation_id": payload.conversation_id, "revision": revision}
    _notify("review_changed", user_id=payload.user_id, **ids)


def notify_conversation_changed(conversation: Conversation) -> None:
    """Notify that a conversation was renamed, deleted or restored, or that one of its answers has changed."""
    _notify("conversation_changed", user_id=conversation.user_id, conversation_id=conversation.pk)


def _notify_turn(kind: str, *, turn: Turn) -> None:
    # Turns in a sandbox are not shown on the user's pages.
    if not turn.conversation.sandbox:
        _notify(kind, user_id=turn.user_id, turn_id=turn.pk, conversation_id=turn.conversation_id)


def _notify(kind: str, *, user_id: Any, **ids: Any) -> None:
    body = {"type": kind, **{name: str(value) for name, value in ids.items()}}
    # Robust, because the transaction is committed and its request must not fail if a receiver does.
    transaction.on_commit(partial(user_update.send, sender=None, user_id=user_id, body=body), robust=True)
