"""Run one tool: check its input, count it, and turn failures into text for the model."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from chat.agent.clock import Clock
from chat.agent.tools import ToolConfig, ToolProgress, ToolResult
from chat.exceptions import ToolFailure
from chat.json_schema import faults_of
from chat.payload_types import get_payload_type
from shared import strictjson

log = logging.getLogger(__name__)

Json = dict[str, Any]
Emit = Callable[[ToolProgress], None]
RunTool = Callable[[ToolConfig, Json, Emit], Awaitable[str | ToolResult]]

TRUNCATED_NOTICE = "\n[Truncated: the limit of tool output in this turn is reached. Request less at a time.]"
FAILED = "The tool failed with an internal error. Do not repeat the same call."
CANCEL_SECONDS = 0.5


@dataclass(eq=False)
class ToolCall:
    """One tool use of the model and its result. `tool` is None if it must not run."""

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
        """Whether the tool changes data, so that it must run alone."""
        return self.tool is not None and self.tool.writes != "none"

    @property
    def result(self) -> Json:
        """The tool result block for the model."""
        block = {"type": "tool_result", "tool_use_id": self.tool_use_id, "content": self.text or "(no output)"}
        return {**block, "is_error": True} if self.is_error else block

    def fail(self, text: str) -> None:
        """Set an error text as the result."""
        self.text, self.is_error = text, True


class ToolRunner:
    """Runs the tools of one turn. `max_calls` and `max_output_bytes` are for the whole turn."""

    def __init__(
        self, *, tools: tuple[ToolConfig, ...], run_tool: RunTool, clock: Clock, max_calls: int, max_output_bytes: int
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._run_tool = run_tool
        self._clock = clock
        self._remaining_calls = max_calls
        self._remaining_bytes = max_output_bytes

    @property
    def exhausted(self) -> bool:
        """Whether no more tools may run in this turn."""
        return self._remaining_calls <= 0

    def admit(self, call: ToolCall) -> None:
        """Check the call: set its tool and count it, or make it fail with the model's mistake as the result."""
        tool = self._tools.get(call.name)
        refusal = self._refusal(call, tool)
        if refusal:
            call.fail(refusal)
        else:
            call.tool = tool
            self._remaining_calls -= 1

    def start(self, call: ToolCall, *, report: Callable[[ToolProgress | None], None]) -> asyncio.Future[Any]:
        """Start an admitted call, and return its future, which can be cancelled.

        `report` is called with its progress, and with None when its result is in the call.
        """
        assert call.tool is not None
        began = self._clock.monotonic()
        running = asyncio.ensure_future(self._run_tool(call.tool, call.input, report))

        def ended(future: asyncio.Future[str | ToolResult]) -> None:
            call.duration_ms = round((self._clock.monotonic() - began) * 1000)
            try:
                _store_outcome(call, future)
            except Exception:
                # A tool may return anything; `report` must be called in any case, or the turn would wait forever.
                log.exception("invalid result of tool %s", call.name)
                call.fail(FAILED)
            report(None)

        running.add_done_callback(ended)
        return running

    def truncate_output(self, call: ToolCall) -> None:
        """Truncate the call's output to the remaining bytes of the turn. Called in the order of the model's blocks."""
        raw = call.text.encode("utf-8", "replace")
        if len(raw) <= self._remaining_bytes:
            self._remaining_bytes -= len(raw)
            call.text = raw.decode()
            return
        call.text = raw[: self._remaining_bytes].decode("utf-8", "ignore") + TRUNCATED_NOTICE
        self._remaining_bytes = 0

    def _refusal(self, call: ToolCall, tool: ToolConfig | None) -> str:
        """Return why the tool must not run, or ""."""
        if tool is None:
            return f"There is no tool {call.name!r} here. The tools are: {', '.join(self._tools) or 'none'}."
        if self.exhausted:
            return "No more tool calls are possible in this turn. Answer with what you know."
        faults = (call.bad_input,) if call.bad_input else faults_of(call.input, tool.input_schema)
        return "The input is invalid:\n" + "\n".join(f"- {fault}" for fault in faults) if faults else ""


async def cancel_running(running: Sequence[asyncio.Future[Any]]) -> None:
    """Cancel running tools and wait for them briefly: a tool in a thread commits or rolls back by itself."""
    pending = [future for future in running if not future.done()]
    for future in pending:
        future.cancel()
    if pending:
        with suppress(asyncio.CancelledError):
            await asyncio.wait(pending, timeout=CANCEL_SECONDS)


def is_json_serializable(value: Any) -> bool:
    """Whether the value can be sent and stored as JSON."""
    try:
        strictjson.dumps(strictjson.replace_unstorable(value))
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _store_outcome(call: ToolCall, running: asyncio.Future[str | ToolResult]) -> None:
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
    call.payload = _checked_payload(result.payload, call.tool)


def _checked_payload(payload: Json | None, tool: ToolConfig) -> Json | None:
    """Return the payload if it has the declared type and matches its schema; otherwise log the fault."""
    if payload is None:
        return None
    kind = get_payload_type(str(payload.get("type", "")))
    if kind is None or kind.name != tool.payload_type:
        log.warning("tool %s returned a payload of type %r, not %r", tool.name, payload.get("type"), tool.payload_type)
        return None
    data = payload.get("data")
    faults: tuple[str, ...] = ("it is not JSON",)
    with suppress(TypeError, ValueError, RecursionError):
        data = strictjson.as_json(data)
    if is_json_serializable(data):
        faults = faults_of(data, kind.schema)
    if faults:
        log.warning("tool %s returned a payload that does not match %s: %s", tool.name, kind.name, "; ".join(faults))
        return None
    return {"type": kind.name, "data": data}
