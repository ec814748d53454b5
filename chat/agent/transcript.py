"""What has been said and done in a turn so far: readable at any moment, also when the turn breaks off."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.agent.events import AgentResult, Elements
from chat.agent.message_history import ended
from chat.agent.model import Stop
from chat.agent.text_buffer import GrowingText
from user_messages import Message

Json = dict[str, Any]

REPAIR = "repair"


@dataclass
class CallRecord:
    """One model call. `kind` is "answer", "repair" or "continuation"; `messages` are as they were sent.

    `began`, `first_token` and `ended` are readings of the turn's clock in seconds; None for what never came.
    `stop_reason` is "" for a call that ended without one. `blocks` are as the model wrote them, empty for a call that
    failed; `raw` holds the text of both.
    """

    kind: str
    messages: tuple[Json, ...]
    began: float
    first_token: float | None = None
    ended: float | None = None
    stop_reason: str = ""
    blocks: tuple[Json, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    _text: GrowingText = field(default_factory=GrowingText)

    def hear(self, text: str, *, at: float) -> None:
        """Text as it arrives."""
        if self.first_token is None:
            self.first_token = at
        self._text.add(text)

    @property
    def raw(self) -> str:
        """All text of the call, as the model wrote it."""
        return str(self._text)


class Transcript:
    """Written by the loop; whoever cancels the loop reads the result from it."""

    def __init__(self) -> None:
        self.exchange: list[Json] = []
        self.tool_history: list[Json] = []
        self.tool_payloads: list[Json] = []
        self.calls: list[CallRecord] = []
        self.usage = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0}
        self.closing: Message | None = None
        self._shown = GrowingText()
        self._unanswered: CallRecord | None = None

    def begin_call(self, *, kind: str, messages: Sequence[Json], at: float) -> CallRecord:
        """A model call is made now. Its text is given to the record's `hear`, its end to `end_call`."""
        record = CallRecord(kind=kind, messages=tuple(messages), began=at)
        self.calls.append(record)
        # What is written once more is no part of what is said.
        self._unanswered = record if kind != REPAIR else None
        return record

    def end_call(self, stop: Stop, *, at: float) -> None:
        """The running call is over; an empty stop is one that broke off."""
        record = self.calls[-1]
        record.ended, record.stop_reason = at, stop.stop_reason
        record.blocks, record.usage = stop.blocks, dict(stop.usage)

    def show(self, text: str) -> str:
        """Text that goes to the person; given back for sending."""
        self._shown.add(text)
        return text

    def answer(self, blocks: Sequence[Json]) -> None:
        """The running call is over with these blocks."""
        self._unanswered = None
        content = [block for block in blocks if _can_be_sent(block)]
        if not content:
            return
        if self.exchange and self.exchange[-1]["role"] == "assistant":
            content = _joined(self.exchange.pop()["content"], content)
        self.exchange.append({"role": "assistant", "content": content})

    def take_back(self, characters: int) -> None:
        """Forgets so many characters at the end of the last answer's text."""
        content = list(self.exchange.pop()["content"]) if self.exchange else []
        while characters and content and content[-1]["type"] == "text":
            text = content.pop()["text"]
            kept, characters = text[: max(0, len(text) - characters)], max(0, characters - len(text))
            if kept.strip():
                content.append({"type": "text", "text": kept})
        if content:
            self.exchange.append({"role": "assistant", "content": content})

    def tell(self, blocks: Sequence[Json]) -> None:
        """Tool results, and notes after them, go back to the model."""
        self.exchange.append({"role": "user", "content": list(blocks)})

    def count(self, usage: dict[str, int]) -> None:
        """Adds the tokens of a call."""
        for name in self.usage:
            self.usage[name] += usage.get(name, 0)

    @property
    def heard(self) -> str:
        """All text of the running call, as the model wrote it; of one that writes a payload once more, none."""
        return self._unanswered.raw if self._unanswered is not None else ""

    @property
    def ends_with_text(self) -> bool:
        """Whether the last answer has text that could be gone on with."""
        if not self.exchange or self.exchange[-1]["role"] != "assistant":
            return False
        return bool(self.exchange[-1]["content"][-1]["type"] == "text")

    @property
    def message(self) -> str:
        """All text shown so far."""
        return str(self._shown)

    def result(self, *, stop_reason: str, elements: Elements | None = None) -> AgentResult:
        """What the turn has come to, with a valid exchange whatever state it is in."""
        exchange = list(self.exchange)
        if self.heard.strip():
            exchange.append({"role": "assistant", "content": [{"type": "text", "text": self.heard}]})
        return AgentResult(
            message=self.message,
            closing=self.closing,
            exchange=tuple(ended(exchange)),
            elements=elements or Elements(),
            tool_history=tuple(self.tool_history),
            tool_payloads=tuple(self.tool_payloads),
            usage=dict(self.usage),
            stop_reason=stop_reason,
        )


def _can_be_sent(block: Json) -> bool:
    """Whether the API accepts the block in the next request: it refuses empty text, and thinking that is not signed."""
    if block["type"] == "text":
        return bool(block["text"].strip())
    return block["type"] != "thinking" or bool(block.get("signature"))


def _joined(before: Sequence[Json], after: Sequence[Json]) -> list[Json]:
    """Blocks of an answer and of what went on from it, as if it had been one."""
    if before[-1]["type"] == after[0]["type"] == "text":
        text = {"type": "text", "text": before[-1]["text"] + after[0]["text"]}
        return [*before[:-1], text, *after[1:]]
    return [*before, *after]
