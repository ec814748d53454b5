"""For any model and any time of stopping, requests are valid, the stream follows its grammar and tools run once."""
from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.agent.client.anthropic_model import AnthropicModel
from chat.agent.events import AgentComplete, AgentEvent, AgentToolStart
from chat.agent.loop import AgentRequest, run_agent
from chat.agent.reader_interface import CheckResult
from chat.agent.transcript import Transcript
from chat.reader import TurnReader
from tests.chat.agent.turn import RULES, Json, echo, is_valid, run, tool
from tests.hypothesis_examples import examples
from tests.scripted_model import Reply, ScriptedModel, refuse, say, use
from tests.waiting_clock import WaitingClock

TOOLS = (tool("get"), tool("set"))
TEXTS = st.lists(
    st.sampled_from(
        [
            *["Some words. ", "\n\n", "PLAN: ", 'PLAN: {"operations": [{"do": 1}, {"do": 2}]}', '{"do": 3}', "]}", "`"],
            *['PLAN: {"operations": [{"make": 1}]}', 'CARD: {"title": "faulty"}', 'CARD: {"title": 1}', "CARD: {"],
            *['SUGGESTED_VALUES: ["a"]', "[[tool:0]]", "```\n", '"', " ", "x"],
        ]
    ),
    max_size=6,
).map("".join)
ENDINGS = st.sampled_from(
    [
        *[{"stop_reason": reason} for reason in ("end_turn", "max_tokens", "pause_turn", "mystery", "refusal")],
        *[{"ending": "cut"}, {"ending": "drop"}, {"ending": "error", "error": {"type": "api_error"}}],
        {"stop_reason": "model_context_window_exceeded"},
    ]
)
CALLS = st.lists(
    st.tuples(st.sampled_from(["get", "set", "gone"]), st.sampled_from([{}, {"n": 1}, {"n": "x"}])),
    min_size=1, max_size=3,
)  # fmt: skip
SIZES = st.lists(st.integers(1, 9), max_size=3)
REPLIES = st.lists(
    st.one_of(
        st.builds(lambda text, sizes, how: say(text, sizes=sizes, **how), TEXTS, SIZES, ENDINGS),
        st.builds(lambda calls, text, sizes: use(*calls, text=text, sizes=sizes), CALLS, TEXTS, SIZES),
        st.builds(lambda calls, text, how: use(*calls, text=text, **how), CALLS, TEXTS, ENDINGS),
        st.just(Reply()),
        st.just(refuse(401, kind="authentication_error")),
    ),
    max_size=8,
)


async def check(payload: Json) -> CheckResult:
    """Report faulty operations for cards with one title."""
    is_faulty = payload["data"].get("title") == "faulty"
    return CheckResult(operation_faults=("title: faulty",) if is_faulty else ())


def runnable(replies: list[Reply]) -> int:
    """Return the number of complete tool calls of the model."""
    whole = [reply for reply in replies if reply.stop_reason == "tool_use" and not reply.ending]
    return sum(block["type"] == "tool_use" for reply in whole for block in reply.blocks)


@examples(80)
@given(replies=REPLIES)
def test_any_script_follows_the_rules(replies: list[Reply]) -> None:
    turn = run(*replies, otherwise=say("Fine."), tools=TOOLS, check=check)  # validates requests and stream
    assert turn.exchange_is_valid()
    assert turn.text == turn.result.message
    assert len(turn.completed()) <= runnable(replies)
    assert not isinstance(turn.events[-1], AgentComplete) or turn.result.message.strip() or turn.result.payload
    kinds = [call.kind for call in turn.transcript.calls]
    assert kinds.count("continuation") <= 2
    assert kinds.count("repair") <= 1
    assert len(kinds) <= 5 + 2 + 1


@examples(60)
@given(replies=REPLIES, after=st.integers(1, 30))
def test_turn_stopped_at_any_time_leaves_a_valid_history(replies: list[Reply], after: int) -> None:
    script = ScriptedModel(*replies, otherwise=say("Fine."))
    transcript = Transcript()

    async def stop_after() -> list[AgentEvent]:
        model = AnthropicModel(
            api_key="k", base_url="http://m.test", model="m", transport=script.transport(), clock=WaitingClock()
        )
        events: Any = run_agent(
            model=model,
            request=AgentRequest(system=(), messages=[{"role": "user", "content": "Hello"}]),
            tools=TOOLS,
            run_tool=echo,
            reader=TurnReader(RULES),
            transcript=transcript,
            clock=WaitingClock(),
            check_payload=check,
        )
        received = []
        async for event in events:
            received.append(event)
            if len(received) == after:
                with pytest.raises((asyncio.CancelledError, StopAsyncIteration)):
                    await events.athrow(asyncio.CancelledError())
                break
        await model.aclose()
        return received

    received = asyncio.run(stop_after())
    result = transcript.result(stop_reason="cancelled")
    assert is_valid(result.exchange)
    assert script.problems == []
    assert len(result.tool_history) <= sum(isinstance(event, AgentToolStart) for event in received)
