"""One tool use: validation of its input, reporting of failures, and its declared payload."""
from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from chat.agent.events import AgentToolProgress
from chat.agent.loop import Limits
from chat.agent.tool_runner import TRUNCATED_NOTICE, Emit
from chat.agent.tools import ToolConfig, ToolProgress, ToolResult
from chat.exceptions import ToolFailure
from chat.payload_types import payload_types
from tests.chat.agent.turn import CARD, Json, run, tool
from tests.scripted_model import Reply, say, use

GET = tool("get")


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (use(("nope", {})), "There is no tool 'nope' here. The tools are: get."),
        (use(("get", {"n": "many"})), "n: 'many' is not of type 'integer'"),
        (use(("get", {"m": 1})), "'m' was unexpected"),
        (use(("get", '{"n": ')), "not valid JSON"),  # type: ignore[arg-type]  # the script sends it as it stands
    ],
)
def test_invalid_call_gets_an_error_and_the_turn_continues(reply: Reply, error: str) -> None:
    turn = run(reply, say("Sorry."), tools=(GET,))
    [result] = turn.script.requests[1]["messages"][-1]["content"]
    assert error in result["content"]
    assert result["is_error"] is True
    assert turn.completed()[0].is_error
    assert turn.kinds[-1] == "complete"


def test_expected_failure_of_a_tool_has_its_own_message() -> None:
    async def fail(config: ToolConfig, params: Json, emit: Emit) -> str:
        raise ToolFailure("There is no row 7.")

    turn = run(use(("get", {})), say("Sorry."), tools=(GET,), run_tool=fail)
    assert turn.completed()[0].output == "There is no row 7."


def test_unexpected_failure_of_a_tool_hides_its_cause_from_the_model() -> None:
    async def crash(config: ToolConfig, params: Json, emit: Emit) -> str:
        raise RuntimeError("password=hunter2")

    turn = run(use(("get", {})), say("Sorry."), tools=(GET,), run_tool=crash)
    [complete] = turn.completed()
    assert complete.is_error
    assert "hunter2" not in complete.output
    assert turn.kinds[-1] == "complete"


def test_progress_of_a_tool_is_sent_while_it_runs() -> None:
    async def report(config: ToolConfig, params: Json, emit: Emit) -> str:
        emit(ToolProgress("read", "Half way", 0.5))
        await asyncio.sleep(0)
        emit(ToolProgress("read", "Nearly", 0.9, {"rows": 9}))
        return "done"

    turn = run(use(("get", {})), say("Yes."), tools=(GET,), run_tool=report)
    steps = [event for event in turn.events if isinstance(event, AgentToolProgress)]
    assert [(step.message, step.progress, step.data) for step in steps] == [
        ("Half way", 0.5, None),
        ("Nearly", 0.9, {"rows": 9}),
    ]
    assert turn.kinds[1:5] == ["start get", "toolprogress", "toolprogress", "complete get"]


def test_tool_calls_beyond_the_limit_are_refused_and_end_the_turn() -> None:
    flood = use(*[("get", {"n": n}) for n in range(5)])
    turn = run(flood, say("Enough."), tools=(GET,), limits=Limits(max_tool_calls=3))
    assert [complete.is_error for complete in turn.completed()] == [False] * 3 + [True] * 2
    assert turn.script.requests[1]["tool_choice"] == {"type": "none"}


def test_tool_output_is_cut_to_the_limit_of_the_turn() -> None:
    async def long(config: ToolConfig, params: Json, emit: Emit) -> str:
        return "é" * 40

    limits = Limits(tool_output_bytes=101)
    turn = run(use(("get", {}), ("get", {})), say("Yes."), tools=(GET,), run_tool=long, limits=limits)
    first, second = [complete.output for complete in turn.completed()]
    assert first == "é" * 40
    assert second == "é" * 10 + TRUNCATED_NOTICE


def card(title: str, *, kind: str = "tool_card") -> ToolResult:
    return ToolResult(text="made", payload={"type": kind, "data": {"title": title}})


@pytest.fixture
def tool_card() -> Iterator[None]:
    """A payload type that only tools return."""
    with payload_types.registered(replace(CARD, name="tool_card", source="tool", parse_marker="")):
        yield


@pytest.mark.usefixtures("tool_card")
def test_last_payload_of_tools_is_shown_before_that_of_the_text() -> None:
    cards = iter([card("One"), card("Two")])

    async def give(config: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        return next(cards)

    make = tool("make", payload_type="tool_card")
    turn = run(use(("make", {}), ("make", {})), say('CARD: {"title": "Text"}'), tools=(make,), run_tool=give)
    assert turn.result.elements.payload == {"type": "tool_card", "data": {"title": "Two"}}
    assert [payload["data"]["title"] for payload in turn.result.tool_payloads] == ["One", "Two"]


@pytest.mark.usefixtures("tool_card")
@pytest.mark.parametrize("result", [card("x", kind="other"), ToolResult("made", {"type": "tool_card", "data": {}})])
def test_undeclared_or_invalid_payload_is_dropped_and_logged(
    result: ToolResult, caplog: pytest.LogCaptureFixture
) -> None:
    async def give(config: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        return result

    turn = run(use(("make", {})), say("Yes."), tools=(tool("make", payload_type="tool_card"),), run_tool=give)
    assert turn.result.tool_payloads == ()
    assert turn.completed()[0].output == "made"
    assert "tool make returned a payload" in caplog.text
