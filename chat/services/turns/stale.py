"""End of turns whose process has died; the answer is reconstructed from the stored events and tool calls."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from chat.models import Turn
from chat.models.conversations import CARD
from chat.prompt import estimate_tokens, tokens_of_turn, turns_left_out
from chat.provider.configured import local_model
from chat.selectors import branch_ids, branch_sizes, stored_events, tool_calls_of
from chat.selectors.configuration.catalogue import current_catalogue
from chat.services.traces import TraceRecord, TraceTexts
from chat.services.turns.end import Ending, end_turn
from chat.stream import error_event
from shared.user_messages import Message, declare

log = logging.getLogger(__name__)
STALE_AFTER = timedelta(seconds=30)
INTERRUPTED = declare(
    "answer_interrupted", "The answer was interrupted because the server stopped. Please send your message again."
)
INTERRUPTED_CODE = "interrupted"
# Clients may have received events of the lost process that were not stored, and continue after their numbers.
MAX_UNSTORED_EVENTS = 100_000
NO_TRACE = "No trace was stored, because the server process stopped during this turn."
NOT_SENT = "No request was sent to the model."
NOT_COUNTED = "Calls of the demo model use no tokens."

Json = dict[str, Any]


def end_stale_turns(*, user: Any = None, now: datetime) -> None:
    """End turns without a heartbeat for 30 s, of one user or of all, and store the sent parts of their answers."""
    stale = Turn.objects.filter(state=Turn.State.RUNNING, heartbeat_at__lt=now - STALE_AFTER)
    if user is not None:
        stale = stale.filter(user=user)
    for turn in stale:
        events = stored_events(turn)
        ending = _reconstruct_ending(turn, events=events)
        message_id = str(ending.message_id)
        final = error_event(code=INTERRUPTED_CODE, message=INTERRUPTED(), retryable=True, message_id=message_id)
        number = len(events) + MAX_UNSTORED_EVENTS
        if end_turn(turn_id=turn.pk, ending=ending, final=(number, final), now=now):
            log.warning("turn %s ended as interrupted: its process has sent no heartbeat for half a minute", turn.pk)


def _reconstruct_ending(turn: Turn, *, events: list[Json]) -> Ending:
    text = "".join(event["text"] for event in events if event["type"] == "text_delta").strip()
    history = _history_of(events)
    notes = []
    for call in tool_calls_of(turn):
        open_entries = (e for e in history if e["tool_name"] == call.tool and "undo" not in e and not e["is_error"])
        entry = next(open_entries, None)
        if entry is None:
            entry = {"tool_name": call.tool, "input": call.input, "is_error": False, "duration_ms": 0}
            history.append(entry)
            text = f"{text}\n\n[[tool:{len(history) - 1}]]".lstrip()
        entry.update(output=call.output, undo=call.undo)
        notes.append(f"{call.tool} took effect before the turn broke off: {call.output}")
    words = CARD.sub("", text).strip()
    tokens = 0 if local_model() else _tokens_of_last_call(turn, events=events)
    return Ending(
        state=Turn.State.ERROR,
        text=text,
        closing=_closing_of(events),
        exchange=[{"role": "assistant", "content": [{"type": "text", "text": words}]}] if words else [],
        tool_history=history,
        notes=notes,
        tokens=tokens,
        trace=lambda: _placeholder_trace(turn, tokens=tokens),
        error_code=INTERRUPTED_CODE,
        error=INTERRUPTED(),
        error_retryable=True,
    )


def _closing_of(events: list[Json]) -> Message | None:
    """Return the application's message at the end of the text, None if there is none."""
    return next((Message.from_json(event["closing"]) for event in reversed(events) if event.get("closing")), None)


def _tokens_of_last_call(turn: Turn, *, events: list[Json]) -> int:
    """Return an estimate of the tokens of the last model call; earlier calls were counted when it started.

    The estimate includes the history, the message, inputs and recorded outputs of tools, and the streamed text, but
    not the system prompt. Without an event, no request had been sent.
    """
    if not events:
        return 0
    branch = branch_ids(turn.conversation, leaf_id=turn.user_message_id)
    sizes = [tokens_of_turn(each.sizes) for each in branch_sizes(branch)]
    *before, current = sizes or [0]
    left_out = turns_left_out(before, budget_tokens=current_catalogue().engine.history_tokens)
    tools = [[event["input"] for event in events if event["type"] == "tool_start"]]
    tools.append([call.output for call in tool_calls_of(turn)])
    ends = [n for n, event in enumerate(events, start=1) if event["type"] == "tool_complete"]
    text = "".join(event["text"] for event in events[max(ends, default=0) :] if event["type"] == "text_delta")
    return sum(before[left_out:]) + current + estimate_tokens(tools) + estimate_tokens(CARD.sub("", text))


def _placeholder_trace(turn: Turn, *, tokens: int) -> TraceRecord:
    if tokens:
        counted = f"About {tokens:,} tokens were counted for the interrupted model call."
    else:
        counted = NOT_COUNTED if local_model() else NOT_SENT
    data = {"page": {"page": turn.page}, "dropped": [f"{NO_TRACE} {counted}"]}
    return TraceRecord(data=data, texts=TraceTexts(owner=turn.user_id))


def _history_of(events: list[Json]) -> list[Json]:
    """Return the completed tool calls in the order of their cards; only outputs of recorded calls are known."""
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
