"""What a person's turns may take a day: counted whatever comes of them, asked before each call of the model."""
from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test.utils import override_settings
from django.utils import timezone

from chat.agent.clock import SystemClock
from chat.models import TokenUse
from chat.prompt import BYTES_PER_TOKEN
from chat.selectors import seconds_to_next_day, tokens_used
from chat.services import count_tokens
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from chat.turns.test_hooks import use_transport
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answer_of, answered
from tests.local_servers import LocalServer
from tests.scripted_model import Gate, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def used(user: User) -> int:
    return tokens_used(user.pk, now=timezone.now())


def test_the_tokens_of_every_call_are_counted(user: User) -> None:
    turn, _ = answered(user, ScriptedModel(use(("echo", {"say": "hi"})), say("Done.")))

    assert used(user) == turn.usage["input_tokens"] + turn.usage["output_tokens"] > 200


@override_settings(CHAT_TOKENS_A_DAY=1_000)
def test_when_they_are_used_up_no_call_is_made_and_the_person_is_told_until_when(user: User) -> None:
    count_tokens(user_id=user.pk, tokens=1_000, now=timezone.now())
    script = ScriptedModel()

    turn, events = answered(user, script)

    assert script.requests == []
    assert (turn.state, turn.error_code) == ("error", "budget_exhausted")
    assert (events[-1]["code"], events[-1]["retryable"]) == ("budget_exhausted", False)
    assert 0 < events[-1]["retry_after"] <= 86_400
    assert "1,000 tokens" in events[-1]["message"]
    assert "midnight UTC" in events[-1]["message"]


@override_settings(CHAT_TOKENS_A_DAY=100)
def test_a_turn_that_uses_them_up_ends_before_its_next_call_and_keeps_what_was_said(user: User) -> None:
    script = ScriptedModel(use(("echo", {"say": "hi"}), text="Let me look."))

    turn, _ = answered(user, script)

    assert len(script.requests) == 1
    assert turn.error_code == "budget_exhausted"
    assert answer_of(turn).text.startswith("Let me look.")
    assert answer_of(turn).tool_history[0]["output"] == "ada 7 hi"


@override_settings(ANTHROPIC_BASE_URL="http://127.0.0.1:4000")
def test_a_call_of_a_server_that_reports_no_tokens_counts_about_as_much_as_was_sent_and_came(user: User) -> None:
    server = LocalServer("litellm", say("An answer of a few words."))
    answered(user, server)

    request = server.requests[0]
    sent = len(json.dumps([request["system"], request["tools"], request["messages"]], ensure_ascii=False))
    assert used(user) == pytest.approx(sent / BYTES_PER_TOKEN, rel=0.1)


def test_a_call_that_broke_off_counts_about_as_much_as_was_sent_and_came(user: User) -> None:
    turn, _ = answered(user, ScriptedModel(say("Half of an answer", ending="error", error={"type": "api_error"})))

    assert turn.state == "error"
    assert used(user) > 100


@override_settings(CHAT_TOKENS_A_DAY=1)
def test_the_demo_model_answers_without_limit_and_counts_nothing(user: User) -> None:
    count_tokens(user_id=user.pk, tokens=1, now=timezone.now())

    turn, _ = answered(user, None)

    assert turn.state == "complete"
    assert used(user) == 1


def test_a_call_whose_connection_breaks_counts_beside_its_continuation(user: User) -> None:
    turn, _ = answered(user, ScriptedModel(say("Half of an answer", ending="drop"), say(", and the rest.")))

    assert turn.state == "complete"
    assert used(user) > 200


def test_a_call_that_was_refused_counts_nothing(user: User) -> None:
    answered(user, ScriptedModel(refuse(401, kind="authentication_error")))

    assert used(user) == 0


def test_a_turn_that_is_stopped_counts_before_its_first_word_too(user: User) -> None:
    gate = Gate()
    script = ScriptedModel(say("Never said", gate=gate))

    @async_to_sync
    async def scene() -> None:
        runtime = TurnRuntime(clock=SystemClock())
        turn = await start_turn_task(runtime, user=user, request=wish())
        await asyncio.to_thread(gate.reached.wait, 60)
        running = runtime.running[turn.pk]
        running.stop()
        assert running.task is not None
        await asyncio.wait({running.task})

    with use_transport(script.transport()):
        scene()
    assert used(user) > 100


def test_only_this_persons_tokens_of_today_count(user: User, make_user: Callable[[str], User]) -> None:
    now = timezone.now()
    count_tokens(user_id=user.pk, tokens=7, now=now - timedelta(days=1))
    count_tokens(user_id=make_user("mary").pk, tokens=8, now=now)
    count_tokens(user_id=user.pk, tokens=9, now=now)
    count_tokens(user_id=user.pk, tokens=1, now=now)

    assert used(user) == 10
    assert TokenUse.objects.count() == 3


def test_the_day_begins_anew_at_midnight_utc() -> None:
    late = datetime(2026, 11, 21, 23, 59, 30, tzinfo=UTC)
    assert seconds_to_next_day(late) == 30
