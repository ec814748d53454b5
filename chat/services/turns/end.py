"""End of a turn: answer, payloads, usage, trace and the final event in one transaction."""

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

from chat.models import Conversation, Message, Payload, ToolCall, Turn, TurnEvent
from chat.selectors import lock_running_turn_query, tool_calls_of, tool_history_entry
from chat.services.notifications import notify_payload_changed, notify_turn_ended
from chat.services.reviews import carry_review_over
from chat.services.traces import TraceRecord, store_trace_statements, stored_texts_query
from chat.services.usage import count_tokens_statements
from shared import user_messages
from shared.db import Query, Statement, insert_statement, run_queries, run_statements, update_statement

log = logging.getLogger(__name__)
Json = dict[str, Any]

# Fields of Ending that are copied to the turn and to the assistant's message.
TURN_FIELDS = ("state", "error_code", "error_retryable", "usage")
ERROR_FIELDS = ("error_message", "error_coded")
MESSAGE_FIELDS = (
    "text", "exchange", "suggested_values", "suggested_actions", "tool_history", "unreadable", "notes", "configuration",
)  # fmt: skip
UUID_FIELD = UUIDField()
SET_TIP = f"""
    UPDATE {Conversation._meta.db_table} SET tip_id = %s, updated_at = %s WHERE id =
    (SELECT conversation_id FROM {Turn._meta.db_table} WHERE id = %s AND state = '{Turn.State.RUNNING.value}')"""


@dataclass(frozen=True)
class PayloadRecord:
    """A payload to be stored with the answer; the fields from `resolved` on are only used for proposals."""

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
    """The state of a turn at its end, and its assistant message, which is stored for failed turns too.

    `tokens` are those of model calls that are not counted yet. `trace` returns the trace to store. `reported_tools` is
    the number of writing calls in `tool_history`; calls that took effect after them are added to it.
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
    reported_tools: int | None = None
    message_id: UUID = field(default_factory=uuid4)


def end_turn(*, turn_id: UUID, ending: Ending, final: tuple[int, Json], now: datetime) -> bool:
    """Store the ending with its final event (number, event). Return False and write nothing if the turn has ended."""
    # Before the locks, because it takes long after a long conversation.
    trace = ending.trace() if ending.trace is not None else None
    with transaction.atomic():
        # The lock order is: turn, conversation, everything else.
        text_queries = () if trace is None else (stored_texts_query(trace, now=now),)
        tip = _set_tip_query(turn_id, message_id=ending.message_id)
        turn, _, *stored_texts = run_queries(lock_running_turn_query(turn_id), tip, *text_queries)
        if turn is None:
            return False
        # Read with the turn locked: tool calls that are recorded later add themselves to the answer.
        calls = tool_calls_of(turn) if ending.reported_tools is not None else []
        unreported = calls[ending.reported_tools :]
        ending = _with_undone_calls(_with_unreported_calls(ending, calls=unreported), calls=calls)
        now = max([now, *(call.created_at for call in unreported)])
        for name in TURN_FIELDS:
            setattr(turn, name, getattr(ending, name))
        turn.error_message, turn.error_coded = _text_and_code(ending.error)
        turn.dropped = trace.dropped if trace is not None else 0
        turn.ended_at = now
        message = _message(ending, turn=turn, now=now)
        seq, data = final
        run_statements(
            insert_statement(message),
            update_statement(turn, *TURN_FIELDS, *ERROR_FIELDS, "dropped", "ended_at"),
            *count_tokens_statements(user_id=turn.user_id, tokens=ending.tokens, now=now),
            *(store_trace_statements(turn, record=trace, stored=stored_texts[0], now=now) if trace is not None else ()),
            insert_statement(TurnEvent(turn=turn, seq=seq, data=data)),
        )
        for record in ending.payloads:
            _store_payload(record, message=message, turn=turn, now=now)
        notify_turn_ended(turn)
    return True


def _set_tip_query(turn_id: UUID, *, message_id: UUID) -> Query[Any]:
    """Return the query that makes the answer the last message of the conversation, if the turn is running."""
    message, turn = (UUID_FIELD.get_db_prep_value(value, connection) for value in (message_id, turn_id))
    tip = Statement(SET_TIP, [message, connection.ops.adapt_datetimefield_value(timezone.now()), turn])
    return Query((tip,), list)


def _message(ending: Ending, *, turn: Turn, now: datetime) -> Message:
    warning, warning_coded = _text_and_code(ending.warning)
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
        **{name: getattr(ending, name) for name in MESSAGE_FIELDS},
    )


def _text_and_code(message: user_messages.Message | None) -> tuple[str, Json | None]:
    """Return the English text of a message and its code with parameters."""
    return (str(message), message.as_json()) if message is not None else ("", None)


def _store_payload(record: PayloadRecord, *, message: Message, turn: Turn, now: datetime) -> None:
    owner = {"user_id": turn.user_id, "conversation_id": turn.conversation_id, "turn": turn, "message": message}
    payload = Payload(**owner, **vars(record))
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
        # The review is dropped, because otherwise the answer would be lost.
        log.exception("could not copy the review to payload %s", payload.pk)


def _supersede(turn: Turn, *, subject_id: str, now: datetime) -> None:
    """Mark pending proposals of the conversation for the same subject as superseded."""
    superseded = list(
        Payload.objects.select_for_update()
        .filter(conversation_id=turn.conversation_id, status=Payload.Status.PENDING, subject_id=subject_id)
        .only("conversation_id", "user_id")
    )
    if superseded:
        Payload.objects.filter(pk__in=[payload.pk for payload in superseded]).update(
            status=Payload.Status.SUPERSEDED, settled_at=now
        )
    for payload in superseded:
        notify_payload_changed(payload)


def _with_unreported_calls(ending: Ending, *, calls: list[ToolCall]) -> Ending:
    """Add writing calls that took effect while the turn was being stopped, so that the user can see and undo them."""
    first = len(ending.tool_history)
    cards = "".join(f"\n\n[[tool:{first + index}]]" for index in range(len(calls)))
    # The model has not received their results, and might repeat the calls.
    notes = [f"{call.tool} took effect before the turn was stopped: {call.output}" for call in calls]
    return replace(
        ending,
        text=(ending.text + cards).lstrip() if calls else ending.text,
        tool_history=[*ending.tool_history, *(tool_history_entry(call) for call in calls)],
        notes=[*ending.notes, *notes],
    )


def _with_undone_calls(ending: Ending, *, calls: list[ToolCall]) -> Ending:
    """Mark calls in the tool history that the user has undone while the turn was running."""
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
