"""Hostile and broken models: exactly one final event, and a conversation that goes on."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat.turns.turn_runs import PROPOSAL, answer_of, next_request, run_turn, text_of
from tests.scripted_model import Reply, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
STOP_REASONS = ["end_turn", "max_tokens", "refusal", "tired", "model_context_window_exceeded"]


def raw_use(text: str) -> Reply:
    """Return a tool call whose input is this text, JSON or not."""
    return Reply(blocks=({"type": "tool_use", "name": "echo", "input": text},), stop_reason="tool_use")


def immediate_use(tool_input: Any) -> Reply:
    """Return a tool call whose input comes with the start of its block."""
    block = {"type": "tool_use", "name": "echo", "input": tool_input, "at_once": True}
    return Reply(blocks=(block,), stop_reason="tool_use")


HOSTILE = {
    "NUL in the text": say("a\x00b"),
    "half a surrogate in the text": say("a\ud800b"),
    "NUL in a tool's input": use(("echo", {"say": "a\x00b"})),
    "half a surrogate in a tool's input": use(("echo", {"say": "a\ud800b"})),
    "a number beyond all bounds": raw_use('{"say": 1e999}'),
    "a tool's input without end": raw_use("[" * 3_000),
    "unknown tool": use(("gone\x00", {})),
    "a tool whose name is a sentence": use(("please echo, " * 30, {"say": "x"})),
    "a tool without a name": use(("", {"say": "x"})),
    "a tool almost named like one there is": use(("make group", {"name": "made"})),
    "a tool's input at once": immediate_use({"say": "x"}),
    "a tool's input at once that is a list": immediate_use([1]),
    "a tool's input at once that is half a surrogate": immediate_use({"say": "a\ud800b"}),
    "a tool's input at once that is beyond all bounds": immediate_use({"say": float("inf")}),
    "half a surrogate in its thoughts": Reply(
        blocks=({"type": "thinking", "thinking": "a\ud800b"}, *use(("echo", {"say": "x"})).blocks),
        stop_reason="tool_use",
    ),
    "tokens beyond all bounds": say("Hello.", usage={"input_tokens": 10**30, "cache_read_input_tokens": 10**30}),
    "negative token count": say("Hello.", usage={"input_tokens": -(10**9)}),
    "an unknown stop reason": say("a b").but(stop_reason="tired"),
    "no answer at all": say(""),
}


@override_settings(CHAT_TOKENS_A_DAY=100_000_000)
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_answer_has_one_final_event_and_the_next_turn_works(user: User, case: str) -> None:
    script = ScriptedModel(HOSTILE[case], otherwise=say("Fine."))
    first, events = run_turn(user, script)

    second, _ = run_turn(user, script, next_request(first))

    finals = [event["type"] for event in events if event["type"] in {"complete", "error", "cancelled"}]
    assert finals == [events[-1]["type"]] == ["complete"]
    assert first.state == second.state == "complete"
    assert not Group.objects.exists()
    assert all(0 <= tokens < 2**62 for tokens in first.usage.values())
    assert script.problems == []


REPLIES = st.one_of(
    st.builds(say, st.text(max_size=40), sizes=st.lists(st.integers(1, 7), min_size=1, max_size=3)),
    st.builds(
        lambda ending, size: say("Some words in between.", sizes=(size,), ending=ending, error={"type": "api_error"}),
        st.sampled_from(["cut", "drop", "error"]),
        st.integers(1, 9),
    ),
    st.builds(
        lambda names: use(*[(name, {"say": "x", "name": "x!"}) for name in names], text="Let me see."),
        st.lists(st.sampled_from(["echo", "make_group", "count_slowly", "gone"]), min_size=1, max_size=3),
    ),
    st.builds(lambda text, stop: say(text).but(stop_reason=stop), st.just(PROPOSAL), st.sampled_from(STOP_REASONS)),
    st.just(refuse(401, kind="authentication_error")),
)


@override_settings(CHAT_TURNS_A_MINUTE=1_000)
@settings(max_examples=25)
@given(replies=st.lists(REPLIES, min_size=1, max_size=6))
def test_any_model_leaves_a_valid_stream_and_a_usable_conversation(
    user: User, replies: list[Reply]
) -> None:
    script = ScriptedModel(*replies, otherwise=say("Fine."))
    first, events = run_turn(user, script)

    second, _ = run_turn(user, ScriptedModel(say("Fine.")), next_request(first))

    assert text_of(events) == answer_of(first).text
    assert second.state == "complete"
    assert script.problems == []
