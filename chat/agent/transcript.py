"""What has been said and done in a turn so far: readable at any moment, also when the turn breaks off."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.agent.events import AgentResult, Elements
from chat.agent.exchange import ended

Json = dict[str, Any]


class Transcript:
    """Written by the loop; whoever cancels the loop reads the result from it."""

    def __init__(self) -> None:
        self.exchange: list[Json] = []
        self.tool_history: list[Json] = []
        self.tool_payloads: list[Json] = []
        self.usage = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0}
        self._shown: list[str] = []
        self._heard: list[str] = []

    def hear(self, text: str) -> None:
        """Text of the running call, as the model wrote it."""
        self._heard.append(text)

    def show(self, text: str) -> str:
        """Text that goes to the person; given back for sending."""
        self._shown.append(text)
        return text

    def answer(self, blocks: Sequence[Json]) -> None:
        """The running call is over with these blocks."""
        self._heard = []
        content = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
        if not content:
            return
        if self.exchange and self.exchange[-1]["role"] == "assistant":
            content = [*self.exchange.pop()["content"], *content]
        self.exchange.append({"role": "assistant", "content": content})

    def tell(self, blocks: Sequence[Json]) -> None:
        """Tool results, and notes after them, go back to the model."""
        self.exchange.append({"role": "user", "content": list(blocks)})

    def count(self, usage: dict[str, int]) -> None:
        """Adds the tokens of a call."""
        for name in self.usage:
            self.usage[name] += usage.get(name, 0)

    @property
    def message(self) -> str:
        """All text shown so far."""
        return "".join(self._shown)

    def result(self, *, stop_reason: str, elements: Elements | None = None) -> AgentResult:
        """What the turn has come to, with a valid exchange whatever state it is in."""
        exchange = list(self.exchange)
        heard = "".join(self._heard)
        if heard.strip():
            exchange.append({"role": "assistant", "content": [{"type": "text", "text": heard}]})
        return AgentResult(
            message=self.message,
            exchange=tuple(ended(exchange)),
            elements=elements or Elements(),
            tool_history=tuple(self.tool_history),
            tool_payloads=tuple(self.tool_payloads),
            usage=dict(self.usage),
            stop_reason=stop_reason,
        )
