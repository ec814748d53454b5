"""What is written while turns run: their events, signs of life, wishes to cancel, what writing tools did."""
from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from chat.models import Message, ToolCall, Turn
from chat.selectors import tool_calls_of, tool_entry
from chat.services.announcing import announce_conversation

Json = dict[str, Any]


def keep_alive(turn_ids: Iterable[UUID], *, now: datetime) -> set[UUID]:
    """Says that the process of these turns is there; which of them nobody has ended meanwhile."""
    running = Turn.objects.filter(pk__among=turn_ids, state=Turn.State.RUNNING)
    running.update(heartbeat_at=now)
    return set(running.values_list("pk", flat=True))


def turns_to_cancel(turn_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these turns somebody asked to cancel."""
    wished = Turn.objects.filter(pk__among=turn_ids, cancel_requested_at__isnull=False)
    return set(wished.values_list("pk", flat=True))


def ask_to_cancel(turn_id: UUID, *, now: datetime) -> None:
    """Leaves the wish to cancel where the turn's own process finds it."""
    running = Turn.objects.filter(pk=turn_id, state=Turn.State.RUNNING, cancel_requested_at__isnull=True)
    running.update(cancel_requested_at=now)


def record_tool_call(*, turn_id: UUID, index: int, tool: str, params: Json, output: str, undo: Json | None) -> None:
    """Stores what a writing tool did; to be called inside the transaction of its effect.

    A turn that was stopped does not wait for its tools: what one of them did after the end is added to the answer.
    """
    with transaction.atomic():
        # Either the ending waits for this lock and finds the record, or this waits for the ending and adds to it.
        turn = Turn.objects.select_for_update().select_related("conversation").get(pk=turn_id)
        call = ToolCall.objects.create(turn=turn, index=index, tool=tool, input=params, output=output, undo=undo)
        if turn.state != Turn.State.RUNNING:
            _add_to_answer(call, turn=turn)


def _add_to_answer(call: ToolCall, *, turn: Turn) -> None:
    answer = Message.objects.select_for_update().filter(turn=turn, role=Message.Role.ASSISTANT).first()
    if answer is not None:
        answer.text = f"{answer.text}\n\n[[tool:{len(answer.tool_history)}]]".lstrip()
        answer.tool_history = [*answer.tool_history, tool_entry(call)]
        answer.save(update_fields=["text", "tool_history"])
        announce_conversation(turn.conversation)


def settle_tool_call(*, turn_id: UUID, undo: Json, undone: bool) -> None:
    """Follows an undo (or a redo) of what a writing tool did; to be called inside its transaction.

    `undo` is what the tool said of how its effect is taken back; from then on it also says whether it is `undone`.
    """
    with transaction.atomic():
        # A turn that is just ending either finds this, or is found by it.
        turn = Turn.objects.select_for_update(of=("self",)).select_related("conversation").filter(pk=turn_id).first()
        calls = [call for call in tool_calls_of(turn) if _is_about(call.undo, undo)] if turn is not None else []
        if turn is None or not calls:
            return
        now = {**undo, "undone": undone}
        ToolCall.objects.filter(pk__in=[call.pk for call in calls]).update(undo=now)
        answer = Message.objects.select_for_update().filter(turn=turn, role=Message.Role.ASSISTANT).first()
        if answer is not None:
            answer.tool_history = [
                {**entry, "undo": now} if _is_about(entry.get("undo"), undo) else entry for entry in answer.tool_history
            ]
            answer.save(update_fields=["tool_history"])
        _tell_the_model(turn, calls=calls, undone=undone)
        announce_conversation(turn.conversation)


def _is_about(undo: Json | None, other: Json) -> bool:
    return undo is not None and {name: value for name, value in undo.items() if name != "undone"} == other


def _tell_the_model(turn: Turn, *, calls: list[ToolCall], undone: bool) -> None:
    """The turn that follows the latest answer hears of it."""
    answers = Message.objects.select_for_update().filter(conversation=turn.conversation, role=Message.Role.ASSISTANT)
    latest = answers.filter(pk=turn.conversation.tip_id).first() if turn.conversation.tip_id else None
    if latest is not None:
        words = "undone" if undone else "done again after it had been undone"
        latest.notes = [*latest.notes, *(f"{call.tool} ({call.output}) was {words} by the person." for call in calls)]
        latest.save(update_fields=["notes"])
