"""Closing the events of a turn closes the model's connection and stops its tools before it returns.

Python would close an abandoned stream later, in a task of its own: beside the next turn, or after the event loop.
"""
from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest

from chat.agent.events import AgentEvent, AgentThinking, AgentToolProgress
from chat.agent.loop import AgentRequest, run_agent
from chat.agent.tool_runner import Emit
from chat.agent.tools import ToolConfig, ToolProgress
from chat.agent.transcript import Transcript
from chat.reader import TurnReader
from tests.chat.agent.model_call import model_of
from tests.chat.agent.turn import RULES, Json, RunTool, echo, tool
from tests.scripted_model import Reply, ScriptedModel, say, use
from tests.waiting_clock import WaitingClock

LONG = say("A long answer to the question.", sizes=(1,))
# The replies before the one that is closed, and that reply.
CALLS: dict[str, tuple[tuple[Reply, ...], Reply]] = {
    "an answer": ((), LONG),
    "an answer after a tool": ((use(("get", {})),), LONG),
    "a continuation": ((say("Half of it", stop_reason="max_tokens"),), LONG),
    "a repair": ((say("PLAN: {"),), say('PLAN: {"operations": [{"do": 1}, {"do": 2}, {"do": 3}]}', sizes=(1,))),
}


async def close_at(
    found: Callable[[AgentEvent], bool],
    *,
    script: ScriptedModel,
    run_tool: RunTool = echo,
    first_token_seconds: float | None = None,
) -> None:
    """Run a turn up to the event that is found, and close it there."""
    clock = WaitingClock()
    model = model_of(script, clock=clock, first_token_seconds=first_token_seconds)
    events: AsyncGenerator[AgentEvent, None] = run_agent(
        model=model,
        request=AgentRequest(system=(), messages=[{"role": "user", "content": "Hello"}], max_tokens=100),
        tools=(tool("get"),),
        run_tool=run_tool,
        reader=TurnReader(RULES),
        transcript=Transcript(),
        clock=clock,
    )
    async for event in events:
        if found(event):
            break
    await events.aclose()


@pytest.mark.parametrize("first_token_seconds", [None, 30], ids=["Anthropic", "another server"])
@pytest.mark.parametrize("name", CALLS)
def test_connection_of_a_closed_turn_is_closed_at_once(name: str, first_token_seconds: float | None) -> None:
    before, reply = CALLS[name]
    script = ScriptedModel(*before, reply)

    def is_in_last_call(event: AgentEvent) -> bool:
        return len(script.requests) > len(before) and not isinstance(event, AgentThinking)

    async def disconnects() -> int:
        await close_at(is_in_last_call, script=script, first_token_seconds=first_token_seconds)
        return script.left

    assert asyncio.run(disconnects()) == 1
    assert script.problems == []


def test_tool_of_a_closed_turn_is_stopped_at_once() -> None:
    stopped: list[str] = []

    async def wait(config: ToolConfig, params: Json, emit: Emit) -> str:
        emit(ToolProgress(stage="search", message="Searching"))
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(config.name)
        return ""

    async def stopped_tools() -> list[str]:
        script = ScriptedModel(use(("get", {})))
        await close_at(lambda event: isinstance(event, AgentToolProgress), script=script, run_tool=wait)
        return list(stopped)

    assert asyncio.run(stopped_tools()) == ["get"]
