"""Conversations for administrators: all messages with payloads, ratings, costs and traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.models import Conversation, Feedback, Message, Payload, Trace
from chat.selectors.traces import cost_of

PAGE_SIZE = 25


@dataclass(frozen=True)
class InspectedMessage:
    """A message with its payloads and ratings, whether its trace is still stored, and its cost in US dollars."""

    message: Message
    payloads: Sequence[Payload] = ()
    thumbs: Sequence[Feedback] = ()
    traced: bool = False
    cost: str | None = None


@dataclass(frozen=True)
class InspectedConversation:
    """A page of a conversation's messages from all branches, in the order of creation."""

    messages: Sequence[InspectedMessage] = field(default_factory=list)
    page: int = 1
    pages: int = 1


def inspect_conversation(conversation: Conversation, *, page: int = 1) -> InspectedConversation:
    """Return a page of 25 messages, in five queries."""
    count = Message.objects.filter(conversation=conversation).count()
    pages = max(1, -(-count // PAGE_SIZE))
    page = min(max(1, page), pages)
    found = Message.objects.filter(conversation=conversation).select_related("turn").defer("exchange", "search_text")
    # Imported messages can have equal times; then the user's message comes first.
    shown = list(found.order_by("created_at", "-role", "pk")[(page - 1) * PAGE_SIZE : page * PAGE_SIZE])
    ids = [message.pk for message in shown]
    payloads = _by_message(Payload.objects.filter(message__in=ids).order_by("created_at"))
    thumbs = _by_message(Feedback.objects.filter(message__in=ids).select_related("user").order_by("pk"))
    turns = {message.turn_id for message in shown if message.role == Message.Role.ASSISTANT}
    traced = set(Trace.objects.filter(pk__in=turns).values_list("pk", flat=True))
    messages = [
        InspectedMessage(
            message,
            payloads.get(message.pk, []),
            thumbs.get(message.pk, []),
            message.role == Message.Role.ASSISTANT and message.turn_id in traced,
            cost_of(message.turn.usage, model=message.turn.model) if message.turn is not None else None,
        )
        for message in shown
    ]
    return InspectedConversation(messages, page, pages)


def _by_message(found: Any) -> dict[Any, list[Any]]:
    by_message: dict[Any, list[Any]] = {}
    for row in found:
        by_message.setdefault(row.message_id, []).append(row)
    return by_message
