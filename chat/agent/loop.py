"""The agent loop: call the model and run its tools until it has answered."""
from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from chat.agent.call import THINKING, AgentRequest, AllowCall, ModelCalls
from chat.agent.clock import Clock, SystemClock
from chat.agent.continuation import Continuation
from chat.agent.events import AgentError, AgentEvent, AgentTextDelta, AgentThinking
from chat.agent.finalize import Finalizer
from chat.agent.message_history import without_tool_uses
from chat.agent.model import FAILURES, RETRYABLE, Model, ModelFailure, Stop
from chat.agent.reader_interface import Reader
from chat.agent.repair import CheckPayload, Offload, PayloadChecker
from chat.agent.tool_round import ToolRound, tool_calls_of
from chat.agent.tool_runner import RunTool, ToolRunner
from chat.agent.tools import ToolConfig
from chat.agent.transcript import Transcript
from shared.user_messages import Message, declare
from shared.user_messages.request_messages import LOGGED_ERROR

__all__ = ["AgentRequest", "CheckPayload", "Limits", "Transcript", "run_agent"]

log = logging.getLogger(__name__)

READING_RESULTS = declare("reading_the_results", "Reading the results")
MAX_ITERATIONS = 20
MAX_TOOL_CALLS = 50


@dataclass(frozen=True)
class Limits:
    """Limits of one turn. Times are in seconds.

    `tool_output_bytes` is for the whole turn, `request_bytes` for the system prompt, tools and messages of one call as
    JSON.
    """

    max_iterations: int = 5
    max_tool_calls: int = 12
    call_seconds: float = 120.0
    turn_seconds: float = 300.0
    tool_output_bytes: int = 60_000
    request_bytes: int = 4_000_000


async def run_agent(
    *,
    model: Model,
    request: AgentRequest,
    tools: tuple[ToolConfig, ...],
    run_tool: RunTool,
    reader: Reader,
    transcript: Transcript,
    limits: Limits = Limits(),
    clock: Clock | None = None,
    check_payload: CheckPayload | None = None,
    allow_call: AllowCall | None = None,
    offload: Offload = asyncio.to_thread,
) -> AsyncGenerator[AgentEvent, None]:
    """Run one turn and yield its events, an AgentComplete or AgentError last. Raises only CancelledError.

    `run_tool(tool, params, emit)` executes a tool. `check_payload(payload)` checks a payload against current data.
    `allow_call()` is called before each model call and raises ModelFailure to prevent it. `offload` runs long
    computations outside the event loop. `transcript` has everything so far, also after a cancellation.
    """
    clock = clock or SystemClock()
    calls = ModelCalls(
        model=model,
        request=request,
        tools=[tool.as_api() for tool in tools],
        reader=reader,
        transcript=transcript,
        clock=clock,
        seconds=limits.call_seconds,
        deadline=clock.monotonic() + limits.turn_seconds,
        allow_call=allow_call,
        request_bytes=limits.request_bytes,
    )
    checker = PayloadChecker(calls=calls, check_payload=check_payload, offload=offload)
    turn = _Turn(
        calls=calls,
        continuation=Continuation(calls),
        tool_round=_tool_round(calls, tools=tools, run_tool=run_tool, limits=limits),
        finalizer=Finalizer(checker=checker, reader=reader, transcript=transcript),
        iterations=max(1, min(limits.max_iterations, MAX_ITERATIONS)),
    )
    try:
        async with aclosing(turn.run()) as events:
            async for event in events:
                yield event
    except Exception as error:
        rest = reader.end_call(tool_use=False, cut=True)
        if rest:
            yield AgentTextDelta(transcript.show(rest))
        yield _final_error(error, transcript=transcript)


def _tool_round(
    calls: ModelCalls, *, tools: tuple[ToolConfig, ...], run_tool: RunTool, limits: Limits
) -> ToolRound:
    runner = ToolRunner(
        tools=tools,
        run_tool=run_tool,
        clock=calls.clock,
        max_calls=min(limits.max_tool_calls, MAX_TOOL_CALLS),
        max_output_bytes=limits.tool_output_bytes,
    )
    return ToolRound(
        runner=runner,
        reader=calls.reader,
        transcript=calls.transcript,
        clock=calls.clock,
        deadline=calls.deadline,
    )


def _final_error(error: Exception, *, transcript: Transcript) -> AgentError:
    """Return the final event of a failed turn. Unexpected errors are logged."""
    if isinstance(error, ModelFailure) and error.code != "internal":
        code, message = error.code, error.message
    elif isinstance(error, TimeoutError):
        code, message = "timeout", FAILURES["timeout"]()
    else:
        code, message = "internal", _logged_failure(error)
    return AgentError(
        code=code,
        message=message,
        retryable=code in RETRYABLE,
        retry_after=error.retry_after if isinstance(error, ModelFailure) else None,
        result=transcript.result(stop_reason=code),
    )


def _logged_failure(error: Exception) -> Message:
    """Log the error with an id, and return the user's message with this id."""
    log_id = uuid.uuid4().hex[:8]
    log.error("turn failed, log id %s", log_id, exc_info=error)
    return LOGGED_ERROR(id=log_id)


@dataclass(frozen=True, kw_only=True)
class _Turn:
    calls: ModelCalls
    continuation: Continuation
    tool_round: ToolRound
    finalizer: Finalizer
    iterations: int

    async def run(self) -> AsyncGenerator[AgentEvent, None]:
        reader, transcript = self.calls.reader, self.calls.transcript
        stop = Stop(stop_reason="")
        for iteration in range(self.iterations):
            last = iteration == self.iterations - 1 or self.tool_round.runner.exhausted
            continuations = self.continuation.remaining
            yield AgentThinking(READING_RESULTS() if transcript.tool_history else THINKING())
            async with aclosing(self._answer(last=last)) as events:
                async for event in events:
                    if isinstance(event, Stop):
                        stop = event
                    else:
                        yield event
            if stop.stop_reason == "pause_turn" and not last:
                transcript.add_answer(without_tool_uses(stop.blocks))
                continue
            wants_tools = stop.stop_reason == "tool_use"
            rest = reader.end_call(tool_use=wants_tools, cut=stop.is_cut)
            if rest:
                yield AgentTextDelta(transcript.show(rest))
            # A continuation has no tools.
            may_run = wants_tools and not last and self.continuation.remaining == continuations
            calls = tool_calls_of(stop) if may_run else []
            transcript.add_answer(stop.blocks if calls else without_tool_uses(stop.blocks))
            if not calls:
                break
            async with aclosing(self.tool_round.run(calls)) as tool_events:
                async for tool_event in tool_events:
                    yield tool_event
        async with aclosing(self.finalizer.run(stop)) as final_events:
            async for final_event in final_events:
                yield final_event

    async def _answer(self, *, last: bool) -> AsyncGenerator[AgentEvent | Stop, None]:
        """Make an iteration's model call and its continuations, and yield the last Stop at the end."""
        stop = Stop(stop_reason="")
        async with aclosing(self.calls.make("answer", with_tools=not last)) as events:
            async for event in events:
                if isinstance(event, Stop):
                    stop = event
                else:
                    yield event
        if stop.stop_reason == "pause_turn" and not last:
            yield stop
            return
        async with aclosing(self.continuation.run(stop)) as continued:
            async for continued_event in continued:
                yield continued_event
