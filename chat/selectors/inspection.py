"""Reads a conversation as those see it who look after the assistant: every message, what was done, what was thought."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.models import Conversation, Feedback, Message, Payload, Trace
from chat.selectors.traces import cost_of

AT_ONCE = 25


@dataclass(frozen=True)
class MessageLook:
    """A message with its payloads and thumbs. `traced`: how it came about is still kept; `cost` in US dollars."""

    message: Message
    payloads: Sequence[Payload] = ()
    thumbs: Sequence[Feedback] = ()
    traced: bool = False
    cost: str | None = None


@dataclass(frozen=True)
class ConversationLook:
    """A page of a conversation's messages, abandoned branches included, in the order they were written."""

    messages: Sequence[MessageLook] = field(default_factory=list)
    page: int = 1
    pages: int = 1


def conversation_look(conversation: Conversation, *, page: int = 1) -> ConversationLook:
    """25 messages with all that belongs to them, in five queries."""
    count = Message.objects.filter(conversation=conversation).count()
    pages = max(1, -(-count // AT_ONCE))
    page = min(max(1, page), pages)
    found = Message.objects.filter(conversation=conversation).select_related("turn").defer("exchange", "search_text")
    # Of one moment, as imported ones may be, the person's comes first.
    shown = list(found.order_by("created_at", "-role", "pk")[(page - 1) * AT_ONCE : page * AT_ONCE])
    ids = [message.pk for message in shown]
    payloads = _by_message(Payload.objects.filter(message__in=ids).order_by("created_at"))
    thumbs = _by_message(Feedback.objects.filter(message__in=ids).select_related("user").order_by("pk"))
    turns = {message.turn_id for message in shown if message.role == Message.Role.ASSISTANT}
    traced = set(Trace.objects.filter(pk__in=turns).values_list("pk", flat=True))
    looks = [
        MessageLook(
            message,
            payloads.get(message.pk, []),
            thumbs.get(message.pk, []),
            message.role == Message.Role.ASSISTANT and message.turn_id in traced,
            cost_of(message.turn.usage, model=message.turn.model) if message.turn is not None else None,
        )
        for message in shown
    ]
    return ConversationLook(looks, page, pages)


def _by_message(found: Any) -> dict[Any, list[Any]]:
    by_message: dict[Any, list[Any]] = {}
    for each in found:
        by_message.setdefault(each.message_id, []).append(each)
    return by_message
