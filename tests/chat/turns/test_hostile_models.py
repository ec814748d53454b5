"""Hostile, broken and merely odd models: exactly one final event, and a conversation that goes on."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.chat.turns.answering import PROPOSAL, answer_of, answered, going_on, said
from tests.scripted import Reply, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
STOP_REASONS = ["end_turn", "max_tokens", "refusal", "tired", "model_context_window_exceeded"]


def raw_use(text: str) -> Reply:
    """A tool call whose input is this text, JSON or not."""
    return Reply(blocks=({"type": "tool_use", "name": "echo", "input": text},), stop_reason="tool_use")


HOSTILE = {
    "NUL in the text": say("a\x00b"),
    "half a surrogate in the text": say("a\ud800b"),
    "NUL in a tool's input": use(("echo", {"say": "a\x00b"})),
    "half a surrogate in a tool's input": use(("echo", {"say": "a\ud800b"})),
    "a number beyond all bounds": raw_use('{"say": 1e999}'),
    "a tool's input without end": raw_use("[" * 3_000),
    "a tool nobody has": use(("gone\x00", {})),
    "an unknown stop reason": say("a b").but(stop_reason="tired"),
    "no answer at all": say(""),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_answer_ends_in_one_final_event_and_the_next_turn_works(user: User, case: str) -> None:
    script = ScriptedModel(HOSTILE[case], otherwise=say("Fine."))
    first, events = answered(user, script)

    second, _ = answered(user, script, going_on(first))

    finals = [event["type"] for event in events if event["type"] in {"complete", "error", "cancelled"}]
    assert finals == [events[-1]["type"]] == ["complete"]
    assert first.state == second.state == "complete"
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
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(replies=st.lists(REPLIES, min_size=1, max_size=6))
def test_whatever_the_model_does_the_stream_keeps_its_grammar_and_the_conversation_goes_on(
    user: User, replies: list[Reply]
) -> None:
    script = ScriptedModel(*replies, otherwise=say("Fine."))
    first, events = answered(user, script)

    second, _ = answered(user, ScriptedModel(say("Fine.")), going_on(first))

    assert said(events) == answer_of(first).text
    assert second.state == "complete"
    assert script.problems == []
