"""The tools of one iteration: run in the model's order, shown to the person, answered to the model."""
from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import AgentEvent, AgentTextDelta, AgentToolComplete, AgentToolStart
from chat.agent.model import Stop
from chat.agent.reading import Reading
from chat.agent.toolrun import ToolCall, ToolRunner
from chat.agent.transcript import Transcript

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolRound:
    """Runs the calls of an iteration; `deadline` is the turn's, on the clock's monotonic time."""

    runner: ToolRunner
    reading: Reading
    transcript: Transcript
    clock: Clock
    deadline: float

    async def run(self, calls: list[ToolCall]) -> AsyncGenerator[AgentEvent, None]:
        """One tool after another, in the model's order; the results go back to the model."""
        before = self.reading.before_tools()
        if before:
            yield self._text(before)
        for call in calls:
            yield AgentToolStart(tool=call.name, input=call.input, tool_use_id=call.tool_use_id)
            seconds = self.deadline - self.clock.monotonic()
            async with aclosing(self.runner.run(call, seconds=seconds)) as steps:
                async for step in steps:
                    yield step
            index = len(self.transcript.tool_history)
            self.transcript.tool_history.append(_history_entry(call))
            if call.payload is not None:
                self.transcript.tool_payloads.append(call.payload)
            yield AgentToolComplete(
                tool=call.name,
                tool_use_id=call.tool_use_id,
                index=index,
                is_error=call.is_error,
                duration_ms=call.duration_ms,
                output=call.text,
                payload=call.payload,
                undo=call.undo,
            )
            yield self._text(self.reading.tool_mark(index))
        notes = [{"type": "text", "text": note} for note in self.reading.take_notes()]
        self.transcript.tell([*(call.result for call in calls), *notes])

    def _text(self, text: str) -> AgentTextDelta:
        return AgentTextDelta(self.transcript.show(text))


def tool_calls_of(stop: Stop) -> list[ToolCall]:
    """The tool uses of a finished call, in the order of its blocks."""
    return [
        ToolCall(
            name=block["name"],
            tool_use_id=block["id"],
            input=block["input"],
            bad_input=stop.bad_inputs.get(block["id"], ""),
        )
        for block in stop.blocks
        if block["type"] == "tool_use"
    ]


def _history_entry(call: ToolCall) -> Json:
    entry: Json = {
        "tool_name": call.name,
        "input": call.input,
        "output": call.text,
        "is_error": call.is_error,
        "duration_ms": call.duration_ms,
    }
    return {**entry, "undo": call.undo} if call.undo is not None else entry
