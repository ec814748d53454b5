"""Shutdown of a process: turns get some time, then end as interrupted with their text."""
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User

from chat.models import Message, Turn
from chat.turns.database import in_database
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime, shut_down
from chat.turns.start import start_turn_task
from tests.chat.stored_conversations import running_turn, turn_request
from tests.chat.turns.turn_runs import answer_of, events_of
from tests.manual_clock import ManualClock, settle
from tests.scripted_model import Gate, ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

SECONDS = 60.0
TIMEOUT = 600.0  # of the test's own clock
Meanwhile = Callable[[TurnRuntime, ManualClock, Gate], Awaitable[None]]


def run_during_shutdown(user: User, meanwhile: Meanwhile) -> tuple[Turn, list[dict[str, Any]]]:
    """Follow a half-finished answer while its process shuts down; return the turn and the received events."""
    gate = Gate()
    script = ScriptedModel(say("One two three", sizes=(4,), gate=gate, gate_after=2))

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        turn = await start_turn_task(runtime, user=user, request=turn_request())
        log, news = runtime.running[turn.pk].log, asyncio.Event()
        log.add_listener(news)
        while len([event for event in log.after(0, limit=10) if event[0] == "text_delta"]) < 2:
            await news.wait()
            news.clear()
        reading = asyncio.ensure_future(_whole(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        leaving = asyncio.ensure_future(shut_down(runtime, within=SECONDS))
        await settle()
        assert not leaving.done()
        await meanwhile(runtime, clock, gate)
        await leaving
        assert not runtime.running
        return turn, await reading

    with use_transport(script.transport()):
        turn, pieces = scene()
    turn.refresh_from_db()
    return turn, events_of(pieces)


async def _whole(stream: EventStream) -> list[bytes]:
    return [piece async for piece in stream]


def test_turn_that_ends_in_time_ends_normally(user: User) -> None:
    async def meanwhile(runtime: TurnRuntime, clock: ManualClock, gate: Gate) -> None:
        await clock.advance(SECONDS - 1)
        gate.open()

    turn, events = run_during_shutdown(user, meanwhile)

    assert (turn.state, events[-1]["type"]) == ("complete", "complete")
    assert answer_of(turn).text == "One two three"


async def pass_deadline(runtime: TurnRuntime, clock: ManualClock, gate: Gate) -> None:
    await clock.advance(SECONDS)


async def signal_again(runtime: TurnRuntime, clock: ManualClock, gate: Gate) -> None:
    runtime.abort_drain.set()


@pytest.mark.parametrize("meanwhile", [pass_deadline, signal_again])
def test_longer_turn_ends_as_interrupted_with_its_text(user: User, meanwhile: Meanwhile) -> None:
    turn, events = run_during_shutdown(user, meanwhile)

    assert (turn.state, turn.error_code, turn.error_retryable) == ("error", "interrupted", True)
    assert (events[-1]["type"], events[-1]["code"], events[-1]["retryable"]) == ("error", "interrupted", True)
    assert "interrupted because the server stopped" in events[-1]["message"]
    assert answer_of(turn).text == "One two"


def test_follower_of_another_process_is_redirected_there(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        reading = asyncio.ensure_future(_whole(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        await shut_down(runtime, within=SECONDS)
        # Its clock advances with the database, which is queried by its own thread.
        while not reading.done() and clock.monotonic() < TIMEOUT:
            await clock.advance(0.3)
            await in_database(turn.refresh_from_db)
        assert reading.done()
        return await reading

    assert scene() == []
    turn.refresh_from_db()
    assert turn.state == "running"
    assert not Message.objects.filter(turn=turn, role="assistant").exists()
