"""Continuations of a cut answer: in the same text, without tools, at most twice."""
from __future__ import annotations

import pytest

from chat.agent.loop import Limits
from tests.chat.agent.turn import run, tool
from tests.scripted_model import Reply, refuse, say, use

GET = tool("get")
CUT = {"ending": "cut"}
DROPPED = {"ending": "drop"}
FULL = {"stop_reason": "max_tokens"}
OVERLOADED = {"ending": "error", "error": {"type": "overloaded_error"}}

every_cut = pytest.mark.parametrize(
    "how",
    [FULL, CUT, {"stop_reason": "mystery"}, DROPPED],
    ids=["max_tokens", "no reason", "unknown", "connection breaks"],
)


@every_cut
def test_cut_text_continues_where_it_stopped(how: dict[str, str]) -> None:
    turn = run(say("Half an ans", **how), say("wer, and the rest."))
    assert turn.result.message == turn.text == "Half an answer, and the rest."
    assert turn.kinds == ["thinking", "text", "thinking", "text", "complete"]
    assert turn.statuses()[1] == "writing_on"
    assert turn.result.elements.warning is None
    assert turn.result.exchange == (
        {"role": "assistant", "content": [{"type": "text", "text": "Half an answer, and the rest."}]},
    )


def test_continuation_is_requested_in_a_user_message_without_tools() -> None:
    turn = run(say("Half", **FULL), say(" and half."), tools=(GET,))
    first, second = turn.script.requests
    assert [first["tool_choice"], second["tool_choice"]] == [{"type": "auto"}, {"type": "none"}]
    assert second["messages"][-2] == {"role": "assistant", "content": [{"type": "text", "text": "Half"}]}
    assert "Continue exactly where it stopped" in turn.prompt_of(1)


def test_marker_split_by_the_cut_is_read() -> None:
    turn = run(say('Here. **CARD:** ', **FULL), say('{"title": "One"} Done.'))
    assert turn.result.message == "Here.  Done."
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "One"}}


@every_cut
def test_cut_element_is_discarded_and_sent_again(how: dict[str, str]) -> None:
    turn = run(say('Here. CARD: {"title": "On', **how), say('CARD: {"title": "Two"}'))
    assert turn.result.message == "Here."
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "Two"}}
    assert "cut off inside CARD" in turn.prompt_of(1)
    assert "shorter" in turn.prompt_of(1)
    assert turn.script.requests[1]["messages"][-2]["content"] == [{"type": "text", "text": "Here. "}]
    assert turn.result.exchange[0]["content"] == [{"type": "text", "text": 'Here. CARD: {"title": "Two"}'}]


@pytest.mark.parametrize("before", ["Here.\n```json\n", "Here. "], ids=["in a fence", "after a word"])
def test_element_sent_again_in_a_fence_leaves_no_fence(before: str) -> None:
    turn = run(say(f'{before}CARD: {{"title": "On', **FULL), say('```json\nCARD: {"title": "Two"}\n```\nDone.'))
    assert turn.result.message.split() == ["Here.", "Done."]
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "Two"}}


def test_model_is_told_the_last_complete_operation_of_a_cut_element() -> None:
    ten = ", ".join('{"do": 1}' for _ in range(10))
    turn = run(say(f'PLAN: {{"operations": [{ten}, {{"do"', **FULL), say('PLAN: {"operations": [{"do": 2}]}'))
    assert "after 10 complete operations" in turn.prompt_of(1)
    assert "at most 7 operations" in turn.prompt_of(1)
    assert [event.reset for event in turn.progress()] == [False, True]
    assert [operation["do"] for operation in turn.progress()[-1].operations] == [2]
    assert turn.exchange_is_valid()


@pytest.mark.parametrize(
    ("how", "stop_reason"), [(FULL, "max_tokens"), (DROPPED, "cut")], ids=["max_tokens", "connection breaks"]
)
def test_user_is_told_of_the_cut_after_two_continuations(how: dict[str, str], stop_reason: str) -> None:
    turn = run(*[say("Half. ", **how)] * 3, say("Never asked for."))
    assert len(turn.script.requests) == 3
    assert turn.result.message == "Half. Half. Half."
    assert turn.result.elements.warning
    assert turn.result.elements.warning.code == "answer_cut_off"
    assert turn.result.stop_reason == stop_reason
    assert turn.exchange_is_valid()


@pytest.mark.parametrize("how", [FULL, DROPPED], ids=["max_tokens", "connection breaks"])
def test_proposal_cut_three_times_is_not_shown_with_a_message(how: dict[str, str]) -> None:
    turn = run(*[say('CARD: {"title": "On', **how)] * 3, say("Never asked for."))
    assert turn.result.elements.payload is None
    assert turn.result.message.startswith("My proposal was cut off")
    assert turn.result.elements.warning is None
    assert len(turn.script.requests) == 3
    assert turn.exchange_is_valid()


@every_cut
def test_cut_tool_call_does_not_run(how: dict[str, str]) -> None:
    turn = run(use(("get", {"n": 1}), text="I will look. ", **how), say("I could not look."), tools=(GET,))
    assert turn.completed() == []
    assert turn.result.message == "I will look. I could not look."
    assert "you called get, which did not run" in turn.prompt_of(1)
    assert turn.exchange_is_valid()


@pytest.mark.parametrize("after", [1, 3, 0], ids=["start", "half the input", "full input"])
def test_tool_call_cut_after_text_does_not_run(after: int) -> None:
    broken = use(("get", {"n": 1}), text="Let me", sizes=(6, 3), ends_after=after and after + 1, **DROPPED)
    turn = run(broken, say(" guess."), tools=(GET,))
    assert turn.completed() == []
    assert turn.result.message == "Let me guess."
    assert "you called get, which did not run" in turn.prompt_of(1)
    assert turn.result.exchange == ({"role": "assistant", "content": [{"type": "text", "text": "Let me guess."}]},)


@pytest.mark.parametrize("after", [1, 2, 0], ids=["start", "half the input", "full input"])
def test_tool_call_cut_before_any_text_fails_the_turn(after: int) -> None:
    turn = run(use(("get", {"n": 1}), sizes=(3,), ends_after=after, **DROPPED), tools=(GET,))
    assert turn.error.code == "provider_unreachable"
    assert turn.completed() == []
    assert turn.exchange_is_valid()


def test_tool_call_in_a_continuation_does_not_run() -> None:
    turn = run(say("Half", **FULL), use(("get", {}), text=" more"), tools=(GET,))
    assert turn.completed() == []
    assert turn.result.message == "Half more"
    assert turn.result.elements.warning
    assert turn.exchange_is_valid()


@pytest.mark.parametrize("nothing", [Reply(**FULL), say("", **CUT)], ids=["no blocks", "empty text"])
def test_answer_cut_before_its_start_is_requested_again(nothing: Reply) -> None:
    turn = run(nothing, say("Here it is."))
    assert turn.result.message == "Here it is."
    assert "before its first word" in turn.prompt_of(1)
    assert turn.exchange_is_valid()


def test_answer_after_tools_is_continued() -> None:
    turn = run(use(("get", {"n": 1})), say("Nine r", **FULL), say("ows."), tools=(GET,))
    assert turn.result.message == "[[tool:0]]Nine rows."
    assert turn.exchange_is_valid()


def test_continuations_do_not_count_as_iterations() -> None:
    replies = [use(("get", {}), text="a"), say("Half", **FULL), say(" more", **FULL), say(" done.")]
    turn = run(*replies, tools=(GET,), limits=Limits(max_iterations=2))
    assert turn.result.message == "a[[tool:0]]Half more done."
    assert turn.result.elements.warning is None


def test_calls_are_recorded_with_their_purpose() -> None:
    turn = run(say("Half", **FULL), say(" and half."))
    assert [call.kind for call in turn.transcript.calls] == ["answer", "continuation"]
    assert turn.result.usage["input_tokens"] == 200


@pytest.mark.parametrize(
    ("failing", "message"),
    [
        ([refuse(401, kind="authentication_error")], "Half"),
        ([Reply(**DROPPED)] * 3, "Half"),
        ([say(" and mo", **OVERLOADED)], "Half and mo"),
        ([say(" and mo", **DROPPED), refuse(401, kind="authentication_error")], "Half and mo"),
    ],
    ids=["refused", "server unavailable", "error after the start", "cut, then refused"],
)
@pytest.mark.parametrize("how", [FULL, DROPPED], ids=["max_tokens", "connection breaks"])
def test_failed_continuation_leaves_the_text_before_it(
    how: dict[str, str], failing: list[Reply], message: str
) -> None:
    turn = run(say("Half", **how), *failing)
    assert turn.kinds[-1] == "complete"
    assert turn.text == turn.result.message == message
    assert turn.result.elements.warning
    assert turn.result.elements.warning.code == "answer_cut_off"
    assert turn.result.exchange == ({"role": "assistant", "content": [{"type": "text", "text": message}]},)
    assert turn.exchange_is_valid()


def test_proposal_with_a_failed_continuation_leaves_the_text_before_it() -> None:
    turn = run(say('Here. CARD: {"title": "On', **DROPPED), refuse(401, kind="authentication_error"))
    assert turn.kinds[-1] == "complete"
    assert turn.text == turn.result.message == "Here."
    assert turn.result.elements.warning
    assert turn.result.elements.warning.code == "answer_cut_off"
    assert turn.exchange_is_valid()


def test_refusal_in_a_continuation_is_reported() -> None:
    turn = run(say("Half", **FULL), Reply(stop_reason="refusal"))
    assert turn.result.message.startswith("Half\n\nThe model declined")
