"""Run one turn of the agent with a scripted model, and return its events and transcript."""
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import (
    AgentComplete,
    AgentError,
    AgentEvent,
    AgentPayloadProgress,
    AgentResult,
    AgentTextDelta,
    AgentThinking,
    AgentToolComplete,
    AgentToolStart,
)
from chat.agent.loop import AgentRequest, Limits, run_agent
from chat.agent.reader_interface import CheckResult
from chat.agent.tool_runner import Emit
from chat.agent.tools import ToolConfig, ToolResult
from chat.agent.transcript import Transcript
from chat.payload_types import PayloadType
from chat.reader import ReaderRules, TurnReader
from chat.stream import complete_event, encode_event, error_event, opening_event
from shared.user_messages import literal
from tests.chat.agent.model_call import model_of
from tests.manual_clock import ManualClock
from tests.messages_api_rules import problems_of
from tests.scripted_model import Gate, Reply, ScriptedModel
from tests.stream_grammar import broken_rules
from tests.waiting_clock import WaitingClock

Json = dict[str, Any]
RunTool = Callable[[ToolConfig, Json, Emit], Awaitable[str | ToolResult]]

CARD = PayloadType(
    name="card",
    description="A card",
    source="llm",
    parse_marker="CARD:",
    schema={"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}},
)
PLAN = PayloadType(
    name="plan",
    description="Steps",
    source="llm",
    parse_marker="PLAN:",
    schema={
        "type": "object",
        "required": ["operations"],
        "properties": {
            "title": {"type": "string"},
            "operations": {"type": "array", "items": {"type": "object", "required": ["do"]}},
        },
    },
)
RULES = ReaderRules(
    markers={"CARD": "{", "PLAN": "{", "SUGGESTED_VALUES": "["}, payloads={"CARD": CARD, "PLAN": PLAN}
)


def tool(name: str, *, payload_type: str = "", schema: Json | None = None, writes: str = "none") -> ToolConfig:
    """Return a tool; its behaviour is that of the `run_tool` of the turn."""
    given = schema or {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    return ToolConfig(
        name=name,
        description=f"Does {name}.",
        input_schema=given,
        executor=print,
        payload_type=payload_type,
        writes=writes,
    )


async def echo(config: ToolConfig, params: Json, emit: Emit) -> str:
    return f"{config.name} {params}"


REAL_SECONDS = 60.0  # fails a test whose reply never arrives; nothing else waits in real time


@dataclass
class Turn:
    """A finished turn: its script, events and transcript."""

    script: ScriptedModel
    events: list[AgentEvent]
    transcript: Transcript
    kinds: list[str] = field(init=False)

    def __post_init__(self) -> None:
        assert self.script.problems == []
        assert broken_rules(_streamed(self.events)) == []
        self.kinds = [_kind(event) for event in self.events]

    @property
    def result(self) -> AgentResult:
        return self.events[-1].result  # type: ignore[union-attr]  # the last event is a final one

    @property
    def error(self) -> AgentError:
        last = self.events[-1]
        assert isinstance(last, AgentError), last
        return last

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, AgentTextDelta))

    def progress(self) -> list[AgentPayloadProgress]:
        return [event for event in self.events if isinstance(event, AgentPayloadProgress)]

    def statuses(self) -> list[str]:
        return [event.message.code for event in self.events if isinstance(event, AgentThinking)]

    def prompt_of(self, call: int) -> str:
        """Return the text of the application at the end of this call's request."""
        content = self.script.requests[call]["messages"][-1]["content"]
        return content if isinstance(content, str) else content[-1]["text"]

    def exchange_is_valid(self) -> bool:
        """Return whether the next request could be sent with this turn in its history."""
        return is_valid(self.result.exchange)

    def completed(self) -> list[AgentToolComplete]:
        return [event for event in self.events if isinstance(event, AgentToolComplete)]


def run(
    *replies: Reply | Callable[[Json], Reply],
    otherwise: Reply | None = None,
    tools: tuple[ToolConfig, ...] = (),
    run_tool: RunTool = echo,
    limits: Limits | None = None,
    clock: Clock | None = None,
    check: Callable[[Json], Awaitable[CheckResult]] | None = None,
    fence: Callable[[Json], str] = str,
    meanwhile: Callable[[], Awaitable[None]] | None = None,
    script: ScriptedModel | None = None,
    first_token_seconds: float | None = None,
) -> Turn:
    """Run one turn that answers "Hello", and `meanwhile` beside it."""
    script = script or ScriptedModel(*replies, otherwise=otherwise)
    transcript = Transcript()
    clock = clock or WaitingClock()

    async def go() -> list[AgentEvent]:
        model = model_of(script, clock=clock, first_token_seconds=first_token_seconds)
        events = run_agent(
            model=model,
            request=AgentRequest(
                system=(), messages=[{"role": "user", "content": "Hello"}], max_tokens=100, fence=fence
            ),
            tools=tools,
            run_tool=run_tool,
            reader=TurnReader(RULES),
            transcript=transcript,
            limits=limits or Limits(),
            clock=clock,
            check_payload=check,
        )
        ending = asyncio.ensure_future(_all(events))
        if meanwhile is not None:
            await meanwhile()
        received = await ending
        await model.aclose()
        return received

    return Turn(script, asyncio.run(go()), transcript)


def advance_at(clock: ManualClock, *waits: tuple[Gate, float]) -> Callable[[], Awaitable[None]]:
    """Return a function that advances the clock each time the model's reply has reached the next of these gates."""

    async def pass_time() -> None:
        for gate, seconds in waits:
            assert await asyncio.to_thread(gate.reached.wait, REAL_SECONDS)
            await clock.advance(seconds)

    return pass_time


async def _all(events: AsyncIterable[AgentEvent]) -> list[AgentEvent]:
    return [event async for event in events]


def is_valid(exchange: Sequence[Json]) -> bool:
    """Return whether a request could be sent with this exchange in its history."""
    messages = [{"role": "user", "content": "Hello"}, *exchange, {"role": "user", "content": "Next"}]
    return problems_of({"stream": True, "model": "m", "max_tokens": 1, "messages": messages}) == []


def _streamed(events: list[AgentEvent]) -> list[Json]:
    """Return the events as clients get them."""
    streamed = [opening_event(literal("Reading"), turn_id="t", conversation_id="c")]
    streamed += [form for event in events if (form := encode_event(event))]
    last = events[-1]
    if isinstance(last, AgentError):
        failed = error_event(code=last.code, message=last.message, retryable=last.retryable)
        return [*streamed, failed]
    assert isinstance(last, AgentComplete), last
    return [*streamed, complete_event(last.result, conversation_id="c", message_id="m", turn_id="t")]


def _kind(event: AgentEvent) -> str:
    match event:
        case AgentThinking():
            return "thinking"
        case AgentTextDelta():
            return event.text if event.text.startswith("[[tool:") else "text"
        case AgentToolStart() | AgentToolComplete():
            return f"{'start' if isinstance(event, AgentToolStart) else 'complete'} {event.tool}"
        case _:
            return type(event).__name__.removeprefix("Agent").lower()
