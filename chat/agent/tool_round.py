"""Run the tools of one iteration: reads concurrently, writes one by one, with events in the model's order."""
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
from chat.agent.reader_interface import Reader
from chat.agent.tool_runner import ToolCall, ToolRunner, cancel_running, is_json_serializable
from chat.agent.tools import ToolProgress
from chat.agent.transcript import Transcript

log = logging.getLogger(__name__)

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolRound:
    """Runs the tool calls of an iteration. `deadline`, in the clock's monotonic time, is that of the turn."""

    runner: ToolRunner
    reader: Reader
    transcript: Transcript
    clock: Clock
    deadline: float

    async def run(self, calls: list[ToolCall]) -> AsyncGenerator[AgentEvent, None]:
        """Run the calls and add their results to the transcript. Raises TimeoutError at the deadline."""
        before = self.reader.flush_whitespace()
        if before:
            yield self._text(before)
        for call in calls:
            self.runner.admit(call)
        for batch in batches(calls):
            async with aclosing(self._run_batch(batch)) as events:
                async for event in events:
                    yield event
        notes = [{"type": "text", "text": note} for note in self.reader.take_notes()]
        self.transcript.add_user_blocks([*(call.result for call in calls), *notes])

    async def _run_batch(self, calls: list[ToolCall]) -> AsyncGenerator[AgentEvent, None]:
        """Run calls concurrently. Their completions are yielded in the order of the calls."""
        steps: asyncio.Queue[tuple[ToolCall, ToolProgress | None]] = asyncio.Queue()
        for call in calls:
            yield AgentToolStart(tool=call.name, input=call.input, tool_use_id=call.tool_use_id)
        running = [self.runner.start(call, report=_reporter(steps, call)) for call in calls if call.tool is not None]
        ended = {call for call in calls if call.tool is None}
        shown = 0
        try:
            while True:
                while shown < len(calls) and calls[shown] in ended:
                    for event in self._complete(calls[shown]):
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
            await cancel_running(running)

    def _complete(self, call: ToolCall) -> tuple[AgentToolComplete, AgentTextDelta]:
        """Add an ended call to the transcript, and return its event and the mark for its card."""
        self.runner.truncate_output(call)
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
        return complete, self._text(self.reader.tool_mark(index))

    def _text(self, text: str) -> AgentTextDelta:
        return AgentTextDelta(self.transcript.show(text))


def batches(calls: Iterable[ToolCall]) -> Iterator[list[ToolCall]]:
    """Yield the calls in their order, in batches to run concurrently: successive reads, or one write."""
    batch: list[ToolCall] = []
    for call in calls:
        if call.writes:
            if batch:
                yield batch
            yield [call]
            batch = []
        else:
            batch.append(call)
    if batch:
        yield batch


def tool_calls_of(stop: Stop) -> list[ToolCall]:
    """Return the tool uses of a model call, in the order of its blocks."""
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


def _reporter(
    steps: asyncio.Queue[tuple[ToolCall, ToolProgress | None]], call: ToolCall
) -> Callable[[ToolProgress | None], None]:
    return lambda step: steps.put_nowait((call, step))


def _progress(call: ToolCall, step: ToolProgress) -> AgentToolProgress:
    fits = is_json_serializable(step.data)
    if not fits:
        log.warning("tool %s returned data that is not JSON", call.name)
    return AgentToolProgress(
        tool=call.name,
        tool_use_id=call.tool_use_id,
        stage=str(step.stage),
        message=str(step.message),
        progress=_clamped(step.progress),
        data=step.data if fits else None,
    )


def _clamped(progress: Any) -> float | None:
    """Return the progress that a tool reports, limited to 0–1, or None if it is not a number."""
    if not isinstance(progress, int | float) or isinstance(progress, bool):
        return None
    # Both comparisons are false for NaN.
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
