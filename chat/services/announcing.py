"""Says what has become of turns, proposals and conversations once it is committed: ids only, to one person's pages."""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from chat.signals import news, turn_over

if TYPE_CHECKING:
    from chat.models import Conversation, Payload, Turn


def announce_start(turn: Turn) -> None:
    """A turn runs."""
    _announce_turn("turn_started", turn=turn)


def announce_end(turn: Turn) -> None:
    """A turn has ended."""
    _announce_turn("turn_ended", turn=turn)
    transaction.on_commit(partial(turn_over.send, sender=None, turn=turn), robust=True)


def announce_payload(payload: Payload) -> None:
    """A proposal has another status."""
    ids = {"payload_id": payload.pk, "conversation_id": payload.conversation_id}
    _announce("payload_status", user_id=payload.user_id, **ids)


def announce_review(payload: Payload, *, revision: int) -> None:
    """The stored review of a proposal has changed."""
    ids = {"payload_id": payload.pk, "conversation_id": payload.conversation_id, "revision": revision}
    _announce("review_changed", user_id=payload.user_id, **ids)


def announce_conversation(conversation: Conversation) -> None:
    """A conversation has another title, is gone or back, or an old answer of it has changed."""
    _announce("conversation_changed", user_id=conversation.user_id, conversation_id=conversation.pk)


def _announce_turn(kind: str, *, turn: Turn) -> None:
    # What is tried in a sandbox concerns none of the person's pages.
    if not turn.conversation.sandbox:
        _announce(kind, user_id=turn.user_id, turn_id=turn.pk, conversation_id=turn.conversation_id)


def _announce(kind: str, *, user_id: Any, **ids: Any) -> None:
    body = {"type": kind, **{name: str(value) for name, value in ids.items()}}
    # Robust: what is committed is committed, whoever fails to hear of it.
    transaction.on_commit(partial(news.send, sender=None, user_id=user_id, body=body), robust=True)
