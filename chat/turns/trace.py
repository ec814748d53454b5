"""What is noted of a turn while it runs, for those who look after the assistant, and the record that becomes of it."""
from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import AgentEvent, AgentResult, AgentToolComplete, AgentToolStart
from chat.agent.transcript import CallRecord, Transcript
from chat.services import TraceRecord, TraceTexts
from chat.turns.assemble import Assembled
from chat.turns.snapshot import Snapshot

log = logging.getLogger(__name__)

Json = dict[str, Any]

# So many messages of a conversation are named by one name: were each trace to name them all, it would grow with every
# turn. Fewer would leave more names, more would leave more that are not in a whole stretch yet.
STRETCH = 32


class Watch:
    """Watches one turn; times are milliseconds since it was made."""

    def __init__(self, *, clock: Clock, transcript: Transcript) -> None:
        self.assembled: Assembled | None = None
        self._clock = clock
        self._began = clock.monotonic()
        self._transcript = transcript
        self._tools_began: dict[str, int] = {}
        self._tools: list[Json] = []

    def note(self, event: AgentEvent) -> None:
        """Notes when tools ran."""
        if isinstance(event, AgentToolStart):
            self._tools_began[event.tool_use_id] = self._milliseconds(self._clock.monotonic())
        elif isinstance(event, AgentToolComplete):
            began = self._tools_began.get(event.tool_use_id)
            self._tools.append({"index": event.index, "began_ms": began})

    def record(self, result: AgentResult, *, snapshot: Snapshot) -> TraceRecord | None:
        """The trace of the turn as it has ended; takes time with the length of what was sent."""
        try:
            return self._record(result, snapshot=snapshot)
        except Exception:
            # An answer is not lost for want of its diagnostics.
            log.exception("turn %s has no trace", snapshot.turn.pk)
            return None

    def _record(self, result: AgentResult, *, snapshot: Snapshot) -> TraceRecord:
        stored = self.assembled.past.stored if self.assembled is not None else None
        texts = TraceTexts(owner=snapshot.turn.user_id, stored=stored)
        data: Json = {
            "page": _page(snapshot),
            "model": snapshot.turn.model,
            "configuration": snapshot.page.catalogue.version,
            "ended_ms": self._milliseconds(self._clock.monotonic()),
            "calls": self._calls(texts),
            "tools": self._tools,
            "dropped": [*self._told_on_the_way(), *result.elements.notes],
            "stop_reason": result.stop_reason,
        }
        if self.assembled is not None:
            data |= _prompt(self.assembled, texts)
        return TraceRecord(data=data, texts=texts)

    def _calls(self, texts: TraceTexts) -> list[Json]:
        """The calls; of the messages of each only those that differ from the call before."""
        calls: list[Json] = []
        before: list[str] = []
        for call in self._transcript.calls:
            sent = [self._name_of(message, texts=texts) for message in call.messages]
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, sent, strict=False)))
            new = _in_stretches(sent[same:], texts=texts)
            calls.append({"same": same, **new, **self._facts(call), "answer": texts.keep(_answer(call))})
            before = sent
        return calls

    def _name_of(self, message: Json, *, texts: TraceTexts) -> str:
        """The hash of a message as it was sent; of the past each is taken once, not with every turn."""
        known = self.assembled.past.names if self.assembled is not None else {}
        name = known.get(id(message))
        if name is None:
            return texts.keep(_without_marks(message))
        known[id(message)] = name = texts.keep_lasting(message, name=name)
        return name

    def _facts(self, call: CallRecord) -> Json:
        return {
            "kind": call.kind,
            "stop_reason": call.stop_reason,
            "usage": call.usage,
            "retries": call.retries,
            "began_ms": self._milliseconds(call.began),
            "first_token_ms": None if call.first_token is None else self._milliseconds(call.first_token),
            "ended_ms": None if call.ended is None else self._milliseconds(call.ended),
        }

    def _told_on_the_way(self) -> list[str]:
        """What the model was told, beside the results of its tools, that the person was not shown."""
        messages = [message for message in self._transcript.exchange if message["role"] == "user"]
        return [block["text"] for message in messages for block in message["content"] if block["type"] == "text"]

    def _milliseconds(self, moment: float) -> int:
        return round((moment - self._began) * 1000)


def _page(snapshot: Snapshot) -> Json:
    reach, asked = snapshot.page.reach, snapshot.turn.context
    return {
        "page": reach.config.page,
        "tab": str(asked.get("active_tab") or ""),
        "subtab": str(asked.get("active_subtab") or ""),
        "object_id": snapshot.page.context.object_id,
        "tools": [tool.name for tool in reach.tools],
        "payload_types": [entry.name for entry in reach.payload_types],
        "client_actions": [entry.action for entry in reach.client_actions],
    }


def _prompt(assembled: Assembled, texts: TraceTexts) -> Json:
    """The sections: those of the system prompt by their texts, those of the turn by their place in its message."""
    system = [
        {"number": section.number, "title": section.title, "text": texts.keep(section.text, shared=True)}
        for section in assembled.sections
    ]
    of_turn = [{"number": 4 + at, "title": title, "block": at} for at, title in enumerate(assembled.turn_sections)]
    return {
        "sections": sorted([*system, *of_turn], key=lambda section: section["number"]),
        "turn_message": texts.keep(_without_marks(assembled.request.messages[-1])),
        "declared_tools": texts.keep(list(assembled.tools), shared=True),
        "turns_left_out": assembled.turns_left_out,
    }


def _in_stretches(names: list[str], *, texts: TraceTexts) -> Json:
    """The names of messages that were sent: first `stretches` of so many, then each of the others. The last one is the
    turn's own, and stands in none: the next turn shall find the same stretches."""
    whole = max(0, len(names) - 1) // STRETCH * STRETCH
    stretches = [texts.keep_lasting(names[start : start + STRETCH]) for start in range(0, whole, STRETCH)]
    return {"stretches": stretches, "then": names[whole:]}


def _answer(call: CallRecord) -> Json:
    blocks: Sequence[Json] = call.blocks or ([{"type": "text", "text": call.raw}] if call.raw else [])
    return {"role": "assistant", "content": list(blocks)}


def _without_marks(message: Json) -> Json:
    """The message without cache marks, which move on from turn to turn and are no part of what is said."""
    blocks = [{name: value for name, value in block.items() if name != "cache_control"} for block in message["content"]]
    return {"role": message["role"], "content": blocks}
