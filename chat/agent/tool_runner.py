"""Runs tools: checks their input, counts them, turns every failure into something the model can read."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import strictjson
from chat.agent.clock import Clock
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


@dataclass(eq=False)
class ToolCall:
    """One tool use of the model, and what came of it. `tool` is None when it must not run."""

    name: str
    tool_use_id: str
    input: Json
    bad_input: str = ""
    tool: ToolConfig | None = None
    text: str = ""
    is_error: bool = False
    payload: Json | None = None
    undo: Json | None = None
    duration_ms: int = 0

    @property
    def writes(self) -> bool:
        """Whether it changes something, so that no other call may run at the same time."""
        return self.tool is not None and self.tool.writes != "none"

    @property
    def result(self) -> Json:
        """What the model is told."""
        block = {"type": "tool_result", "tool_use_id": self.tool_use_id, "content": self.text or "(no output)"}
        return {**block, "is_error": True} if self.is_error else block

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

    def admit(self, call: ToolCall) -> None:
        """Lets the call run, and counts it, or has it fail with what the model did wrong."""
        tool = self._tools.get(call.name)
        refusal = self._refusal(call, tool)
        if refusal:
            call.fail(refusal)
        else:
            call.tool = tool
            self._left -= 1

    def start(self, call: ToolCall, *, tell: Callable[[ToolProgress | None], None]) -> asyncio.Future[Any]:
        """Sets an admitted call running. `tell` hears its progress, and None when its outcome stands in the call.

        Cancelling what is given back tells the tool to stop.
        """
        assert call.tool is not None
        began = self._clock.monotonic()
        running = asyncio.ensure_future(self._run_tool(call.tool, call.input, tell))

        def ended(future: asyncio.Future[str | ToolResult]) -> None:
            call.duration_ms = round((self._clock.monotonic() - began) * 1000)
            try:
                _settle(call, future)
            except Exception:
                # What a tool gives may be anything; the turn must hear of its end all the same.
                log.exception("what tool %s gave cannot be used", call.name)
                call.fail(FAILED)
            tell(None)

        running.add_done_callback(ended)
        return running

    def close(self, call: ToolCall) -> None:
        """Cuts the call's output to what is left for the turn; calls are closed in the order of the model's blocks."""
        raw = call.text.encode("utf-8", "replace")
        if len(raw) <= self._budget:
            self._budget -= len(raw)
            call.text = raw.decode()
            return
        kept = raw[: self._budget].decode("utf-8", "ignore")
        self._budget = 0
        call.text = kept + CUT_NOTICE

    def _refusal(self, call: ToolCall, tool: ToolConfig | None) -> str:
        """Why the tool must not run; "" if it may."""
        if tool is None:
            return f"There is no tool {call.name!r} here. The tools are: {', '.join(self._tools) or 'none'}."
        if self.exhausted:
            return "No more tool calls are possible in this turn. Answer with what you know."
        faults = (call.bad_input,) if call.bad_input else faults_of(call.input, tool.input_schema)
        return "The input does not fit the tool:\n" + "\n".join(f"- {fault}" for fault in faults) if faults else ""


async def told_to_stop(running: Sequence[asyncio.Future[Any]]) -> None:
    """Stops what still runs, and waits for it briefly: a tool in a thread commits or rolls back by itself."""
    still = [future for future in running if not future.done()]
    for future in still:
        future.cancel()
    if still:
        with suppress(asyncio.CancelledError):
            await asyncio.wait(still, timeout=SECONDS_TO_STOP)


def is_json(value: Any) -> bool:
    """Whether the value can be sent and stored."""
    try:
        strictjson.dump(strictjson.storable(value))
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _settle(call: ToolCall, running: asyncio.Future[str | ToolResult]) -> None:
    assert call.tool is not None
    try:
        outcome = running.result()
    except ToolFailure as failure:
        call.fail(str(failure))
        return
    except asyncio.CancelledError:
        call.fail(FAILED)
        return
    except Exception:
        log.exception("tool %s failed", call.name)
        call.fail(FAILED)
        return
    result = outcome if isinstance(outcome, ToolResult) else ToolResult(text=str(outcome))
    call.text, call.undo = result.text, result.undo
    call.payload = _fitting(result.payload, call.tool)


def _fitting(payload: Json | None, tool: ToolConfig) -> Json | None:
    """The payload if it is of the type the tool declares and fits that type's schema; else it is dropped and logged."""
    if payload is None:
        return None
    kind = get_payload_type(str(payload.get("type", "")))
    if kind is None or kind.name != tool.payload_type:
        log.warning("tool %s gave a payload of type %r, not %r", tool.name, payload.get("type"), tool.payload_type)
        return None
    faults = faults_of(payload.get("data"), kind.schema) if is_json(payload.get("data")) else ("it is no JSON",)
    if faults:
        log.warning("tool %s gave a payload that does not fit %s: %s", tool.name, kind.name, "; ".join(faults))
        return None
    return {"type": kind.name, "data": payload.get("data")}
