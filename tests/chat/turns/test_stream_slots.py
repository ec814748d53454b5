"""Slots for open streams: four per user across processes; those of a dead process are released."""
from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.utils import timezone

from chat.configuration import Address
from chat.exceptions import Busy, TooMany
from chat.models import OpenStreamCount, Turn
from chat.services import TurnRequest, start_turn
from chat.services.configuration.changes import Edit, change_configuration
from chat.turns.database import in_database
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from chat.turns.stream_slots import StreamSlot, StreamSlots
from tests.chat.stored_conversations import running_turn, turn_request
from tests.manual_clock import ManualClock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


# References to the slots, because a slot without references is released.
READERS: list[StreamSlot] = []


@pytest.fixture(autouse=True)
def readers() -> Iterator[None]:
    yield
    READERS.clear()


def acquire_all(user: User, *processes: StreamSlots) -> int:
    """Return how many slots each of these processes gets, one after another, before it is refused."""

    @async_to_sync
    async def scene() -> int:
        count = 0
        for process in processes:
            try:
                READERS.append(await process.take(user))
            except TooMany:
                continue
            count += 1
        return count

    return int(scene())


def die(process: StreamSlots) -> None:
    OpenStreamCount.objects.filter(process=process.process).update(seen_at=timezone.now() - timedelta(seconds=31))


def test_four_slots_are_shared_by_all_processes(user: User, other_user: User) -> None:
    here, there = StreamSlots(), StreamSlots()

    assert acquire_all(user, here, there, here, there, here, there) == 4
    assert acquire_all(other_user, here, there) == 2


@pytest.mark.parametrize("began_before", [False, True], ids=["new turn", "resumed"])
def test_limit_per_user_is_configurable(user: User, began_before: bool) -> None:
    first = turn_request()
    running_turn(user, first) if began_before else None
    edit = Edit(Address("engine", "all"), {"streams_a_user": 1})
    change_configuration(user=user, edits=[edit], why="", now=timezone.now())
    here = TurnRuntime(clock=ManualClock())

    @async_to_sync
    async def scene() -> None:
        READERS.append(await here.stream_slots.take(user))
        async with here.stream_slots.request(user) as slot_request:
            await start_turn_task(here, user=user, request=first, slot_request=slot_request)

    with pytest.raises(TooMany):
        scene()
    assert Turn.objects.count() == int(began_before)


def test_concurrent_requests_do_not_exceed_the_limit(user: User) -> None:
    here = StreamSlots()

    @async_to_sync
    async def scene() -> list[Any]:
        return await asyncio.gather(*[here.take(user) for _ in range(12)], return_exceptions=True)

    assert [isinstance(found, TooMany) for found in scene()].count(False) == 4


def test_released_slot_is_free_in_all_processes(user: User) -> None:
    here, there = StreamSlots(), StreamSlots()

    @async_to_sync
    async def scene() -> None:
        slots = [await here.take(user) for _ in range(4)]
        await slots[0].release()
        await slots[0].release()
        READERS.append(await there.take(user))
        with pytest.raises(TooMany):
            await here.take(user)

    scene()


def test_slot_without_references_is_released(user: User) -> None:
    here = StreamSlots()

    @async_to_sync
    async def scene() -> list[int]:
        slot: StreamSlot | None = await here.take(user)
        found = [here.held.total(), await in_database(reported_by, here)]
        del slot
        while await in_database(reported_by, here):
            pass
        return [*found, here.held.total()]

    assert scene() == [1, 1, 0]


def test_slots_of_a_dead_process_are_released(user: User) -> None:
    here, there = StreamSlots(), StreamSlots()
    acquire_all(user, here, here, here, here)
    assert acquire_all(user, there) == 0

    die(here)

    assert acquire_all(user, there, there, there, there, there) == 4


def test_process_has_a_maximum_of_slots(user: User, other_user: User, settings: Any) -> None:
    settings.CHAT_STREAMS_A_PROCESS = 3
    here = StreamSlots()

    assert acquire_all(user, here, here) + acquire_all(other_user, here, here) == 3


def test_process_has_three_hundred_slots_by_default(user: User, other_user: User) -> None:
    here = StreamSlots()
    here.held["everybody else"] = 299

    assert acquire_all(user, here, here) + acquire_all(other_user, here) == 1


def test_last_slot_of_a_process_goes_to_one_of_two_concurrent_users(
    user: User, other_user: User, settings: Any
) -> None:
    settings.CHAT_STREAMS_A_PROCESS = 1
    here = StreamSlots()

    @async_to_sync
    async def scene() -> list[Any]:
        return await asyncio.gather(here.take(user), here.take(other_user), return_exceptions=True)

    assert [isinstance(found, TooMany) for found in scene()] == [False, True]


def test_request_that_is_not_started_takes_no_slot(user: User) -> None:
    running = running_turn(user)
    again = turn_request(conversation_id=str(running.conversation_id), message="too soon")

    assert acquire_at_start(user, again, raises=Busy) == (0, 0)


def test_slot_taken_at_the_start_is_released_if_no_stream_follows(user: User) -> None:
    class Disconnected(Exception):
        """The client has disconnected."""

    assert acquire_at_start(user, turn_request(), raises=Disconnected, after=Disconnected()) == (0, 0)
    assert Turn.objects.count() == 1


def test_resumed_turn_takes_a_slot(user: User) -> None:
    before = turn_request()
    running_turn(user, before)

    assert acquire_at_start(user, before) == (1, 1)


def test_wrong_count_of_a_process_is_corrected(user: User, other_user: User) -> None:
    here = StreamSlots()
    acquire_all(user, here, here)
    acquire_all(other_user, here)
    OpenStreamCount.objects.filter(user=user).update(count=1)
    OpenStreamCount.objects.filter(user=other_user).delete()

    async_to_sync(here.refresh)()

    assert dict(OpenStreamCount.objects.values_list("user", "count")) == {user.pk: 2, other_user.pk: 1}


def acquire_at_start(
    user: User, request: TurnRequest, *, raises: type[Exception] | None = None, after: Exception | None = None
) -> tuple[int, int]:
    """Start this request with a slot; return the slots held and reported by the process; `after` is raised."""

    @async_to_sync
    async def scene() -> tuple[int, int]:
        here = StreamSlots()
        with pytest.raises(raises) if raises else nullcontext():
            async with here.request(user) as slot_request:
                begin = partial(start_turn, user=user, request=request, now=timezone.now(), turns_a_minute=20)
                await in_database(begin, extra_queries=[slot_request.query(limit=4)])
                if after is not None:
                    raise after
        return here.held.total(), await in_database(reported_by, here)

    return scene()


def reported_by(process: StreamSlots) -> int:
    return sum(OpenStreamCount.objects.filter(process=process.process).values_list("count", flat=True))


def test_process_corrects_its_own_share_and_abandoned_slots_of_others(user: User) -> None:
    lost = running_turn(user, now=timezone.now() - timedelta(minutes=1))
    here, dead = TurnRuntime(clock=ManualClock()), StreamSlots()
    acquire_all(user, here.stream_slots, dead)
    die(here.stream_slots)
    die(dead)

    @async_to_sync
    async def scene() -> list[int]:
        here.start_background_tasks()
        while await in_database(is_running, lost):
            await here.clock.advance(10)  # type: ignore[attr-defined]  # it is the clock of this test
        return await in_database(lambda: list(OpenStreamCount.objects.values_list("count", flat=True)))

    assert scene() == [1]
    assert OpenStreamCount.objects.get().process == here.stream_slots.process


def is_running(turn: Turn) -> bool:
    return Turn.objects.filter(pk=turn.pk, state="running").exists()
