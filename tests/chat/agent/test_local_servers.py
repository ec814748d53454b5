"""Turns with servers that deviate from the Messages API, one deviation per test."""
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from chat.agent.model import FAILURES, NO_FIRST_TOKEN, Waiting
from tests.chat.agent.model_call import HELLO, events_of, model_of
from tests.chat.agent.turn import CARD, Turn, run, tool
from tests.local_servers import DIALECTS, LocalServer, fields_of
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, Reply, ScriptedModel, interrupted, say, use

GET = tool("get")
PATIENCE = 240.0
LOADING, BUSY = "loading_the_model", "waiting_for_the_model"
THOUGHT = {"type": "thinking", "thinking": "The person wants to know.", "signature": "signed"}
servers = pytest.mark.parametrize("name", DIALECTS)


def turn_of(
    script: ScriptedModel,
    *,
    clock: ManualClock | None = None,
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> Turn:
    clock = clock or ManualClock()
    return run(script=script, tools=(GET,), clock=clock, meanwhile=meanwhile, first_token_seconds=PATIENCE)


def use_tool_after_thinking() -> Reply:
    """Return a reply that thinks and calls a tool."""
    return Reply(blocks=(THOUGHT, {"type": "tool_use", "name": "get", "input": {"n": 1}}), stop_reason="tool_use")


@servers
def test_turn_thinks_uses_a_tool_and_answers(name: str) -> None:
    script = LocalServer(name, use_tool_after_thinking(), say('It is one. CARD: {"title": "One"}', sizes=(3,)))

    turn = turn_of(script)

    assert [entry["input"] for entry in turn.result.tool_history] == [{"n": 1}]
    assert turn.text.endswith("It is one.")
    assert turn.result.payload == {"type": CARD.name, "data": {"title": "One"}}
    assert turn.exchange_is_valid()


@servers
def test_unsigned_thinking_is_not_sent_back(name: str) -> None:
    script = LocalServer(name, use_tool_after_thinking(), say("It is one."))

    turn_of(script)

    *_, last = script.requests
    assert last["messages"][-1]["content"][0]["type"] == "tool_result"
    assert "thinking" not in fields_of(last)


@servers
def test_server_that_ignores_tool_choice_gets_no_tools(name: str) -> None:
    """Detected when a call without tools returns a tool use; later calls omit the tools."""
    honours = "none" in DIALECTS[name].tool_choice
    script = LocalServer(name, *[say("Done.") if honours else use(("get", {}))] * 2)

    async def two_calls() -> None:
        model = model_of(script, first_token_seconds=PATIENCE)
        for _ in range(2):
            call = model.stream(
                system=[], messages=HELLO, tools=[GET.as_api()], tool_choice={"type": "none"}, max_tokens=9, seconds=9
            )
            assert [event async for event in call]
        await model.aclose()

    asyncio.run(two_calls())

    assert ("tools" in script.requests[-1]) is honours


def test_optional_fields_are_omitted_after_a_server_refuses_them() -> None:
    script = LocalServer("litellm", use(("get", {"n": 1})), say("It is one."))

    turn = turn_of(script)

    assert turn.text.endswith("It is one.")
    assert ["tool_choice" in request for request in script.requests] == [True, False, False]
    assert turn.statuses() == ["thinking", "reading_the_results"]


@servers
def test_tool_input_with_invalid_json_is_reported_to_the_model(name: str) -> None:
    script = LocalServer(name, use(("get", "n is one")), say("I could not look."))  # type: ignore[arg-type]

    turn = turn_of(script)

    assert turn.completed()[0].is_error
    assert turn.text.endswith("I could not look.")


def test_tool_input_as_json_text_is_parsed() -> None:
    block = {"type": "tool_use", "name": "get", "input": '{"n": 1}', "at_once": True}

    turn = turn_of(LocalServer("litellm", Reply(blocks=(block,), stop_reason="tool_use"), say("One.")))

    assert turn.result.tool_history[0]["input"] == {"n": 1}


@servers
@pytest.mark.parametrize(("reason", "calls"), [("stop", 1), ("length", 2), ("abort", 2)])
def test_other_stop_reasons_end_or_continue_the_answer(name: str, reason: str, calls: int) -> None:
    turn = turn_of(LocalServer(name, say("It is", stop_reason=reason), say(" one.")))

    assert turn.text == ("It is" if calls == 1 else "It is one.")
    assert len(turn.transcript.calls) == calls


@servers
def test_tokens_are_counted_wherever_they_are_reported(name: str) -> None:
    turn = turn_of(LocalServer(name, say("It is one.")))

    assert turn.result.usage["input_tokens"] == (0 if name == "litellm" else 100)


@servers
def test_too_long_prompt_is_reported(name: str) -> None:
    script = LocalServer(name)
    script.add(script.refuse(*script.dialect.too_long))

    assert turn_of(script).error.code == "context_too_long"


@servers
def test_error_in_another_format_ends_the_turn_with_a_message(name: str) -> None:
    script = LocalServer(name)
    script.add(script.refuse(404, "model 'llama9' not found, try pulling it first"))

    error = turn_of(script).error

    assert error.code == "internal"
    assert str(error.message).startswith(str(FAILURES["internal"]()))


def test_error_in_an_answer_is_followed_by_a_continuation() -> None:
    broken = interrupted("It is").but(error={"type": "InternalServerError", "message": "CUDA error"})

    turn = turn_of(LocalServer("vllm", broken, say(" one.")))

    assert turn.text == "It is one."


@servers
def test_loading_or_busy_server_is_retried(name: str) -> None:
    script = LocalServer(name)
    script.add(*[script.still_loading()] * 20, say("Here I am."))
    clock = ManualClock()

    async def two_minutes() -> None:
        for _ in range(120):
            await clock.advance(1)

    turn = turn_of(script, clock=clock, meanwhile=two_minutes)

    assert turn.text == "Here I am."
    assert turn.statuses() == ["thinking", LOADING if name in {"llama_cpp", "vllm"} else BUSY, "thinking"]


def test_exhausted_gateway_budget_is_retried_like_any_provider() -> None:
    script = LocalServer("litellm")
    script.add(*[script.refuse(429, "Budget has been exceeded! Max budget: 10.0")] * 20)
    clock = ManualClock()

    async def a_minute() -> None:
        for _ in range(60):
            await clock.advance(1)

    turn_of(script, clock=clock, meanwhile=a_minute)

    # The first call was refused because of its tool_choice.
    assert len(script.requests) == 1 + 3


@servers
def test_slow_first_token_is_waited_for_and_reported(name: str) -> None:
    gate = Gate()
    clock = ManualClock()

    async def three_minutes() -> None:
        await arrived(gate)
        await clock.advance(4)
        await clock.advance(180)
        gate.open()

    script = LocalServer(name, Reply(blocks=(THOUGHT, {"type": "text", "text": "At last."}), gate=gate))
    turn = turn_of(script, clock=clock, meanwhile=three_minutes)

    assert turn.text == "At last."
    assert turn.statuses() == ["thinking", LOADING, "thinking"]


@servers
def test_missing_first_token_ends_the_turn(name: str) -> None:
    gate = Gate()
    clock = ManualClock()

    async def too_long() -> None:
        await arrived(gate)
        await clock.advance(PATIENCE + 1)

    turn = turn_of(LocalServer(name, say("Never", gate=gate)), clock=clock, meanwhile=too_long)

    assert turn.error.code == "timeout"
    assert turn.error.message == NO_FIRST_TOKEN(count=240)


def test_queued_call_is_reported_as_waiting() -> None:
    """A server with one slot answers requests one after the other."""
    gate = Gate()
    script = LocalServer("llama_cpp", say("First", gate=gate), say("Second", gate=gate))
    clock = ManualClock()

    async def scene() -> list[list[object]]:
        model = model_of(script, clock=clock, first_token_seconds=PATIENCE)
        calls = [asyncio.ensure_future(events_of(model)) for _ in range(2)]
        await arrived(gate)
        await clock.advance(4)
        gate.open()
        return [list(events) for events in await asyncio.gather(*calls)]

    _, second = asyncio.run(scene())

    assert second[0] == Waiting("busy")


async def arrived(gate: Gate) -> None:
    """Wait until the reply is held."""
    assert await asyncio.to_thread(gate.reached.wait, 60)
