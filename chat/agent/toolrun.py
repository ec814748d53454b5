"""Runs one tool: checks its input, keeps time, turns every failure into something the model can read."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import AgentToolProgress
from chat.agent.tools import ToolConfig, ToolProgress, ToolResult
from chat.exceptions import ToolFailure
from chat.json_schema import faults_of
from chat.payload_types import get_payload_type

log = logging.getLogger(__name__)

Json = dict[str, Any]
Emit = Callable[[ToolProgress], None]
RunTool = Callable[[ToolConfig, Json, Emit], Awaitable[str | ToolResult]]

CUT_NOTICE = "\n[Cut here: the tools of this turn have given all the output they may. Ask for less at a time.]"
FAILED = "The tool failed for a reason of its own. Do not try the same call again."
SECONDS_TO_STOP = 0.5


@dataclass
class ToolCall:
    """One tool use of the model, and what came of it."""

    name: str
    tool_use_id: str
    input: Json
    bad_input: str = ""
    text: str = ""
    is_error: bool = False
    payload: Json | None = None
    undo: Json | None = None
    duration_ms: int = 0
    result: Json = field(default_factory=dict)

    def fail(self, text: str) -> None:
        """What the model reads in place of a result."""
        self.text, self.is_error = text, True


class ToolRunner:
    """The tools of one turn. `budget` is how many bytes of output the model may still get."""

    def __init__(
        self, *, tools: tuple[ToolConfig, ...], run_tool: RunTool, clock: Clock, most_calls: int, budget: int
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._run_tool = run_tool
        self._clock = clock
        self._left = most_calls
        self._budget = budget

    @property
    def exhausted(self) -> bool:
        """Whether no further tool may run in this turn."""
        return self._left <= 0

    async def run(self, call: ToolCall, *, seconds: float) -> AsyncGenerator[AgentToolProgress, None]:
        """Runs the call, telling its progress; its outcome is in `call`. Raises TimeoutError after `seconds`."""
        began = self._clock.monotonic()
        tool = self._tools.get(call.name)
        refusal = self._refusal(call, tool)
        if refusal or tool is None:
            call.fail(refusal)
        else:
            self._left -= 1
            async for progress in self._run(call, tool, seconds=seconds):
                yield progress
        call.text = self._capped(call.text)
        call.duration_ms = round((self._clock.monotonic() - began) * 1000)
        call.result = {"type": "tool_result", "tool_use_id": call.tool_use_id, "content": call.text or "(no output)"}
        if call.is_error:
            call.result["is_error"] = True

    def _refusal(self, call: ToolCall, tool: ToolConfig | None) -> str:
        """Why the tool must not run; "" if it may."""
        if tool is None:
            return f"There is no tool {call.name!r} here. The tools are: {', '.join(self._tools) or 'none'}."
        if self.exhausted:
            return "No more tool calls are possible in this turn. Answer with what you know."
        faults = (call.bad_input,) if call.bad_input else faults_of(call.input, tool.input_schema)
        return "The input does not fit the tool:\n" + "\n".join(f"- {fault}" for fault in faults) if faults else ""

    async def _run(
        self, call: ToolCall, tool: ToolConfig, *, seconds: float
    ) -> AsyncGenerator[AgentToolProgress, None]:
        steps: asyncio.Queue[ToolProgress | None] = asyncio.Queue()
        running = asyncio.ensure_future(self._run_tool(tool, call.input, steps.put_nowait))
        running.add_done_callback(lambda _: steps.put_nowait(None))
        deadline = self._clock.monotonic() + seconds
        try:
            while True:
                async with self._clock.timeout(deadline - self._clock.monotonic()):
                    step = await steps.get()
                if step is None:
                    break
                yield AgentToolProgress(
                    tool=call.name,
                    tool_use_id=call.tool_use_id,
                    stage=step.stage,
                    message=step.message,
                    progress=step.progress,
                    data=step.data,
                )
        finally:
            if not running.done():
                # Told to stop, waited for briefly: a tool in a thread commits or rolls back by itself.
                running.cancel()
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({running}, timeout=SECONDS_TO_STOP)
        self._settle(call, tool, running)

    def _settle(self, call: ToolCall, tool: ToolConfig, running: asyncio.Future[str | ToolResult]) -> None:
        try:
            outcome = running.result()
        except ToolFailure as failure:
            call.fail(str(failure))
            return
        except (Exception, asyncio.CancelledError):
            log.exception("tool %s failed", tool.name)
            call.fail(FAILED)
            return
        result = outcome if isinstance(outcome, ToolResult) else ToolResult(text=str(outcome))
        call.text, call.undo = result.text, result.undo
        call.payload = _fitting(result.payload, tool)

    def _capped(self, text: str) -> str:
        raw = text.encode("utf-8", "replace")
        if len(raw) <= self._budget:
            self._budget -= len(raw)
            return raw.decode()
        kept = raw[: self._budget].decode("utf-8", "ignore")
        self._budget = 0
        return kept + CUT_NOTICE


def _fitting(payload: Json | None, tool: ToolConfig) -> Json | None:
    """The payload if it is of the type the tool declares and fits that type's schema; else it is dropped and logged."""
    if payload is None:
        return None
    kind = get_payload_type(str(payload.get("type", "")))
    if kind is None or kind.name != tool.payload_type:
        log.warning("tool %s gave a payload of type %r, not %r", tool.name, payload.get("type"), tool.payload_type)
        return None
    faults = faults_of(payload.get("data"), kind.schema)
    if faults:
        log.warning("tool %s gave a payload that does not fit %s: %s", tool.name, kind.name, "; ".join(faults))
        return None
    return {"type": kind.name, "data": payload.get("data")}
