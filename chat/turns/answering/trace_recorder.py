"""Record the trace of a turn, for administrators of the assistant."""
from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import AgentEvent, AgentResult, AgentToolComplete, AgentToolStart
from chat.agent.transcript import CallRecord, Transcript
from chat.services import TraceRecord, TraceTexts
from chat.turns.page import Snapshot
from chat.turns.prompt.assembly import TurnPrompt

log = logging.getLogger(__name__)

Json = dict[str, Any]

# Messages of a conversation that share one name in traces, or each trace would grow with the conversation. Smaller
# stretches need more names; larger ones leave more messages outside of a complete stretch.
STRETCH = 32


class TraceRecorder:
    """Records one turn. Times are milliseconds since its creation."""

    def __init__(self, *, clock: Clock, transcript: Transcript) -> None:
        self.turn_prompt: TurnPrompt | None = None
        self._clock = clock
        self._began = clock.monotonic()
        self._transcript = transcript
        self._tool_starts: dict[str, int] = {}
        self._tools: list[Json] = []

    def note(self, event: AgentEvent) -> None:
        """Note when tools start and end."""
        if isinstance(event, AgentToolStart):
            self._tool_starts[event.tool_use_id] = self._milliseconds(self._clock.monotonic())
        elif isinstance(event, AgentToolComplete):
            began = self._tool_starts.get(event.tool_use_id)
            self._tools.append({"index": event.index, "began_ms": began})

    def record(self, result: AgentResult, *, snapshot: Snapshot) -> TraceRecord | None:
        """Return the trace of the ended turn. Its cost grows with the length of the prompt."""
        try:
            return self._record(result, snapshot=snapshot)
        except Exception:
            # A failure here must not lose the answer.
            log.exception("could not store the trace of turn %s", snapshot.turn.pk)
            return None

    def _record(self, result: AgentResult, *, snapshot: Snapshot) -> TraceRecord:
        stored = self.turn_prompt.history.stored if self.turn_prompt is not None else None
        texts = TraceTexts(owner=snapshot.turn.user_id, stored=stored)
        data: Json = {
            "page": _page(snapshot),
            "model": snapshot.turn.model,
            "configuration": snapshot.page.catalogue.version,
            "ended_ms": self._milliseconds(self._clock.monotonic()),
            "calls": self._calls(texts),
            "tools": self._tools,
            "dropped": [*self._hidden_texts(), *result.elements.notes],
            "stop_reason": result.stop_reason,
        }
        if self.turn_prompt is not None:
            data |= _prompt(self.turn_prompt, texts)
        return TraceRecord(data=data, texts=texts)

    def _calls(self, texts: TraceTexts) -> list[Json]:
        """Return the calls, each with only those messages that differ from the call before."""
        calls: list[Json] = []
        before: list[str] = []
        for call in self._transcript.calls:
            sent = [self._name_of(message, texts=texts) for message in call.messages]
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, sent, strict=False)))
            new = _in_stretches(sent[same:], texts=texts)
            calls.append({"same": same, **new, **self._facts(call), "answer": texts.add(_answer(call))})
            before = sent
        return calls

    def _name_of(self, message: Json, *, texts: TraceTexts) -> str:
        """Return the hash of a message. Messages of the history are hashed only once."""
        known = self.turn_prompt.history.names if self.turn_prompt is not None else {}
        name = known.get(id(message))
        if name is None:
            return texts.add(_without_cache_control(message))
        known[id(message)] = name = texts.add_lasting(message, name=name)
        return name

    def _facts(self, call: CallRecord) -> Json:
        return {
            "kind": call.kind,
            "stop_reason": call.stop_reason,
            "usage": call.usage,
            "retries": call.retries,
            "began_ms": self._milliseconds(call.started),
            "first_token_ms": None if call.first_token is None else self._milliseconds(call.first_token),
            "ended_ms": None if call.ended is None else self._milliseconds(call.ended),
        }

    def _hidden_texts(self) -> list[str]:
        """Return texts to the model, other than tool results, that the user did not see."""
        messages = [message for message in self._transcript.exchange if message["role"] == "user"]
        return [block["text"] for message in messages for block in message["content"] if block["type"] == "text"]

    def _milliseconds(self, moment: float) -> int:
        return round((moment - self._began) * 1000)


def _page(snapshot: Snapshot) -> Json:
    page_entries, context = snapshot.page.entries, snapshot.turn.context
    return {
        "page": page_entries.config.page,
        "tab": str(context.get("active_tab") or ""),
        "subtab": str(context.get("active_subtab") or ""),
        "object_id": snapshot.page.context.object_id,
        "tools": [tool.name for tool in page_entries.tools],
        "payload_types": [entry.name for entry in page_entries.payload_types],
        "client_actions": [entry.action for entry in page_entries.client_actions],
    }


def _prompt(turn_prompt: TurnPrompt, texts: TraceTexts) -> Json:
    """Return the sections: those of the system prompt by text, those of the turn by their index in its message."""
    system = [
        {"number": section.number, "title": section.title, "text": texts.add(section.text, shared=True)}
        for section in turn_prompt.sections
    ]
    of_turn = [{"number": 4 + at, "title": title, "block": at} for at, title in enumerate(turn_prompt.turn_sections)]
    return {
        "sections": sorted([*system, *of_turn], key=lambda section: section["number"]),
        "turn_message": texts.add(_without_cache_control(turn_prompt.request.messages[-1])),
        "declared_tools": texts.add(list(turn_prompt.tools), shared=True),
        "turns_left_out": turn_prompt.turns_left_out,
    }


def _in_stretches(names: list[str], *, texts: TraceTexts) -> Json:
    """Return the names of sent messages: first complete `stretches`, then the others one by one.

    The last message belongs to this turn and is in no stretch, so that the next turn has the same stretches.
    """
    whole = max(0, len(names) - 1) // STRETCH * STRETCH
    stretches = [texts.add_lasting(names[start : start + STRETCH]) for start in range(0, whole, STRETCH)]
    return {"stretches": stretches, "then": names[whole:]}


def _answer(call: CallRecord) -> Json:
    blocks: Sequence[Json] = call.blocks or ([{"type": "text", "text": call.text}] if call.text else [])
    return {"role": "assistant", "content": list(blocks)}


def _without_cache_control(message: Json) -> Json:
    """Return the message without cache marks, which differ from turn to turn."""
    blocks = [{name: value for name, value in block.items() if name != "cache_control"} for block in message["content"]]
    return {"role": message["role"], "content": blocks}
