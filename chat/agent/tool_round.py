"""The tools of one iteration: reads beside each other, writes one by one, shown and answered in the model's order."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import AgentEvent, AgentTextDelta, AgentToolComplete, AgentToolProgress, AgentToolStart
from chat.agent.model import Stop
from chat.agent.reader_interface import Reading
from chat.agent.tool_runner import ToolCall, ToolRunner, is_json, told_to_stop
from chat.agent.tools import ToolProgress
from chat.agent.transcript import Transcript

log = logging.getLogger(__name__)

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
        """Runs the calls; their results go back to the model. Raises TimeoutError at the deadline."""
        before = self.reading.before_tools()
        if before:
            yield self._text(before)
        for call in calls:
            self.runner.admit(call)
        for beside in batches(calls):
            async with aclosing(self._run_beside(beside)) as events:
                async for event in events:
                    yield event
        notes = [{"type": "text", "text": note} for note in self.reading.take_notes()]
        self.transcript.tell([*(call.result for call in calls), *notes])

    async def _run_beside(self, calls: list[ToolCall]) -> AsyncGenerator[AgentEvent, None]:
        """Calls that run at the same time. They complete in their order: one that is quicker waits for those before."""
        steps: asyncio.Queue[tuple[ToolCall, ToolProgress | None]] = asyncio.Queue()
        for call in calls:
            yield AgentToolStart(tool=call.name, input=call.input, tool_use_id=call.tool_use_id)
        running = [self.runner.start(call, tell=_into(steps, call)) for call in calls if call.tool is not None]
        ended = {call for call in calls if call.tool is None}
        shown = 0
        try:
            while True:
                while shown < len(calls) and calls[shown] in ended:
                    for event in self._completed(calls[shown]):
                        yield event
                    shown += 1
                if shown == len(calls):
                    return
                async with self.clock.timeout(self.deadline - self.clock.monotonic()):
                    call, step = await steps.get()
                if step is None:
                    ended.add(call)
                elif call not in ended:
                    yield _progress(call, step)
        finally:
            await told_to_stop(running)

    def _completed(self, call: ToolCall) -> tuple[AgentToolComplete, AgentTextDelta]:
        """Puts the call on the record, and gives its end and the place of its card."""
        self.runner.close(call)
        index = len(self.transcript.tool_history)
        self.transcript.tool_history.append(_history_entry(call))
        if call.payload is not None:
            self.transcript.tool_payloads.append(call.payload)
        complete = AgentToolComplete(
            tool=call.name,
            tool_use_id=call.tool_use_id,
            index=index,
            is_error=call.is_error,
            duration_ms=call.duration_ms,
            output=call.text,
            payload=call.payload,
            undo=call.undo,
        )
        return complete, self._text(self.reading.tool_mark(index))

    def _text(self, text: str) -> AgentTextDelta:
        return AgentTextDelta(self.transcript.show(text))


def batches(calls: Iterable[ToolCall]) -> Iterator[list[ToolCall]]:
    """The calls in their order, cut so that those that only read run beside each other and one that writes alone."""
    beside: list[ToolCall] = []
    for call in calls:
        if call.writes:
            if beside:
                yield beside
            yield [call]
            beside = []
        else:
            beside.append(call)
    if beside:
        yield beside


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


def _into(
    steps: asyncio.Queue[tuple[ToolCall, ToolProgress | None]], call: ToolCall
) -> Callable[[ToolProgress | None], None]:
    return lambda step: steps.put_nowait((call, step))


def _progress(call: ToolCall, step: ToolProgress) -> AgentToolProgress:
    fits = is_json(step.data)
    if not fits:
        log.warning("tool %s reported data that is no JSON", call.name)
    return AgentToolProgress(
        tool=call.name,
        tool_use_id=call.tool_use_id,
        stage=str(step.stage),
        message=str(step.message),
        progress=_share(step.progress),
        data=step.data if fits else None,
    )


def _share(progress: Any) -> float | None:
    """From 0 to 1, whatever a tool reports; None for what is no number."""
    if not isinstance(progress, int | float) or isinstance(progress, bool):
        return None
    # Of not-a-number, neither holds.
    return max(0, min(progress, 1)) if progress >= 0 or progress < 0 else None


def _history_entry(call: ToolCall) -> Json:
    entry: Json = {
        "tool_name": call.name,
        "input": call.input,
        "output": call.text,
        "is_error": call.is_error,
        "duration_ms": call.duration_ms,
    }
    return {**entry, "undo": call.undo} if call.undo is not None else entry
