"""A silent provider over HTTP: its call is closed at the deadline, and the conversation goes on."""
from __future__ import annotations

import asyncio

import pytest
from django.contrib.auth.models import Group, User

from tests.chat.turns.test_failures import MAKE, WHOLE, Case, fails, failures_in, run_over_http
from tests.chat.turns.turn_runs import next_request
from tests.fast_clock import FastClock
from tests.manual_clock import ManualClock, settle
from tests.scripted_model import Gate, ScriptedModel, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

SILENCES = {
    "before any text": fails(say("Never", gate=Gate()), code="timeout"),
    "in the text": Case(
        (say("Half an answer", sizes=(4,), gate=Gate(), gate_after=1), say(" and half.")),
        words="Half and half.",
        calls=2,
    ),
    "in a tool": fails(use(MAKE, sizes=(4,), gate=Gate(), gate_after=2), code="timeout"),
    "in a proposal": Case((say(WHOLE, sizes=(4,), gate=Gate(), gate_after=6), say(WHOLE)), calls=2),
}


@pytest.mark.parametrize("name", SILENCES)
def test_silent_call_ends_at_its_deadline(user: User, name: str, caplog: pytest.LogCaptureFixture) -> None:
    case = SILENCES[name]
    script, clock, gate = ScriptedModel(*case.replies), ManualClock(), case.replies[0].gate
    assert gate is not None

    async def pass_time() -> None:
        await asyncio.to_thread(gate.reached.wait, 60)
        # Advance only once: the continuation needs its own time, however long its real connection takes.
        if clock.monotonic() == 0:
            await clock.advance(121)
        await settle()

    turn, events = run_over_http(script, user=user, clock=clock, meanwhile=pass_time)

    last = events[-1]
    assert (last["type"], last.get("code", "")) == (case.final, case.code)
    assert case.words in (last.get("message") or last["payload"]["message"])
    assert len(script.requests) == case.calls
    assert not Group.objects.exists()
    assert script.left == 1
    assert failures_in(caplog) == []
    after, _ = run_over_http(ScriptedModel(say("Yes.")), user=user, clock=FastClock(), request=next_request(turn))
    assert after.state == "complete"
