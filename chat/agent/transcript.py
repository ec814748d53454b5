"""The transcript of a turn so far, which can be read at any time, also after a failure."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.agent.events import AgentResult, Elements
from chat.agent.message_history import complete_exchange
from chat.agent.model import Stop, TextBuffer
from shared.user_messages import Message

Json = dict[str, Any]

REPAIR = "repair"


@dataclass
class CallRecord:
    """One model call. `kind` is "answer", "repair" or "continuation". `messages` are those that were sent.

    `started`, `first_token` and `ended` are times of the turn's clock in seconds, or None. `stop_reason` is "" for a
    call that ended without one. `blocks` are empty for a call that failed; `text` has its text as well.
    """

    kind: str
    messages: tuple[Json, ...]
    started: float
    first_token: float | None = None
    ended: float | None = None
    stop_reason: str = ""
    blocks: tuple[Json, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    _text: TextBuffer = field(default_factory=TextBuffer)

    def add_text(self, text: str, *, at: float) -> None:
        """Add text that has arrived."""
        if self.first_token is None:
            self.first_token = at
        self._text.add(text)

    @property
    def text(self) -> str:
        """All text of the call as the model wrote it."""
        return str(self._text)


class Transcript:
    """The transcript of one turn. After a cancellation of the agent it has the result."""

    def __init__(self) -> None:
        self.exchange: list[Json] = []
        self.tool_history: list[Json] = []
        self.tool_payloads: list[Json] = []
        self.calls: list[CallRecord] = []
        self.usage = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0}
        self.closing: Message | None = None
        self._shown = TextBuffer()
        self._open_call: CallRecord | None = None

    def start_call(self, *, kind: str, messages: Sequence[Json], at: float) -> CallRecord:
        """Start the record of a model call. Its text is added to the record, its end with `end_call`."""
        record = CallRecord(kind=kind, messages=tuple(messages), started=at)
        self.calls.append(record)
        # A repair is not part of the answer.
        self._open_call = record if kind != REPAIR else None
        return record

    def end_call(self, stop: Stop, *, at: float) -> None:
        """End the record of the call. `stop` is empty if the call failed."""
        record = self.calls[-1]
        record.ended, record.stop_reason = at, stop.stop_reason
        record.blocks, record.usage = stop.blocks, dict(stop.usage)

    def show(self, text: str) -> str:
        """Add text that the user sees, and return it."""
        self._shown.add(text)
        return text

    def add_answer(self, blocks: Sequence[Json]) -> None:
        """Add the blocks of the call that has ended."""
        self._open_call = None
        content = [block for block in blocks if _can_be_sent(block)]
        if not content:
            return
        if self.exchange and self.exchange[-1]["role"] == "assistant":
            content = _join(self.exchange.pop()["content"], content)
        self.exchange.append({"role": "assistant", "content": content})

    def remove_end(self, characters: int) -> None:
        """Remove this number of characters from the end of the last answer's text."""
        content = list(self.exchange.pop()["content"]) if self.exchange else []
        while characters and content and content[-1]["type"] == "text":
            text = content.pop()["text"]
            rest, characters = text[: max(0, len(text) - characters)], max(0, characters - len(text))
            if rest.strip():
                content.append({"type": "text", "text": rest})
        if content:
            self.exchange.append({"role": "assistant", "content": content})

    def add_user_blocks(self, blocks: Sequence[Json]) -> None:
        """Add a message to the model: tool results and notes."""
        self.exchange.append({"role": "user", "content": list(blocks)})

    def add_usage(self, usage: dict[str, int]) -> None:
        """Add the tokens of a call."""
        for name in self.usage:
            self.usage[name] += usage.get(name, 0)

    @property
    def pending_text(self) -> str:
        """All text of the running call as the model wrote it; "" during a repair."""
        return self._open_call.text if self._open_call is not None else ""

    @property
    def ends_with_text(self) -> bool:
        """Whether the last answer ends with text that can be continued."""
        if not self.exchange or self.exchange[-1]["role"] != "assistant":
            return False
        return bool(self.exchange[-1]["content"][-1]["type"] == "text")

    @property
    def message(self) -> str:
        """All text shown so far."""
        return str(self._shown)

    def result(self, *, stop_reason: str, elements: Elements | None = None) -> AgentResult:
        """Return the result of the turn so far, with a valid exchange in any state."""
        exchange = list(self.exchange)
        if self.pending_text.strip():
            exchange.append({"role": "assistant", "content": [{"type": "text", "text": self.pending_text}]})
        return AgentResult(
            message=self.message,
            closing=self.closing,
            exchange=tuple(complete_exchange(exchange)),
            elements=elements or Elements(),
            tool_history=tuple(self.tool_history),
            tool_payloads=tuple(self.tool_payloads),
            usage=dict(self.usage),
            stop_reason=stop_reason,
        )


def _can_be_sent(block: Json) -> bool:
    """Whether the API accepts the block in a request: it refuses empty text and unsigned thinking."""
    if block["type"] == "text":
        return bool(block["text"].strip())
    return block["type"] != "thinking" or bool(block.get("signature"))


def _join(before: Sequence[Json], after: Sequence[Json]) -> list[Json]:
    """Join the blocks of an answer and of its continuation."""
    if before[-1]["type"] == after[0]["type"] == "text":
        text = {"type": "text", "text": before[-1]["text"] + after[0]["text"]}
        return [*before[:-1], text, *after[1:]]
    return [*before, *after]
