"""Notifications to a user's open pages about turns, payloads and conversations: ids only, sent on commit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from chat.events import (
    ConversationChangedMessage,
    NoticesChangedMessage,
    PayloadStatusMessage,
    ReviewChangedMessage,
    TurnEndedMessage,
    TurnStartedMessage,
)
from chat.signals import turn_finished, user_update
from shared.events import Event

if TYPE_CHECKING:
    from chat.models import Conversation, Payload, Turn


def notify_turn_started(turn: Turn) -> None:
    """Notify that a turn has started."""
    _notify_turn(TurnStartedMessage, turn=turn)


def notify_turn_ended(turn: Turn) -> None:
    """Notify that a turn has ended."""
    _notify_turn(TurnEndedMessage, turn=turn)
    transaction.on_commit(partial(turn_finished.send, sender=None, turn=turn), robust=True)


def notify_payload_changed(payload: Payload) -> None:
    """Notify that the status of a proposal has changed."""
    message = PayloadStatusMessage(payload_id=str(payload.pk), conversation_id=str(payload.conversation_id))
    _notify(message, user_id=payload.user_id)


def notify_review_changed(payload: Payload, *, revision: int) -> None:
    """Notify that the stored review of a proposal has changed."""
    message = ReviewChangedMessage(
        payload_id=str(payload.pk), conversation_id=str(payload.conversation_id), revision=str(revision)
    )
    _notify(message, user_id=payload.user_id)


def notify_conversation_changed(conversation: Conversation) -> None:
    """Notify that a conversation was renamed, deleted or restored, or that one of its answers has changed."""
    _notify(ConversationChangedMessage(conversation_id=str(conversation.pk)), user_id=conversation.user_id)


def notify_notices_changed(*, user_id: Any) -> None:
    """Notify that the notices of a user have changed, which other apps add to the pages with the chat."""
    _notify(NoticesChangedMessage(), user_id=user_id)


def _notify_turn(message: type[TurnStartedMessage | TurnEndedMessage], *, turn: Turn) -> None:
    # Turns in a sandbox are not shown on the user's pages.
    if not turn.conversation.sandbox:
        _notify(message(turn_id=str(turn.pk), conversation_id=str(turn.conversation_id)), user_id=turn.user_id)


def _notify(message: Event, *, user_id: Any) -> None:
    # Robust, because the transaction is committed and its request must not fail if a receiver does.
    send = partial(user_update.send, sender=None, user_id=user_id, body=message.as_json())
    transaction.on_commit(send, robust=True)
