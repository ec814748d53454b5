"""What is written while turns run: their events, signs of life, wishes to cancel, what writing tools did."""
from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from chat.models import Message, ToolCall, Turn
from chat.selectors import tool_entry
from chat.services.announcing import announce_conversation

Json = dict[str, Any]


def keep_alive(turn_ids: Iterable[UUID], *, now: datetime) -> set[UUID]:
    """Says that the process of these turns is there; which of them nobody has ended meanwhile."""
    running = Turn.objects.filter(pk__in=list(turn_ids), state=Turn.State.RUNNING)
    running.update(heartbeat_at=now)
    return set(running.values_list("pk", flat=True))


def turns_to_cancel(turn_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these turns somebody asked to cancel."""
    wished = Turn.objects.filter(pk__in=list(turn_ids), cancel_requested_at__isnull=False)
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
