"""The daily token budget of a user: counted for every call, checked before each call."""
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
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, run_turn
from tests.local_servers import LocalServer
from tests.scripted_model import Gate, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def used(user: User) -> int:
    return tokens_used(user.pk, now=timezone.now())


def test_tokens_of_every_call_are_counted(user: User) -> None:
    turn, _ = run_turn(user, ScriptedModel(use(("echo", {"say": "hi"})), say("Done.")))

    assert used(user) == turn.usage["input_tokens"] + turn.usage["output_tokens"] > 200


@override_settings(CHAT_TOKENS_A_DAY=1_000)
def test_used_up_budget_prevents_calls_and_is_reported_with_the_time(user: User) -> None:
    count_tokens(user_id=user.pk, tokens=1_000, now=timezone.now())
    script = ScriptedModel()

    turn, events = run_turn(user, script)

    assert script.requests == []
    assert (turn.state, turn.error_code) == ("error", "budget_exhausted")
    assert (events[-1]["code"], events[-1]["retryable"]) == ("budget_exhausted", False)
    assert 0 < events[-1]["retry_after"] <= 86_400
    assert "1,000 tokens" in events[-1]["message"]
    assert "midnight UTC" in events[-1]["message"]


@override_settings(CHAT_TOKENS_A_DAY=100)
def test_turn_that_uses_up_the_budget_ends_before_its_next_call_and_keeps_its_text(user: User) -> None:
    script = ScriptedModel(use(("echo", {"say": "hi"}), text="Let me look."))

    turn, _ = run_turn(user, script)

    assert len(script.requests) == 1
    assert turn.error_code == "budget_exhausted"
    assert answer_of(turn).text.startswith("Let me look.")
    assert answer_of(turn).tool_history[0]["output"] == "ada 7 hi"


@override_settings(ANTHROPIC_BASE_URL="http://127.0.0.1:4000")
def test_call_without_reported_tokens_is_estimated(user: User) -> None:
    server = LocalServer("litellm", say("An answer of a few words."))
    run_turn(user, server)

    request = server.requests[0]
    sent = len(json.dumps([request["system"], request["tools"], request["messages"]], ensure_ascii=False))
    assert used(user) == pytest.approx(sent / BYTES_PER_TOKEN, rel=0.1)


def test_broken_call_is_estimated(user: User) -> None:
    turn, _ = run_turn(user, ScriptedModel(say("Half of an answer", ending="error", error={"type": "api_error"})))

    assert turn.state == "error"
    assert used(user) > 100


@override_settings(CHAT_TOKENS_A_DAY=1)
def test_demo_model_has_no_budget_and_counts_nothing(user: User) -> None:
    count_tokens(user_id=user.pk, tokens=1, now=timezone.now())

    turn, _ = run_turn(user, None)

    assert turn.state == "complete"
    assert used(user) == 1


def test_broken_call_is_counted_beside_its_continuation(user: User) -> None:
    turn, _ = run_turn(user, ScriptedModel(say("Half of an answer", ending="drop"), say(", and the rest.")))

    assert turn.state == "complete"
    assert used(user) > 200


def test_refused_call_counts_nothing(user: User) -> None:
    run_turn(user, ScriptedModel(refuse(401, kind="authentication_error")))

    assert used(user) == 0


def test_turn_stopped_before_its_first_token_is_counted(user: User) -> None:
    gate = Gate()
    script = ScriptedModel(say("Never said", gate=gate))

    @async_to_sync
    async def scene() -> None:
        runtime = TurnRuntime(clock=SystemClock())
        turn = await start_turn_task(runtime, user=user, request=turn_request())
        await asyncio.to_thread(gate.reached.wait, 60)
        running = runtime.running[turn.pk]
        running.stop()
        assert running.task is not None
        await asyncio.wait({running.task})

    with use_transport(script.transport()):
        scene()
    assert used(user) > 100


def test_only_tokens_of_the_user_and_the_day_are_counted(user: User, make_user: Callable[[str], User]) -> None:
    now = timezone.now()
    count_tokens(user_id=user.pk, tokens=7, now=now - timedelta(days=1))
    count_tokens(user_id=make_user("mary").pk, tokens=8, now=now)
    count_tokens(user_id=user.pk, tokens=9, now=now)
    count_tokens(user_id=user.pk, tokens=1, now=now)

    assert used(user) == 10
    assert TokenUse.objects.count() == 3


def test_day_starts_at_midnight_utc() -> None:
    late = datetime(2026, 11, 21, 23, 59, 30, tzinfo=UTC)
    assert seconds_to_next_day(late) == 30
