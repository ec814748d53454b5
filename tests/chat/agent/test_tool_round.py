"""Several tools of one iteration: concurrent reads, sequential writes, results in the order of the model."""
from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.agent.client.anthropic_model import AnthropicModel
from chat.agent.events import AgentError, AgentEvent, AgentToolComplete, AgentToolProgress, AgentToolStart
from chat.agent.loop import AgentRequest, Limits, run_agent
from chat.agent.tool_runner import TRUNCATED_NOTICE, Emit, RunTool
from chat.agent.tools import ToolConfig, ToolProgress
from chat.agent.transcript import Transcript
from chat.reader import TurnReader
from tests.chat.agent.turn import RULES, Json, run, tool
from tests.manual_clock import ManualClock, settle
from tests.scripted_model import ScriptedModel, say, use

READ, LOOK, WRITE = tool("read"), tool("look"), tool("write", writes="row")
TOOLS = (READ, LOOK, WRITE)


class CallLog:
    """Runs tools that take `n` iterations of the event loop, and records the start and end of each call."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    async def run(self, config: ToolConfig, params: Json, emit: Emit) -> str:
        name = f"{config.name}{params['n']}"
        self.entries.append(f"begin {name}")
        for _ in range(params["n"]):
            await asyncio.sleep(0)
        self.entries.append(f"end {name}")
        return name


def test_reading_tools_run_concurrently() -> None:
    diary = CallLog()
    run(use(("read", {"n": 3}), ("look", {"n": 9})), say("Done."), tools=TOOLS, run_tool=diary.run)
    assert diary.entries == ["begin read3", "begin look9", "end read3", "end look9"]


def test_faster_tool_is_shown_after_its_predecessors() -> None:
    diary = CallLog()
    turn = run(use(("read", {"n": 9}), ("look", {"n": 1})), say("Done."), tools=TOOLS, run_tool=diary.run)
    assert diary.entries[2:] == ["end look1", "end read9"]
    shown = ["start read", "start look", "complete read", "[[tool:0]]", "complete look", "[[tool:1]]"]
    assert turn.kinds[1:7] == shown
    assert [complete.index for complete in turn.completed()] == [0, 1]


def test_write_waits_for_earlier_reads_and_blocks_later_ones() -> None:
    diary = CallLog()
    calls = [("read", {"n": 5}), ("look", {"n": 2}), ("write", {"n": 4}), ("write", {"n": 1}), ("read", {"n": 1})]
    run(use(*calls), say("Done."), tools=TOOLS, run_tool=diary.run)
    assert diary.entries == [
        "begin read5", "begin look2", "end look2", "end read5",
        "begin write4", "end write4", "begin write1", "end write1",
        "begin read1", "end read1",
    ]  # fmt: skip


def test_progress_of_concurrent_tools_is_sent_as_it_comes() -> None:
    turns = [asyncio.Event(), asyncio.Event()]

    async def in_turns(config: ToolConfig, params: Json, emit: Emit) -> str:
        own, other = turns[params["n"]], turns[1 - params["n"]]
        for number in range(2):
            await own.wait()
            own.clear()
            emit(ToolProgress("work", f"{config.name} {number}"))
            other.set()
        return "done"

    turns[0].set()
    turn = run(use(("read", {"n": 0}), ("look", {"n": 1})), say("Done."), tools=TOOLS, run_tool=in_turns)
    steps = [event.message for event in turn.events if isinstance(event, AgentToolProgress)]
    assert steps == ["read 0", "look 0", "read 1", "look 1"]
    assert tools_out_of_order(turn.events) == []


def test_refused_call_keeps_its_position_and_stops_no_other() -> None:
    calls = use(("read", {"n": 5}), ("nope", {}), ("look", {"n": 1}))
    turn = run(calls, say("Done."), tools=TOOLS, run_tool=CallLog().run)
    assert [(complete.tool, complete.is_error) for complete in turn.completed()] == [
        ("read", False),
        ("nope", True),
        ("look", False),
    ]


def test_progress_after_the_end_is_ignored() -> None:
    late: list[asyncio.Task[None]] = []

    async def report_after_the_end(config: ToolConfig, params: Json, emit: Emit) -> str:
        async def after() -> None:
            await settle()
            emit(ToolProgress("work", "too late"))

        if config.name == "read":
            late.append(asyncio.ensure_future(after()))
        else:
            await late[0]
            await settle()
        return "done"

    turn = run(use(("read", {}), ("look", {})), say("Done."), tools=TOOLS, run_tool=report_after_the_end)
    assert "toolprogress" not in turn.kinds


CALLS = st.lists(
    st.tuples(st.sampled_from(["read", "look", "write", "nope"]), st.integers(0, 12), st.booleans()), max_size=8
)


@settings(max_examples=60)
@given(calls=CALLS, max_calls=st.integers(1, 8), budget=st.integers(0, 60))
def test_limits_apply_in_the_order_of_the_blocks(
    calls: list[tuple[str, int, bool]], max_calls: int, budget: int
) -> None:
    """Refusals and cuts are the same as if the tools had run one after the other."""
    inputs: list[tuple[str, Json]] = [(name, {"n": n} if fits else {"m": n}) for name, n, fits in calls]
    limits = Limits(max_tool_calls=max_calls, tool_output_bytes=budget)
    replies = [use(*inputs), say("Done.")] if inputs else [say("Done.")]
    turn = run(*replies, tools=TOOLS, run_tool=CallLog().run, limits=limits)

    ran, left = 0, budget
    for (name, given_input), complete in zip(inputs, turn.completed(), strict=True):
        refused = name == "nope" or "m" in given_input or ran >= max_calls
        ran += not refused
        assert complete.is_error is refused
        if not refused:
            whole = f"{name}{given_input['n']}"
            expected = whole if len(whole) <= left else whole[:left] + TRUNCATED_NOTICE
            assert complete.output == expected
        left = max(0, left - len(complete.output.removesuffix(TRUNCATED_NOTICE)))
    assert tools_out_of_order(turn.events) == []
    results = turn.script.requests[-1]["messages"][-1]["content"] if inputs else []
    assert [result["content"] for result in results] == [c.output or "(no output)" for c in turn.completed()]


@pytest.mark.parametrize("end", ["cancel", "deadline"])
def test_end_of_a_turn_stops_all_its_tools(end: str) -> None:
    stopped_tools: list[str] = []

    async def run_forever(config: ToolConfig, params: Json, emit: Emit) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped_tools.append(config.name)
            raise
        return ""

    events, stopped = asyncio.run(interrupt(run_forever, end=end, stopped_tools=stopped_tools))

    assert sorted(stopped) == ["look", "read"]
    assert [event.tool for event in events if isinstance(event, AgentToolStart)] == ["read", "look"]
    assert not any(isinstance(event, AgentToolComplete) for event in events)
    if end == "deadline":
        assert isinstance(events[-1], AgentError)
        assert events[-1].code == "timeout"


async def interrupt(run_tool: RunTool, *, end: str, stopped_tools: list[str]) -> tuple[list[AgentEvent], list[str]]:
    """Return the events of a turn that is cancelled or times out while its tools run, and `stopped` by then."""
    script, clock, events = ScriptedModel(use(("read", {}), ("look", {}))), ManualClock(), list[AgentEvent]()
    model = AnthropicModel(
        api_key="key", base_url="http://m.test", model="m", transport=script.transport(), clock=clock
    )

    async def follow() -> None:
        async for event in run_agent(
            model=model,
            request=AgentRequest(system=(), messages=[{"role": "user", "content": "Hello"}], max_tokens=100),
            tools=TOOLS,
            run_tool=run_tool,
            reader=TurnReader(RULES),
            transcript=Transcript(),
            limits=Limits(turn_seconds=300),
            clock=clock,
        ):
            events.append(event)

    following = asyncio.ensure_future(follow())
    while sum(isinstance(event, AgentToolStart) for event in events) < 2:
        await asyncio.sleep(0)
    await settle()
    if end == "cancel":
        following.cancel()
    else:
        await clock.advance(301)
    await asyncio.wait({following})
    stopped = list(stopped_tools)
    await model.aclose()
    return events, stopped


def tools_out_of_order(events: Sequence[AgentEvent]) -> list[str]:
    """Return violations of the grammar of tools: start, progress, complete per id; completes in index order."""
    broken: list[str] = []
    open_ids: set[str] = set()
    indices: list[int] = []
    for event in events:
        if isinstance(event, AgentToolStart):
            open_ids.add(event.tool_use_id)
        elif isinstance(event, AgentToolProgress | AgentToolComplete) and event.tool_use_id not in open_ids:
            broken.append(f"{event} of a tool that is not open")
        if isinstance(event, AgentToolComplete):
            open_ids.discard(event.tool_use_id)
            indices.append(event.index)
    if indices != list(range(len(indices))):
        broken.append(f"completed as {indices}")
    return broken
