"""The runtime of turns: numbered events, streams that follow them, and turns without a client."""
from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.http import StreamingHttpResponse
from django.utils import timezone

from chat.models import Turn, TurnEvent
from chat.services import Ending, end_turn, request_cancel
from chat.turns.database import in_database
from chat.turns.event_stream import COMMENT, EventStream
from chat.turns.runtime import CANCEL_POLL_SECONDS, FLUSH_SECONDS, RunningTurn, TurnRuntime
from tests.chat.stored_conversations import running_turn
from tests.manual_clock import ManualClock, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
Work = Callable[[RunningTurn], Awaitable[None]]
# Timeout in seconds of the test's own clock, which advances with each query.
TIMEOUT = 600.0


def numbered(pieces: list[bytes]) -> list[tuple[int, str]]:
    """Return number and text (or type) of each event."""
    found = []
    for block in b"".join(pieces).decode().split("\n\n"):
        if block.startswith("id: "):
            head, _, data = block.split("\n", 2)
            event = json.loads(data.removeprefix("data: "))
            found.append((int(head.removeprefix("id: ")), event.get("text", event["type"])))
    return found


async def read(runtime: TurnRuntime, turn_id: UUID, *, after: int = 0, user: Any = None) -> list[bytes]:
    """Read a whole stream."""
    slot = await runtime.stream_slots.take(user) if user else None
    stream = EventStream(runtime=runtime, turn_id=turn_id, after=after, user_id=user and user.pk, slot=slot)
    return [piece async for piece in stream]


def talking(gate: asyncio.Event, *, first: int, rest: int) -> Work:
    """Return the work of a turn that sends some words, waits, sends more and ends."""

    async def work(turn: RunningTurn) -> None:
        for number in range(first):
            turn.send({"type": "text_delta", "text": f"w{number}"})
        await gate.wait()
        for number in range(first, first + rest):
            turn.send({"type": "text_delta", "text": f"w{number}"})
        turn.send({"type": "complete"})

    return work


def test_late_stream_gets_all_events_then_live_ones(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        runtime.launch(turn.pk, talking(gate, first=2, rest=1))
        await settle()
        reading = asyncio.ensure_future(read(runtime, turn.pk))
        await settle()
        gate.set()
        return await reading

    assert numbered(scene()) == [(1, "w0"), (2, "w1"), (3, "w2"), (4, "complete")]


def test_stream_starts_after_the_last_event_of_its_client(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        runtime.launch(turn.pk, talking(gate, first=3, rest=0))
        await settle()
        gate.set()
        return await read(runtime, turn.pk, after=2)

    assert numbered(scene()) == [(3, "w2"), (4, "complete")]


def test_error_of_a_stream_is_raised(user: User) -> None:
    turn = running_turn(user)
    TurnEvent.objects.create(turn=turn, seq=1, data=7)

    @async_to_sync
    async def scene() -> None:
        body = EventStream(runtime=TurnRuntime(clock=ManualClock()), turn_id=turn.pk, after=0, user_id=user.pk)
        async for _ in StreamingHttpResponse(body):
            pass

    with pytest.raises(RuntimeError, match=str(turn.pk)) as broken:
        scene()
    assert "not subscriptable" in str(broken.value.__cause__)


def test_disconnect_does_not_stop_the_turn(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> tuple[int, int]:
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        running = runtime.launch(turn.pk, talking(gate, first=1, rest=1))
        reading = asyncio.ensure_future(read(runtime, turn.pk, user=user))
        while not runtime.stream_slots.held.total():
            await settle()
        reading.cancel()
        await asyncio.wait({reading})
        gate.set()
        await running.log.until_end()
        return running.log.count, runtime.stream_slots.held.total()

    assert scene() == (3, 0)


def test_silence_is_filled_with_comments(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        clock, gate = ManualClock(), asyncio.Event()
        runtime = TurnRuntime(clock=clock)
        runtime.launch(turn.pk, talking(gate, first=1, rest=0))
        reading = asyncio.ensure_future(read(runtime, turn.pk))
        # Less than the documented 15 s, because events are late under load.
        for _ in range(2):
            await clock.advance(14)
        gate.set()
        return await reading

    pieces = scene()
    assert [piece == COMMENT for piece in pieces] == [False, True, True, False]


def test_events_are_stored_in_batches_while_the_turn_runs(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> list[int]:
        clock, gate = ManualClock(), asyncio.Event()
        runtime = TurnRuntime(clock=clock)
        running = runtime.launch(turn.pk, talking(gate, first=40, rest=0))
        counts = [await in_database(stored, turn)]
        while not counts[-1]:
            await clock.advance(0.1)
            counts.append(await in_database(stored, turn))
        gate.set()
        assert running.task is not None
        await running.task
        return counts

    assert set(scene()) == {0, 40}


def test_turn_of_another_process_is_followed_through_the_database(user: User) -> None:
    turn = running_turn(user)
    TurnEvent.objects.create(turn=turn, seq=1, data={"type": "text_delta", "text": "far"})

    @async_to_sync
    async def scene() -> list[bytes]:
        clock = ManualClock()
        reading = asyncio.ensure_future(read(TurnRuntime(clock=clock), turn.pk))
        await in_database(finish, turn)
        while not reading.done():
            await clock.advance(0.3)
        return await reading

    assert numbered(scene()) == [(1, "far"), (2, "complete")]


def test_cancellation_from_another_process_is_received_within_a_second(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> bool:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        running = runtime.launch(turn.pk, talking(asyncio.Event(), first=1, rest=0))
        await in_database(request_cancel, turn.pk, now=timezone.now())
        assert running.task is not None
        while not running.task.done() and clock.monotonic() < TIMEOUT:
            await clock.advance(0.1)
            await in_database(stored, turn)
        return running.stopped and running.task.cancelled()

    assert scene()
    # The clock of this test waits for the database, so it does not measure the number of queries.
    assert CANCEL_POLL_SECONDS + FLUSH_SECONDS < 1


def test_heartbeat_of_running_turns_is_updated(user: User) -> None:
    turn = running_turn(user)
    before = turn.heartbeat_at

    @async_to_sync
    async def scene() -> Any:
        clock, gate = ManualClock(), asyncio.Event()
        runtime = TurnRuntime(clock=clock)
        running = runtime.launch(turn.pk, talking(gate, first=1, rest=0))
        while clock.monotonic() < TIMEOUT and await in_database(heartbeat_of, turn) == before:
            await clock.advance(0.5)
        gate.set()
        assert running.task is not None
        await running.task

    scene()
    turn.refresh_from_db()
    assert turn.heartbeat_at > before


def test_turn_closed_elsewhere_stops(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> tuple[bool, bool]:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        running = runtime.launch(turn.pk, talking(asyncio.Event(), first=1, rest=0))
        await in_database(finish, turn)
        assert running.task is not None
        while not running.task.done() and clock.monotonic() < TIMEOUT:
            await clock.advance(0.5)
            await in_database(stored, turn)
        return running.task.cancelled(), running.stopped

    assert scene() == (True, False)


def test_turn_does_not_inherit_the_context_of_its_request(user: User) -> None:
    turn = running_turn(user)
    of_the_request: ContextVar[str] = ContextVar("of_the_request", default="nothing")
    seen: list[str] = []

    async def work(running: RunningTurn) -> None:
        seen.append(of_the_request.get())
        running.send({"type": "complete"})

    @async_to_sync
    async def scene() -> None:
        of_the_request.set("its thread")
        await TurnRuntime(clock=ManualClock()).launch(turn.pk, work).log.until_end()

    scene()
    assert seen == ["nothing"]


def test_stream_detects_that_the_process_of_its_turn_has_died(user: User) -> None:
    turn = running_turn(user, now=timezone.now() - timedelta(minutes=1))

    @async_to_sync
    async def scene() -> list[bytes]:
        clock = ManualClock()
        reading = asyncio.ensure_future(read(TurnRuntime(clock=clock), turn.pk, user=user))
        while not reading.done() and clock.monotonic() < TIMEOUT:
            await clock.advance(0.3)
            await in_database(stored, turn)
        return await reading

    assert numbered(scene()) == [(100_000, "error")]


def stored(turn: Turn) -> int:
    return TurnEvent.objects.filter(turn=turn).count()


def heartbeat_of(turn: Turn) -> Any:
    return Turn.objects.get(pk=turn.pk).heartbeat_at


def finish(turn: Turn) -> None:
    end_turn(turn_id=turn.pk, ending=Ending(state="complete"), final=(2, {"type": "complete"}), now=timezone.now())
