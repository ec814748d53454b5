"""Ends a turn: answer, payloads, usage and the final event in one transaction."""
from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import UUIDField
from django.utils import timezone

import user_messages
from chat.models import Conversation, Message, Payload, ToolCall, Turn, TurnEvent
from chat.selectors import locking_running, tool_calls_of, tool_entry
from chat.services.announcing import announce_end, announce_payload
from chat.services.reviews import carry_review_over
from chat.services.tokens import counting
from chat.services.traces import TraceRecord, looking_for, storing
from statements import Question, Statement, ask_together, insertion, send, update

log = logging.getLogger(__name__)
Json = dict[str, Any]

# What the turn, and the assistant's message, have of an ending, by the same names.
OF_AN_ENDING = ("state", "error_code", "error_retryable", "usage")
ERROR = ("error_message", "error_coded")
OF_AN_ANSWER = (
    "text", "exchange", "suggested_values", "suggested_actions", "tool_history", "unreadable", "notes", "configuration",
)  # fmt: skip
KEY = UUIDField()
TIP = f"""
    UPDATE {Conversation._meta.db_table} SET tip_id = %s, updated_at = %s WHERE id =
    (SELECT conversation_id FROM {Turn._meta.db_table} WHERE id = %s AND state = '{Turn.State.RUNNING.value}')"""


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
    """How a turn ends: its state, and the assistant message of it (kept also for turns that broke off).

    `tokens` are those of its model calls that are not counted yet; `trace` puts together how the turn came about.
    `seen_tools`: how many writing calls `tool_history` tells of; those that took effect after them are added.
    """

    state: str
    text: str = ""
    closing: user_messages.Message | None = None
    exchange: list[Json] = field(default_factory=list)
    suggested_values: list[Json] = field(default_factory=list)
    suggested_actions: list[Json] = field(default_factory=list)
    tool_history: list[Json] = field(default_factory=list)
    payloads: tuple[PayloadRecord, ...] = ()
    warning: user_messages.Message | None = None
    unreadable: str = ""
    notes: list[str] = field(default_factory=list)
    configuration: int = 0
    usage: Json = field(default_factory=dict)
    tokens: int = 0
    trace: Callable[[], TraceRecord | None] | None = None
    error_code: str = ""
    error: user_messages.Message | None = None
    error_retryable: bool = False
    seen_tools: int | None = None
    message_id: UUID = field(default_factory=uuid4)


def end_turn(*, turn_id: UUID, ending: Ending, final: tuple[int, Json], now: datetime) -> bool:
    """Stores the ending with its final event (number, event). False, and nothing written, if it had ended already."""
    # Before anything is locked: after a long conversation it takes a while.
    trace = ending.trace() if ending.trace is not None else None
    with transaction.atomic():
        # The turn is locked, then the conversation: before whatever else is written.
        looked_for = () if trace is None else (looking_for(trace, now=now),)
        tip = _new_tip(turn_id, message_id=ending.message_id)
        turn, _, *there = ask_together(locking_running(turn_id), tip, *looked_for)
        if turn is None:
            return False
        # Read under the turn's lock: a tool that records itself later adds itself to the answer.
        calls = tool_calls_of(turn) if ending.seen_tools is not None else []
        unseen = calls[ending.seen_tools :]
        ending = _with_undone(_with_unseen(ending, calls=unseen), calls=calls)
        now = max([now, *(call.created_at for call in unseen)])
        for name in OF_AN_ENDING:
            setattr(turn, name, getattr(ending, name))
        turn.error_message, turn.error_coded = _stored(ending.error)
        turn.dropped = trace.dropped if trace is not None else 0
        turn.ended_at = now
        message = _message(ending, turn=turn, now=now)
        seq, data = final
        send(
            insertion(message),
            update(turn, *OF_AN_ENDING, *ERROR, "dropped", "ended_at"),
            *counting(user_id=turn.user_id, tokens=ending.tokens, now=now),
            *(storing(turn, record=trace, there=there[0], now=now) if trace is not None else ()),
            insertion(TurnEvent(turn=turn, seq=seq, data=data)),
        )
        for record in ending.payloads:
            _store_payload(record, message=message, turn=turn, now=now)
        announce_end(turn)
    return True


def _new_tip(turn_id: UUID, *, message_id: UUID) -> Question[Any]:
    """Makes the answer the last message of the turn's conversation, if the turn still runs."""
    message, turn = (KEY.get_db_prep_value(one, connection) for one in (message_id, turn_id))
    tip = Statement(TIP, [message, connection.ops.adapt_datetimefield_value(timezone.now()), turn])
    return Question((tip,), list)


def _message(ending: Ending, *, turn: Turn, now: datetime) -> Message:
    warning, warning_coded = _stored(ending.warning)
    return Message(
        id=ending.message_id,
        conversation_id=turn.conversation_id,
        parent_id=turn.user_message_id,
        turn=turn,
        role=Message.Role.ASSISTANT,
        created_at=now,
        closing=ending.closing.as_json() if ending.closing else None,
        warning=warning,
        warning_coded=warning_coded,
        **{name: getattr(ending, name) for name in OF_AN_ANSWER},
    )


def _stored(message: user_messages.Message | None) -> tuple[str, Json | None]:
    """Return the English text of a message and its code with parameters."""
    return (str(message), message.as_json()) if message is not None else ("", None)


def _store_payload(record: PayloadRecord, *, message: Message, turn: Turn, now: datetime) -> None:
    whose = {"user_id": turn.user_id, "conversation_id": turn.conversation_id, "turn": turn, "message": message}
    payload = Payload(**whose, **vars(record))
    if record.status == Payload.Status.PENDING:
        _supersede(turn, subject_id=record.subject_id, now=now)
    payload.save(force_insert=True)
    if record.status == Payload.Status.PENDING:
        _carry_review_over(payload, turn=turn, now=now)


def _carry_review_over(payload: Payload, *, turn: Turn, now: datetime) -> None:
    try:
        with transaction.atomic():
            carry_review_over(payload, since=turn.started_at, now=now)
    except Exception:
        # The answer counts more than the ticks of the proposal before it.
        log.exception("a review was not carried over to payload %s", payload.pk)


def _supersede(turn: Turn, *, subject_id: str, now: datetime) -> None:
    """What was open for the same subject in this conversation is so no more; the person's other pages are told."""
    open_ones = list(
        Payload.objects.select_for_update()
        .filter(conversation_id=turn.conversation_id, status=Payload.Status.PENDING, subject_id=subject_id)
        .only("conversation_id", "user_id")
    )
    if open_ones:
        Payload.objects.filter(pk__in=[payload.pk for payload in open_ones]).update(
            status=Payload.Status.SUPERSEDED, settled_at=now
        )
    for payload in open_ones:
        announce_payload(payload)


def _with_unseen(ending: Ending, *, calls: list[ToolCall]) -> Ending:
    """Writing calls that took effect while the turn was being stopped: the person must see them, and their undo."""
    first = len(ending.tool_history)
    cards = "".join(f"\n\n[[tool:{first + index}]]" for index in range(len(calls)))
    # The model was never given their results; without a word it might do the same again.
    told = [f"{call.tool} took effect before the turn was stopped: {call.output}" for call in calls]
    return replace(
        ending,
        text=(ending.text + cards).lstrip() if calls else ending.text,
        tool_history=[*ending.tool_history, *(tool_entry(call) for call in calls)],
        notes=[*ending.notes, *told],
    )


def _with_undone(ending: Ending, *, calls: list[ToolCall]) -> Ending:
    """What the person has taken back while the turn still ran is known to be."""
    undone = [call.undo for call in calls if call.undo and call.undo.get("undone")]
    if not undone:
        return ending
    history = [
        {**entry, "undo": {**entry["undo"], "undone": True}}
        if entry.get("undo") and {**entry["undo"], "undone": True} in undone
        else entry
        for entry in ending.tool_history
    ]
    return replace(ending, tool_history=history)
