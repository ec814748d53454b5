"""Writes while turns are running: events, heartbeats, cancel requests, calls of writing tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from chat.models import Message, ToolCall, Turn, TurnEvent
from chat.selectors import tool_calls_of, tool_history_entry
from chat.services.notifications import notify_conversation_changed

Json = dict[str, Any]

# Plain SQL, because some 20 events per second and turn are written, and the ORM would take ten times as long.
EVENTS, TURNS = TurnEvent._meta.db_table, Turn._meta.db_table
# Events of turns that have ended or were deleted are skipped, because one failing row would fail the whole batch.
# Conflicts are ignored, because a batch is sent again if its response was lost.
INSERT_EVENTS = f"""
    INSERT INTO {EVENTS} (turn_id, seq, data)
    SELECT event.turn_id, event.seq, event.data::jsonb
    FROM unnest(%s::uuid[], %s::int[], %s::text[]) AS event (turn_id, seq, data)
    JOIN {TURNS} AS turn ON turn.id = event.turn_id AND turn.state = '{Turn.State.RUNNING.value}'
    ON CONFLICT DO NOTHING"""
INSERT_EVENT = f"""
    INSERT OR IGNORE INTO {EVENTS} (turn_id, seq, data)
    SELECT turn.id, %s, %s FROM {TURNS} AS turn WHERE turn.id = %s AND turn.state = '{Turn.State.RUNNING.value}'"""


def write_events(rows: Sequence[tuple[UUID, int, str]]) -> None:
    """Store events (turn id, number, event as JSON) of any number of turns; those of ended turns are skipped."""
    if not rows:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A single statement is atomic; a transaction would need two more round trips.
            cursor.execute(INSERT_EVENTS, [list(column) for column in zip(*rows, strict=True)])
            return
        with transaction.atomic():
            cursor.executemany(INSERT_EVENT, [(seq, event, turn_id.hex) for turn_id, seq, event in rows])


def refresh_heartbeats(turn_ids: Iterable[UUID], *, now: datetime) -> set[UUID]:
    """Update the heartbeat of these turns, and return those that are still running."""
    running = Turn.objects.filter(pk__among=turn_ids, state=Turn.State.RUNNING)
    running.update(heartbeat_at=now)
    return set(running.values_list("pk", flat=True))


def turns_to_cancel(turn_ids: Iterable[UUID]) -> set[UUID]:
    """Return those of these turns for which a cancel was requested."""
    requested = Turn.objects.filter(pk__among=turn_ids, cancel_requested_at__isnull=False)
    return set(requested.values_list("pk", flat=True))


def request_cancel(turn_id: UUID, *, now: datetime) -> None:
    """Store a request to cancel the turn, which the process that runs it polls."""
    running = Turn.objects.filter(pk=turn_id, state=Turn.State.RUNNING, cancel_requested_at__isnull=True)
    running.update(cancel_requested_at=now)


def record_tool_call(*, turn_id: UUID, index: int, tool: str, params: Json, output: str, undo: Json | None) -> None:
    """Record a call of a writing tool; must be called in the transaction of its effect.

    A stopped turn does not wait for its tools, so a call that ends later is added to the stored answer.
    """
    with transaction.atomic():
        # With the turn locked, so that `end_turn` either finds the record or has already stored the answer.
        turn = Turn.objects.select_for_update().select_related("conversation").get(pk=turn_id)
        call = ToolCall.objects.create(turn=turn, index=index, tool=tool, input=params, output=output, undo=undo)
        if turn.state != Turn.State.RUNNING:
            _add_to_answer(call, turn=turn)


def _add_to_answer(call: ToolCall, *, turn: Turn) -> None:
    answer = Message.objects.select_for_update().filter(turn=turn, role=Message.Role.ASSISTANT).first()
    if answer is not None:
        answer.text = f"{answer.text}\n\n[[tool:{len(answer.tool_history)}]]".lstrip()
        answer.tool_history = [*answer.tool_history, tool_history_entry(call)]
        answer.save(update_fields=["text", "tool_history"])
        notify_conversation_changed(turn.conversation)


def set_tool_call_undone(*, turn_id: UUID, undo: Json, undone: bool) -> None:
    """Mark calls of writing tools as undone, or redone; must be called in the transaction of the undo or redo.

    `undo` is the reference that the tool returned; `undone` is stored in it.
    """
    with transaction.atomic():
        # With the turn locked, so that `end_turn` either finds the update or has already stored the answer.
        turn = Turn.objects.select_for_update(of=("self",)).select_related("conversation").filter(pk=turn_id).first()
        calls = [call for call in tool_calls_of(turn) if _is_same_undo(call.undo, undo)] if turn is not None else []
        if turn is None or not calls:
            return
        updated = {**undo, "undone": undone}
        ToolCall.objects.filter(pk__in=[call.pk for call in calls]).update(undo=updated)
        answer = Message.objects.select_for_update().filter(turn=turn, role=Message.Role.ASSISTANT).first()
        if answer is not None:
            answer.tool_history = [
                {**entry, "undo": updated} if _is_same_undo(entry.get("undo"), undo) else entry
                for entry in answer.tool_history
            ]
            answer.save(update_fields=["tool_history"])
        _add_note_for_model(turn, calls=calls, undone=undone)
        notify_conversation_changed(turn.conversation)


def _is_same_undo(undo: Json | None, other: Json) -> bool:
    return undo is not None and {name: value for name, value in undo.items() if name != "undone"} == other


def _add_note_for_model(turn: Turn, *, calls: list[ToolCall], undone: bool) -> None:
    """Add a note to the latest answer, which the model receives in the next turn."""
    answers = Message.objects.select_for_update().filter(conversation=turn.conversation, role=Message.Role.ASSISTANT)
    latest = answers.filter(pk=turn.conversation.tip_id).first() if turn.conversation.tip_id else None
    if latest is not None:
        words = "undone" if undone else "done again after it had been undone"
        latest.notes = [*latest.notes, *(f"{call.tool} ({call.output}) was {words} by the user." for call in calls)]
        latest.save(update_fields=["notes"])
