"""The agent's loop: call the model, run its tools, go on until it has answered; knows neither HTTP nor the database."""
from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.clock import Clock, SystemClock
from chat.agent.events import (
    AgentComplete,
    AgentError,
    AgentEvent,
    AgentTextDelta,
    AgentThinking,
)
from chat.agent.exchange import without_tool_uses
from chat.agent.failures import RETRYABLE, SENTENCES, ModelFailure
from chat.agent.model import Model, Retrying, Stop, TextDelta
from chat.agent.reading import UNREADABLE, Reading, Verdict
from chat.agent.tool_round import ToolRound, tool_calls_of
from chat.agent.toolrun import RunTool, ToolRunner
from chat.agent.tools import ToolConfig
from chat.agent.transcript import Transcript

__all__ = ["AgentRequest", "CheckPayload", "Limits", "Transcript", "run_agent"]

log = logging.getLogger(__name__)

Json = dict[str, Any]
CheckPayload = Callable[[Json], Awaitable[Verdict]]
AllowCall = Callable[[], Awaitable[None]]
Offload = Callable[[Callable[[], Json | None]], Awaitable[Json | None]]

THINKING = "Thinking"
GOING_ON = "Reading the results"
CUT = "The answer was cut off before it was finished. Ask to go on, or ask for less at a time."
REFUSED = "The model declined to answer this. Try to put it differently."
SILENT = "The model gave no answer. Please try again."
HARD_CAP_ITERATIONS = 20
HARD_CAP_TOOL_CALLS = 50


@dataclass(frozen=True)
class Limits:
    """How much one turn may take. Seconds are wall clock; bytes are of tool output, in a whole turn."""

    max_iterations: int = 5
    max_tool_calls: int = 12
    call_seconds: float = 120.0
    turn_seconds: float = 300.0
    tool_output_bytes: int = 60_000


@dataclass(frozen=True)
class AgentRequest:
    """What the model is sent: `messages` end with the user's."""

    system: Sequence[Json]
    messages: Sequence[Json]
    max_tokens: int = 16_000


async def run_agent(
    *,
    model: Model,
    request: AgentRequest,
    tools: tuple[ToolConfig, ...],
    run_tool: RunTool,
    reading: Reading,
    transcript: Transcript,
    limits: Limits = Limits(),
    clock: Clock | None = None,
    check_payload: CheckPayload | None = None,
    allow_call: AllowCall | None = None,
    offload: Offload = asyncio.to_thread,
) -> AsyncGenerator[AgentEvent, None]:
    """One turn. Ends with AgentComplete or AgentError and raises nothing but CancelledError.

    `run_tool(tool, params, emit)` executes a tool; `check_payload(payload)` holds the chosen payload against the live
    data and answers what is wrong with it; `allow_call()` is asked before each model call and raises ModelFailure if
    there may be none; `offload` runs what takes long (a large proposal is parsed and checked)
    elsewhere. When cancelled, what had been said is in `transcript`.
    """
    clock = clock or SystemClock()
    deadline = clock.monotonic() + limits.turn_seconds
    runner = ToolRunner(
        tools=tools,
        run_tool=run_tool,
        clock=clock,
        most_calls=min(limits.max_tool_calls, HARD_CAP_TOOL_CALLS),
        budget=limits.tool_output_bytes,
    )
    turn = _Turn(
        model=model,
        request=request,
        tools=[tool.as_api() for tool in tools],
        tool_round=ToolRound(runner=runner, reading=reading, transcript=transcript, clock=clock, deadline=deadline),
        reading=reading,
        transcript=transcript,
        limits=limits,
        clock=clock,
        check_payload=check_payload,
        allow_call=allow_call,
        offload=offload,
        deadline=deadline,
    )
    try:
        async with aclosing(turn.run()) as events:
            async for event in events:
                yield event
    except Exception as error:
        rest = reading.end_call(tool_use=False, cut=True)
        if rest:
            yield AgentTextDelta(transcript.show(rest))
        yield _final_error(error, transcript=transcript)


def _final_error(error: Exception, *, transcript: Transcript) -> AgentError:
    """The one event a failed turn ends with; what nobody expected is logged."""
    if isinstance(error, ModelFailure) and error.code != "internal":
        code, message = error.code, error.message
    elif isinstance(error, TimeoutError):
        code, message = "timeout", SENTENCES["timeout"]
    else:
        code, message = "internal", _logged(error)
    return AgentError(
        code=code,
        message=message,
        retryable=code in RETRYABLE,
        retry_after=error.retry_after if isinstance(error, ModelFailure) else None,
        result=transcript.result(stop_reason=code),
    )


def _logged(error: Exception) -> str:
    """Logs what happened under an id; the answer is the sentence for the person that names the id."""
    log_id = uuid.uuid4().hex[:8]
    log.error("a turn failed, log id %s", log_id, exc_info=error)
    return f"{SENTENCES['internal']} It is logged as {log_id}."


@dataclass(frozen=True, kw_only=True)
class _Turn:
    model: Model
    request: AgentRequest
    tools: list[Json]
    tool_round: ToolRound
    reading: Reading
    transcript: Transcript
    limits: Limits
    clock: Clock
    check_payload: CheckPayload | None
    allow_call: AllowCall | None
    offload: Offload
    deadline: float

    async def run(self) -> AsyncGenerator[AgentEvent, None]:
        iterations = max(1, min(self.limits.max_iterations, HARD_CAP_ITERATIONS))
        stop = Stop(stop_reason="")
        for iteration in range(iterations):
            last = iteration == iterations - 1 or self.tool_round.runner.exhausted
            yield AgentThinking(GOING_ON if self.transcript.tool_history else THINKING)
            async with aclosing(self._call(last=last)) as events:
                async for event in events:
                    if isinstance(event, Stop):
                        stop = event
                    else:
                        yield event
            self.transcript.count(stop.usage)
            if stop.stop_reason == "pause_turn" and not last:
                self.transcript.answer(stop.blocks)
                continue
            calls = tool_calls_of(stop) if stop.stop_reason == "tool_use" and not last else []
            rest = self.reading.end_call(tool_use=bool(calls), cut=_is_cut(stop))
            if rest:
                yield self._text(rest)
            if calls:
                self.transcript.answer(stop.blocks)
                async with aclosing(self.tool_round.run(calls)) as tool_events:
                    async for tool_event in tool_events:
                        yield tool_event
                continue
            self.transcript.answer(without_tool_uses(stop.blocks))
            break
        async with aclosing(self._finish(stop)) as final_events:
            async for final_event in final_events:
                yield final_event

    async def _call(self, *, last: bool) -> AsyncGenerator[AgentEvent | Stop, None]:
        """One model call; ends with its Stop."""
        if self.allow_call is not None:
            await self.allow_call()
        messages = [*self.request.messages, *self.transcript.exchange]
        record = self.transcript.begin_call(kind="answer", messages=messages, at=self.clock.monotonic())
        stream = self.model.stream(
            system=self.request.system,
            messages=messages,
            tools=self.tools,
            # The tools stay declared, so that earlier tool uses stay valid and the cached prefix holds.
            tool_choice={"type": "none" if last else "auto"} if self.tools else None,
            max_tokens=self.request.max_tokens,
        )
        deadline = min(self.clock.monotonic() + self.limits.call_seconds, self.deadline)
        stop = Stop(stop_reason="")
        try:
            async with aclosing(stream) as events:
                while True:
                    async with self.clock.timeout(deadline - self.clock.monotonic()):
                        event = await anext(events, None)
                    if isinstance(event, TextDelta):
                        record.hear(event.text, at=self.clock.monotonic())
                        self.transcript.hear(event.text)
                        text = self.reading.feed(event.text)
                        if text:
                            yield self._text(text)
                    elif isinstance(event, Retrying):
                        record.retries += 1
                        wait = f"in {round(event.seconds)} s" if event.seconds >= 1 else "now"
                        yield AgentThinking(f"{SENTENCES[event.code].split('. ')[0]}. Trying again {wait}…")
                    else:
                        stop = event or stop
                        break
        finally:
            self.transcript.end_call(stop, at=self.clock.monotonic())
        yield stop

    async def _finish(self, stop: Stop) -> AsyncGenerator[AgentEvent, None]:
        """The last words of the application's own, if any, and the final event."""
        if stop.stop_reason == "model_context_window_exceeded":
            raise ModelFailure("context_too_long", reason="the model stopped at its context window")
        payloads = self.transcript.tool_payloads
        chosen = payloads[-1] if payloads else await self.offload(self.reading.payload)
        verdict = Verdict()
        if chosen is not None and self.check_payload is not None:
            async with self.clock.timeout(self.deadline - self.clock.monotonic()):
                verdict = await self.check_payload(chosen)
        faults = verdict.faults
        trouble = verdict.sentence or UNREADABLE if faults else "" if payloads else self.reading.trouble()
        warning = CUT if _is_cut(stop) else ""
        shown = None if faults else chosen
        elements = self.reading.elements(shown=shown, faults=() if payloads else faults, warning=warning)
        if payloads and faults:
            note = f"The payload of the last tool was not shown: {'; '.join(faults)}"
            elements = replace(elements, notes=(*elements.notes, note))
        if stop.stop_reason == "refusal":
            trouble = REFUSED
        if not trouble and not self.transcript.message and elements.payload is None:
            trouble = CUT if warning else SILENT
        if trouble:
            yield self._text(self.reading.say(trouble))
        yield AgentComplete(self.transcript.result(stop_reason=stop.stop_reason or "cut", elements=elements))

    def _text(self, text: str) -> AgentTextDelta:
        return AgentTextDelta(self.transcript.show(text))


def _is_cut(stop: Stop) -> bool:
    """Whether the answer ended before the model meant it to; reasons nobody knows count as that."""
    return stop.stop_reason not in {"end_turn", "stop_sequence", "tool_use", "refusal"}
