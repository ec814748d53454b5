"""A provider that goes silent, over real HTTP: its call is closed at the deadline, and the conversation goes on."""
from __future__ import annotations

import asyncio

import pytest
from django.contrib.auth.models import Group, User

from tests.chat.turns.answering import going_on
from tests.chat.turns.test_failures import MAKE, WHOLE, failures_in, over_http
from tests.hand_clock import HandClock
from tests.hasty_clock import HastyClock
from tests.scripted import Gate, ScriptedModel, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

SILENCES = {
    "before a word": say("Never", gate=Gate()),
    "in the text": say("Half an answer", sizes=(4,), gate=Gate(), gate_after=1),
    "in a tool": use(MAKE, sizes=(4,), gate=Gate(), gate_after=2),
    "in a proposal": say(WHOLE, sizes=(4,), gate=Gate(), gate_after=6),
}


@pytest.mark.parametrize("name", SILENCES)
def test_silence_ends_at_the_deadline(user: User, name: str, caplog: pytest.LogCaptureFixture) -> None:
    reply = SILENCES[name]
    script, clock = ScriptedModel(reply), HandClock()

    async def pass_time() -> None:
        assert reply.gate is not None
        await asyncio.to_thread(reply.gate.reached.wait, 60)
        await clock.advance(30)

    turn, events = over_http(script, user=user, clock=clock, meanwhile=pass_time)

    assert (events[-1]["type"], events[-1]["code"], events[-1]["retryable"]) == ("error", "timeout", True)
    assert not Group.objects.exists()
    assert script.left == 1
    assert failures_in(caplog) == []
    after, _ = over_http(ScriptedModel(say("Yes.")), user=user, clock=HastyClock(), request=going_on(turn))
    assert after.state == "complete"
