"""Retries of calls that fail before their first token: number, waits and limits."""
from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.agent.model import ModelFailure, Retrying, TextDelta
from tests.chat.agent.model_call import call, events_of, failure_of, model_of
from tests.scripted_model import Reply, ScriptedModel, refuse, say, use
from tests.waiting_clock import WaitingClock


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuse(529, kind="overloaded_error"), "provider_overloaded"),
        (refuse(500, kind="api_error"), "provider_overloaded"),
        (refuse(503, kind="whatever"), "provider_overloaded"),
        (refuse(429, kind="rate_limit_error"), "rate_limited"),
        (refuse(502, kind="bad_gateway"), "provider_unreachable"),
        (Reply(ending="error", error={"type": "overloaded_error", "message": "no"}), "provider_overloaded"),
        (Reply(ending="drop"), "provider_unreachable"),
    ],
)
def test_temporary_failure_is_retried_and_each_wait_is_reported(reply: Reply, code: str) -> None:
    clock = WaitingClock()
    events = call(reply, reply, say("At last."), clock=clock)
    assert events[:2] == [Retrying(code=code, seconds=1.0), Retrying(code=code, seconds=4.0)]
    assert events[2] == TextDelta("At last.")
    assert clock.slept == [1.0, 4.0]
    assert failure_of(reply, reply, reply).code == code


def test_short_wait_requested_by_the_provider_is_used() -> None:
    clock = WaitingClock()
    call(refuse(429, kind="rate_limit_error", retry_after=7), say("Yes."), clock=clock)
    assert clock.slept == [7.0]


def test_long_wait_requested_by_the_provider_is_reported_instead() -> None:
    failure = failure_of(refuse(429, kind="rate_limit_error", retry_after=3600))
    assert (failure.code, failure.retry_after) == ("rate_limited", 3600.0)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1, 86_400])
def test_meaningless_wait_is_not_reported(seconds: float) -> None:
    failure = failure_of(*[refuse(429, kind="rate_limit_error", retry_after=seconds)] * 3)
    assert (failure.code, failure.retry_after) == ("rate_limited", None)


def test_total_wait_is_below_twenty_seconds() -> None:
    slow = refuse(529, kind="overloaded_error", retry_after=15)
    clock = WaitingClock()
    with pytest.raises(ModelFailure):
        call(slow, slow, say("Too late."), clock=clock)
    assert clock.slept == [15.0]


@pytest.mark.parametrize(
    ("limits", "slept"),
    [
        pytest.param({"retries": 0}, [], id="no retry"),
        pytest.param({"retries": 1}, [1.0], id="one retry"),
        pytest.param({"retries": 99, "retry_seconds": 999.0}, [1.0, 4.0], id="at most two"),
        pytest.param({"retry_seconds": 4.5}, [1.0], id="no time for the second"),
        pytest.param({"retry_seconds": 0.0}, [], id="no time at all"),
    ],
)
def test_limits_of_retries_apply(limits: dict[str, Any], slept: list[float]) -> None:
    clock = WaitingClock()
    script = ScriptedModel(*[refuse(529, kind="overloaded_error")] * 9)
    with pytest.raises(ModelFailure):
        asyncio.run(events_of(model_of(script, clock=clock, **limits)))
    assert clock.slept == slept
    assert len(script.requests) == len(slept) + 1


@pytest.mark.parametrize("limits", [{}, {"retry_seconds": 999.0}], ids=["default", "higher limit"])
def test_no_wait_exceeds_twenty_seconds(limits: dict[str, Any]) -> None:
    clock = WaitingClock()
    script = ScriptedModel(refuse(529, kind="overloaded_error", retry_after=21), say("Too late."))
    with pytest.raises(ModelFailure):
        asyncio.run(events_of(model_of(script, clock=clock, **limits)))
    assert clock.slept == []


OVERLOADED = {"type": "overloaded_error", "message": "no"}
THOUGHT = Reply(blocks=({"type": "thinking", "thinking": "Hm."},), ending="drop")
FAILURES_AFTER_START = {
    "an error after text": (say("Half an ans", ending="error", error=OVERLOADED), "provider_overloaded"),
    "an error in a tool": (use(("get", {"n": 1}), ending="error", error=OVERLOADED), "provider_overloaded"),
    "a break in a tool": (use(("get", {"n": 1}), sizes=(3,), ending="drop"), "provider_unreachable"),
    "a break after thinking": (THOUGHT, "provider_unreachable"),
    "a break after white space": (say(" \n", ending="drop"), "provider_unreachable"),
}


@pytest.mark.parametrize(
    ("reply", "code"), FAILURES_AFTER_START.values(), ids=FAILURES_AFTER_START
)
def test_call_is_not_repeated_after_the_answer_has_started(reply: Reply, code: str) -> None:
    script = ScriptedModel(reply, say("Another."))
    with pytest.raises(ModelFailure) as caught:
        asyncio.run(events_of(model_of(script)))
    assert caught.value.code == code
    assert len(script.requests) == 1
