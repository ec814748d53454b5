"""Ends a turn: answer, payloads, usage and the final event in one transaction."""
from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from chat.models import Conversation, Message, Payload, Turn, TurnEvent
from chat.selectors import tool_calls_of

Json = dict[str, Any]


@dataclass(frozen=True)
class PayloadRecord:
    """A payload to be stored with the answer; `resolved` and what follows it only for proposals."""

    type: str
    source: str
    data: Any
    status: str
    summary: str = ""
    resolved: Json | None = None
    counts: Json = field(default_factory=dict)
    content_hash: str = ""
    subject_id: str = ""
    id: UUID = field(default_factory=uuid4)


@dataclass(frozen=True)
class Ending:
    """How a turn ends: its state, and the assistant message of it (kept also for turns that broke off)."""

    state: str
    text: str = ""
    exchange: list[Json] = field(default_factory=list)
    suggested_values: list[Json] = field(default_factory=list)
    suggested_actions: list[Json] = field(default_factory=list)
    tool_history: list[Json] = field(default_factory=list)
    payloads: tuple[PayloadRecord, ...] = ()
    warning: str = ""
    notes: list[str] = field(default_factory=list)
    usage: Json = field(default_factory=dict)
    error_code: str = ""
    error_message: str = ""
    error_retryable: bool = False
    message_id: UUID = field(default_factory=uuid4)


def end_turn(*, turn_id: UUID, ending: Ending, final: tuple[int, Json], now: datetime) -> bool:
    """Stores the ending with its final event (number, event). False, and nothing written, if it had ended already."""
    with transaction.atomic():
        turn = Turn.objects.select_for_update().filter(pk=turn_id, state=Turn.State.RUNNING).first()
        if turn is None:
            return False
        conversation = Conversation.objects.select_for_update().get(pk=turn.conversation_id)
        message = Message.objects.create(
            id=ending.message_id,
            conversation=conversation,
            parent_id=turn.user_message_id,
            turn=turn,
            role=Message.Role.ASSISTANT,
            text=ending.text,
            exchange=ending.exchange,
            suggested_values=ending.suggested_values,
            suggested_actions=ending.suggested_actions,
            tool_history=ending.tool_history,
            warning=ending.warning,
            notes=ending.notes,
            created_at=now,
        )
        for record in ending.payloads:
            _store_payload(record, message=message, turn=turn, now=now)
        conversation.tip = message
        conversation.save(update_fields=["tip", "updated_at"])
        turn.state = ending.state
        turn.error_code, turn.error_message = ending.error_code, ending.error_message
        turn.error_retryable = ending.error_retryable
        turn.usage = ending.usage
        turn.ended_at = now
        turn.save(update_fields=["state", "error_code", "error_message", "error_retryable", "usage", "ended_at"])
        seq, data = final
        TurnEvent.objects.create(turn=turn, seq=seq, data=data)
    return True


def _store_payload(record: PayloadRecord, *, message: Message, turn: Turn, now: datetime) -> None:
    if record.status == Payload.Status.PENDING:
        Payload.objects.filter(
            conversation_id=turn.conversation_id, status=Payload.Status.PENDING, subject_id=record.subject_id
        ).update(status=Payload.Status.SUPERSEDED, settled_at=now)
    Payload.objects.create(
        id=record.id,
        user_id=turn.user_id,
        conversation_id=turn.conversation_id,
        turn=turn,
        message=message,
        type=record.type,
        source=record.source,
        subject_id=record.subject_id,
        data=record.data,
        resolved=record.resolved,
        status=record.status,
        summary=record.summary,
        counts=record.counts,
        content_hash=record.content_hash,
    )


def recorded_tools(turn: Turn, *, after: int = 0) -> list[Json]:
    """The tool history of the turn's writing calls from index `after` on, as their own records have it."""
    return [
        {"tool_name": c.tool, "input": c.input, "output": c.output, "is_error": False, "duration_ms": 0, "undo": c.undo}
        for c in tool_calls_of(turn)[after:]
    ]
