"""Turns at the deadline of a model call or of the turn: 120 and 300 seconds by default."""
from __future__ import annotations

import pytest

from tests.chat.agent.turn import Turn, advance_at, run, tool
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, Reply, say, use

GET = tool("get")


def timed_out(*replies: Reply, after: float = 121) -> Turn:
    """Run a turn in which `after` seconds pass at the gate of each reply."""
    clock = ManualClock()
    waits = [(reply.gate, after) for reply in replies if reply.gate is not None]
    return run(*replies, tools=(GET,), clock=clock, meanwhile=advance_at(clock, *waits))


def silent_after(text: str, *, after: int = 1) -> Reply:
    """Return a reply that stops sending after this many deltas of five characters."""
    return say(text, sizes=(5,), gate=Gate(), gate_after=after)


def test_text_of_a_timed_out_call_is_continued() -> None:
    turn = timed_out(silent_after("Half of it"), say("and half."))
    assert turn.result.message == turn.text == "Half and half."
    assert turn.result.elements.warning is None
    assert "Continue exactly where it stopped" in turn.prompt_of(1)
    assert turn.script.left == 1
    assert turn.exchange_is_valid()


def test_element_of_a_timed_out_call_is_requested_again() -> None:
    turn = timed_out(silent_after('Here. CARD: {"title": "One"}', after=4), say('CARD: {"title": "Two"}'))
    assert turn.result.message == "Here."
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "Two"}}
    assert "cut off inside CARD" in turn.prompt_of(1)
    assert turn.exchange_is_valid()


def test_tool_call_that_times_out_after_text_does_not_run() -> None:
    half = use(("get", {"n": 1}), text="Wait.", sizes=(5,), gate=Gate(), gate_after=2)
    turn = timed_out(half, say(" It is not done."))
    assert turn.completed() == []
    assert turn.result.message == "Wait. It is not done."
    assert "you called get, which did not run" in turn.prompt_of(1)
    assert turn.exchange_is_valid()


WITHOUT_TEXT = {
    "before the answer": say("Never", gate=Gate()),
    "in a tool call": use(("get", {"n": 1}), sizes=(3,), gate=Gate(), gate_after=1),
    "after white space": silent_after("\n\n\n\n\nNever"),
}


@pytest.mark.parametrize("reply", WITHOUT_TEXT.values(), ids=WITHOUT_TEXT)
def test_call_that_times_out_before_any_text_fails_the_turn(reply: Reply) -> None:
    turn = timed_out(use(("get", {}), text="I will look. "), reply)
    assert (turn.error.code, turn.error.retryable) == ("timeout", True)
    assert turn.result.message == turn.text == "I will look. [[tool:0]]"
    assert len(turn.script.requests) == 2
    assert turn.exchange_is_valid()


def test_continuation_that_times_out_before_any_text_leaves_the_text_before_it() -> None:
    turn = timed_out(silent_after("Half of it"), silent_after("Never", after=0))
    assert turn.kinds[-1] == "complete"
    assert turn.result.message == turn.text == "Half"
    assert turn.result.elements.warning
    assert turn.result.elements.warning.code == "answer_cut_off"
    assert turn.exchange_is_valid()


def test_answer_whose_calls_all_time_out_ends_with_the_turn() -> None:
    turn = timed_out(silent_after("One, and"), silent_after("two, and"), silent_after("three and"))
    assert turn.kinds[-1] == "complete"
    assert turn.result.message == turn.text == "One, two, three"
    assert turn.result.elements.warning
    assert turn.result.elements.warning.code == "answer_cut_off"
    assert [call.ended for call in turn.transcript.calls] == [121, 242, 363]
    assert turn.exchange_is_valid()


@pytest.mark.parametrize("text", ["Half of it", 'Half CARD: {"title": "One"}'], ids=["in text", "in an element"])
def test_answer_at_the_deadline_of_the_turn_is_not_continued(text: str) -> None:
    turn = timed_out(silent_after(text, after=len(text) // 5), after=301)
    assert (turn.error.code, turn.error.retryable) == ("timeout", True)
    assert turn.result.message == turn.text
    assert turn.text.startswith("Half")
    assert len(turn.script.requests) == 1
    assert turn.exchange_is_valid()
