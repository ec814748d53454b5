"""Ends turns whose process is gone: what they said and did is put together again from what was stored on the way."""
from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from chat.models import Turn
from chat.overrides import current_catalogue
from chat.prompt import estimate_tokens, tokens_of_turn, turns_left_out
from chat.provider import is_demo
from chat.selectors import branch_of, lost_events, sizes_of, tool_calls_of
from chat.services.end_turn import Ending, end_turn
from chat.services.traces import TraceRecord, TraceTexts
from chat.stream import error_event
from user_messages import Message, declare

STALE_AFTER = timedelta(seconds=30)
CARD = re.compile(r"\[\[tool:\d+\]\]")
INTERRUPTED = declare(
    "answer_interrupted", "The answer was interrupted because the server stopped. Please send your message again."
)
NO_TRACE = "There is no trace of this turn: its process ended before it could be stored."
NOT_SENT = "Nothing had been sent to the model."
NOT_COUNTED = "Calls of the demo model are not counted."

Json = dict[str, Any]


def end_stale_turns(*, user: Any = None, now: datetime) -> None:
    """Ends turns, of one person or of everybody, whose process gave no sign of life for 30 s: what was said is kept."""
    stale = Turn.objects.filter(state=Turn.State.RUNNING, heartbeat_at__lt=now - STALE_AFTER)
    if user is not None:
        stale = stale.filter(user=user)
    for turn in stale:
        events = lost_events(turn)
        final = error_event(code="internal", message=INTERRUPTED(), retryable=True)
        end_turn(turn_id=turn.pk, ending=_ending_of(turn, events=events), final=(len(events) + 1, final), now=now)


def _ending_of(turn: Turn, *, events: list[Json]) -> Ending:
    said = "".join(event["text"] for event in events if event["type"] == "text_delta").strip()
    history = _history_of(events)
    notes = []
    for call in tool_calls_of(turn):
        open_entries = (e for e in history if e["tool_name"] == call.tool and "undo" not in e and not e["is_error"])
        entry = next(open_entries, None)
        if entry is None:
            entry = {"tool_name": call.tool, "input": call.input, "is_error": False, "duration_ms": 0}
            history.append(entry)
            said = f"{said}\n\n[[tool:{len(history) - 1}]]".lstrip()
        entry.update(output=call.output, undo=call.undo)
        notes.append(f"{call.tool} took effect before the turn broke off: {call.output}")
    words = CARD.sub("", said).strip()
    tokens = 0 if is_demo() else _tokens_of_last_call(turn, events=events)
    return Ending(
        state=Turn.State.ERROR,
        text=said,
        closing=_closing_of(events),
        exchange=[{"role": "assistant", "content": [{"type": "text", "text": words}]}] if words else [],
        tool_history=history,
        notes=notes,
        tokens=tokens,
        trace=lambda: _without_trace(turn, tokens=tokens),
        error_code="internal",
        error=INTERRUPTED(),
        error_retryable=True,
    )


def _closing_of(events: list[Json]) -> Message | None:
    """Return the message of the application's own that the text ends with, if one had been sent."""
    return next((Message.from_json(event["closing"]) for event in reversed(events) if event.get("closing")), None)


def _tokens_of_last_call(turn: Turn, *, events: list[Json]) -> int:
    """About how many tokens went with the process: those of the calls before were counted when the last one began.

    What was sent is known but for the system prompt: the history, the message, the tools' inputs and what they
    recorded; what came, as far as it was shown. Nothing was sent before the first event.
    """
    if not events:
        return 0
    branch = branch_of(turn.conversation, leaf_id=turn.user_message_id)
    sizes = [tokens_of_turn(each.sizes) for each in sizes_of(branch)]
    *before, asked = sizes or [0]
    left_out = turns_left_out(before, budget_tokens=current_catalogue().engine.history_tokens)
    tools = [[event["input"] for event in events if event["type"] == "tool_start"]]
    tools.append([call.output for call in tool_calls_of(turn)])
    ends = [at for at, event in enumerate(events, start=1) if event["type"] == "tool_complete"]
    came = "".join(event["text"] for event in events[max(ends, default=0) :] if event["type"] == "text_delta")
    return sum(before[left_out:]) + asked + estimate_tokens(tools) + estimate_tokens(CARD.sub("", came))


def _without_trace(turn: Turn, *, tokens: int) -> TraceRecord:
    if tokens:
        counted = f"About {tokens:,} tokens were counted for the model call that was lost."
    else:
        counted = NOT_COUNTED if is_demo() else NOT_SENT
    data = {"page": {"page": turn.page}, "dropped": [f"{NO_TRACE} {counted}"]}
    return TraceRecord(data=data, texts=TraceTexts(owner=turn.user_id))


def _history_of(events: list[Json]) -> list[Json]:
    """The tools that had completed, in the order of their cards; their outputs are lost but for recorded ones."""
    inputs = {event["tool_use_id"]: event["input"] for event in events if event["type"] == "tool_start"}
    return [
        {
            "tool_name": event["tool"],
            "input": inputs.get(event["tool_use_id"], {}),
            "output": "",
            "is_error": event["is_error"],
            "duration_ms": event["duration_ms"],
        }
        for event in events
        if event["type"] == "tool_complete"
    ]
