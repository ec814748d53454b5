"""The agent's loop: from one request to one final event."""
from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.agent.client.anthropic_model import AnthropicModel
from chat.agent.clock import Clock, SystemClock
from chat.agent.events import AgentComplete, AgentError, AgentThinking
from chat.agent.loop import AgentRequest, Limits, run_agent
from chat.agent.reader_interface import CheckResult
from chat.agent.tool_runner import Emit
from chat.agent.tools import ToolConfig
from chat.agent.transcript import Transcript
from chat.reader import TurnReader
from tests.chat.agent.turn import RULES, Json, is_valid, run, tool
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, Reply, ScriptedModel, refuse, say, use

GET, SET = tool("get"), tool("set", writes="row")


def test_plain_answer_is_one_status_its_text_and_complete() -> None:
    turn = run(say("Hello there.", sizes=(5,)))
    assert turn.kinds == ["thinking", "text", "text", "text", "complete"]
    assert turn.result.message == turn.text == "Hello there."
    assert turn.result.stop_reason == "end_turn"
    assert turn.result.exchange == ({"role": "assistant", "content": [{"type": "text", "text": "Hello there."}]},)
    assert turn.result.usage["input_tokens"] == 100


def test_tools_run_between_calls_and_are_followed_by_their_markers() -> None:
    turn = run(use(("get", {"n": 1}), ("set", {}), text="Let me see.\n"), say("Done."), tools=(GET, SET))
    middle = ["start get", "complete get", "[[tool:0]]", "start set", "complete set", "[[tool:1]]"]
    assert turn.kinds == ["thinking", "text", "text", *middle, "thinking", "text", "complete"]
    assert turn.result.message == turn.text == "Let me see.\n[[tool:0]][[tool:1]]Done."
    assert [entry["output"] for entry in turn.result.tool_history] == ["get {'n': 1}", "set {}"]
    assert turn.result.usage["input_tokens"] == 200
    assert turn.exchange_is_valid()


def test_results_are_sent_in_the_order_of_the_calls() -> None:
    turn = run(use(("get", {"n": 1}), ("get", {"n": 2})), say("Done."), tools=(GET,))
    results = turn.script.requests[1]["messages"][-1]["content"]
    assert [result["content"] for result in results] == ["get {'n': 1}", "get {'n': 2}"]


def test_thinking_is_sent_back_only_with_its_tools() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    hidden = {"type": "redacted_thinking", "data": "abc"}
    called = {"type": "tool_use", "id": "t1", "name": "get", "input": {}}
    turn = run(Reply(blocks=(thought, hidden, called), stop_reason="tool_use"), say("Done."), tools=(GET,))
    assert turn.script.requests[1]["messages"][-2]["content"] == [thought, hidden, called]
    block_types = [block["type"] for message in turn.result.exchange for block in message["content"]]
    assert block_types == ["tool_use", "tool_result", "text"]


def test_duplicate_ids_of_a_server_are_distinguished() -> None:
    same = {"type": "tool_use", "id": "call_0", "name": "get", "input": {}}
    replies = [Reply(blocks=(same, same), stop_reason="tool_use"), Reply(blocks=(same,), stop_reason="tool_use")]
    turn = run(*replies, say("Done."), tools=(GET,))
    blocks = [block for message in turn.script.requests[2]["messages"] for block in message["content"]]
    ids = [block["id"] for block in blocks if isinstance(block, dict) and block["type"] == "tool_use"]
    assert len(set(ids)) == len(ids) == 3
    assert turn.result.message == "[[tool:0]][[tool:1]][[tool:2]]Done."


def test_last_call_declares_tools_and_forbids_their_use() -> None:
    turn = run(use(("get", {})), use(("get", {})), say("Enough."), tools=(GET,), limits=Limits(max_iterations=3))
    assert [request["tool_choice"]["type"] for request in turn.script.requests] == ["auto", "auto", "none"]
    assert all(request["tools"] for request in turn.script.requests)


def test_endless_tool_calls_are_stopped() -> None:
    turn = run(*[use(("get", {}))] * 3, tools=(GET,), limits=Limits(max_iterations=3))
    assert len(turn.completed()) == 2
    assert turn.kinds[-1] == "complete"
    assert turn.result.message.startswith("[[tool:0]][[tool:1]]")
    assert turn.result.elements.warning
    assert turn.result.elements.warning.code == "out_of_steps"
    assert turn.exchange_is_valid()


def test_paused_answer_continues_in_the_same_text() -> None:
    turn = run(say('First. CARD: {"title"', stop_reason="pause_turn"), say(': "One"} Second.'))
    assert turn.result.message == "First.  Second."
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "One"}}
    assert len(turn.result.exchange) == 1
    assert turn.exchange_is_valid()


def test_refusal_is_reported() -> None:
    turn = run(Reply(stop_reason="refusal"))
    assert "declined" in turn.result.message
    assert turn.exchange_is_valid()


@pytest.mark.parametrize("reply", [Reply(), say(" \n")], ids=["no blocks", "white space"])
def test_empty_answer_is_reported(reply: Reply) -> None:
    turn = run(reply)
    assert "no answer" in turn.result.message
    assert turn.exchange_is_valid()


def test_context_overflow_is_an_error_with_advice() -> None:
    turn = run(say("Half", stop_reason="model_context_window_exceeded"))
    assert turn.error.code == "context_too_long"
    assert turn.error.message.code == "context_too_long"


def test_too_large_request_is_not_sent() -> None:
    async def long_output(*_: Any) -> str:
        return "x" * 2_000

    turn = run(use(("get", {})), say("Done."), tools=(GET,), run_tool=long_output, limits=Limits(request_bytes=2_000))
    assert turn.error.code == "context_too_long"
    assert len(turn.script.requests) == 1
    assert turn.exchange_is_valid()


def test_wait_before_a_retry_is_reported() -> None:
    turn = run(refuse(529, kind="overloaded_error"), say("Yes."))
    waits = [event.message for event in turn.events if isinstance(event, AgentThinking)]
    assert str(waits[1]) == "The assistant's model is overloaded. Trying again in 1 s…"


def test_failure_ends_in_an_error_after_the_text_so_far() -> None:
    turn = run(say("Half an answer **", ending="error", error={"type": "overloaded_error"}))
    assert turn.kinds == ["thinking", "text", "text", "error"]
    assert turn.error.code == "provider_overloaded"
    assert turn.result.message == turn.text == "Half an answer **"
    # The next turn continues from it.
    assert turn.result.exchange[-1]["content"] == [{"type": "text", "text": "Half an answer **"}]
    assert turn.exchange_is_valid()


def test_bug_ends_in_an_error_with_the_id_of_its_log_entry(caplog: pytest.LogCaptureFixture) -> None:
    async def crash(payload: Json) -> CheckResult:
        raise ZeroDivisionError("here")

    turn = run(say('CARD: {"title": "One"}'), check=crash)
    assert turn.error.code == "internal"
    assert turn.error.message.params["id"] in caplog.text
    assert "ZeroDivisionError" not in str(turn.error.message)


def test_deltas_contain_no_part_of_a_payload() -> None:
    turn = run(say('Here. **CARD:** {"title": "One"}\n\nSUGGESTED_VALUES: ["a"]', sizes=(1, 2, 3)))
    assert turn.text == turn.result.message == "Here."
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "One"}}


def test_elements_before_a_tool_call_are_removed_and_reported_to_the_model() -> None:
    turn = run(use(("get", {}), text='CARD: {"title": "Early"}'), say("Done."), tools=(GET,))
    assert turn.result.elements.payload is None
    *_, note = turn.script.requests[1]["messages"][-1]["content"]
    assert note["type"] == "text"
    assert "CARD" in note["text"]


async def start(script: ScriptedModel, *, clock: Clock, limits: Limits, transcript: Transcript) -> Any:
    async def hang(config: ToolConfig, params: Json, emit: Emit) -> str:
        await asyncio.Event().wait()
        return ""

    return run_agent(
        model=AnthropicModel(
            api_key="k", base_url="http://m.test", model="m", transport=script.transport(), clock=clock
        ),
        request=AgentRequest(system=(), messages=[{"role": "user", "content": "Hello"}]),
        tools=(GET,),
        run_tool=hang,
        reader=TurnReader(RULES),
        transcript=transcript,
        limits=limits,
        clock=clock,
    )


@pytest.mark.parametrize(
    "reply", [say("Half", gate=Gate(), gate_after=1), use(("get", {}), text="Half")], ids=["model", "tool"]
)
def test_hanging_turn_ends_at_its_deadline(reply: Reply) -> None:
    script, clock = ScriptedModel(reply), ManualClock()

    async def go() -> list[Any]:
        events = await start(script, clock=clock, limits=Limits(turn_seconds=100), transcript=Transcript())

        async def consume() -> list[Any]:
            return [event async for event in events]

        turn = asyncio.ensure_future(consume())
        await clock.advance(99)
        assert not turn.done()
        await clock.advance(2)
        return await turn

    last = asyncio.run(go())[-1]
    assert isinstance(last, AgentError)
    assert (last.code, last.result.message) == ("timeout", "Half")
    assert is_valid(last.result.exchange)
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "reply", [say("Half", gate=Gate(), gate_after=1), use(("get", {}), text="Half")], ids=["model", "tool"]
)
def test_cancelled_turn_leaves_a_valid_transcript(reply: Reply) -> None:
    transcript = Transcript()
    script = ScriptedModel(reply)

    async def go() -> None:
        events = await start(script, clock=SystemClock(), limits=Limits(), transcript=transcript)
        has_text = asyncio.Event()

        async def consume() -> None:
            async for event in events:
                assert not isinstance(event, AgentComplete)
                if transcript.message == "Half":
                    has_text.set()

        task = asyncio.ensure_future(consume())
        await has_text.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    result = transcript.result(stop_reason="cancelled")
    assert result.message == "Half"
    assert is_valid(result.exchange)
