"""Places for open streams: four a person over all processes; a process that died gives its share back."""
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
from chat.services.configuration import Edit, change_configuration
from chat.turns.database import in_database
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from chat.turns.stream_slots import StreamSlot, StreamSlots
from tests.chat.stored_conversations import started, wish
from tests.manual_clock import ManualClock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


# Whoever reads has the place: one that nobody has any more is given back.
READERS: list[StreamSlot] = []


@pytest.fixture(autouse=True)
def readers() -> Iterator[None]:
    yield
    READERS.clear()


def taken(user: User, *processes: StreamSlots) -> int:
    """How many places each of these processes gets, one after another, before it is refused."""

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


def test_four_places_are_for_all_processes_together(user: User, other_user: User) -> None:
    here, there = StreamSlots(), StreamSlots()

    assert taken(user, here, there, here, there, here, there) == 4
    assert taken(other_user, here, there) == 2


@pytest.mark.parametrize("began_before", [False, True], ids=["a new turn", "one joined again"])
def test_administrators_say_how_many_a_person_may_have(user: User, began_before: bool) -> None:
    first = wish()
    started(user, first) if began_before else None
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


def test_asked_for_all_at_once_there_are_no_more(user: User) -> None:
    here = StreamSlots()

    @async_to_sync
    async def scene() -> list[Any]:
        return await asyncio.gather(*[here.take(user) for _ in range(12)], return_exceptions=True)

    assert [isinstance(found, TooMany) for found in scene()].count(False) == 4


def test_a_place_that_is_given_back_is_free_in_all_processes(user: User) -> None:
    here, there = StreamSlots(), StreamSlots()

    @async_to_sync
    async def scene() -> None:
        places = [await here.take(user) for _ in range(4)]
        await places[0].release()
        await places[0].release()
        READERS.append(await there.take(user))
        with pytest.raises(TooMany):
            await here.take(user)

    scene()


def test_a_place_that_nobody_has_any_more_is_free_again(user: User) -> None:
    here = StreamSlots()

    @async_to_sync
    async def scene() -> list[int]:
        place: StreamSlot | None = await here.take(user)
        found = [here.held.total(), await in_database(said_by, here)]
        del place
        while await in_database(said_by, here):
            pass
        return [*found, here.held.total()]

    assert scene() == [1, 1, 0]


def test_the_share_of_a_process_that_died_is_given_back(user: User) -> None:
    here, there = StreamSlots(), StreamSlots()
    taken(user, here, here, here, here)
    assert taken(user, there) == 0

    die(here)

    assert taken(user, there, there, there, there, there) == 4


def test_a_process_has_only_so_many_places(user: User, other_user: User, settings: Any) -> None:
    settings.CHAT_STREAMS_A_PROCESS = 3
    here = StreamSlots()

    assert taken(user, here, here) + taken(other_user, here, here) == 3


def test_unless_it_is_told_otherwise_a_process_has_three_hundred(user: User, other_user: User) -> None:
    here = StreamSlots()
    here.held["everybody else"] = 299

    assert taken(user, here, here) + taken(other_user, here) == 1


def test_the_last_place_of_a_process_goes_to_one_of_two_people_who_ask_at_once(
    user: User, other_user: User, settings: Any
) -> None:
    settings.CHAT_STREAMS_A_PROCESS = 1
    here = StreamSlots()

    @async_to_sync
    async def scene() -> list[Any]:
        return await asyncio.gather(here.take(user), here.take(other_user), return_exceptions=True)

    assert [isinstance(found, TooMany) for found in scene()] == [False, True]


def test_what_is_not_begun_takes_no_place(user: User) -> None:
    running = started(user)
    again = wish(conversation_id=str(running.conversation_id), message="too soon")

    assert taken_to_begin(user, again, raises=Busy) == (0, 0)


def test_a_place_taken_with_what_is_stored_is_given_back_when_no_stream_comes_of_it(user: User) -> None:
    class Gone(Exception):
        """Whoever asked is gone."""

    assert taken_to_begin(user, wish(), raises=Gone, after=Gone()) == (0, 0)
    assert Turn.objects.count() == 1


def test_what_began_before_takes_a_place_like_any_other(user: User) -> None:
    before = wish()
    started(user, before)

    assert taken_to_begin(user, before) == (1, 1)


def test_what_is_said_of_a_process_and_is_not_so_is_put_right(user: User, other_user: User) -> None:
    here = StreamSlots()
    taken(user, here, here)
    taken(other_user, here)
    OpenStreamCount.objects.filter(user=user).update(count=1)
    OpenStreamCount.objects.filter(user=other_user).delete()

    async_to_sync(here.refresh)()

    assert dict(OpenStreamCount.objects.values_list("user", "count")) == {user.pk: 2, other_user.pk: 1}


def taken_to_begin(
    user: User, request: TurnRequest, *, raises: type[Exception] | None = None, after: Exception | None = None
) -> tuple[int, int]:
    """The places that a process holds, and says it holds, once this was begun with one; `after`: then this happens."""

    @async_to_sync
    async def scene() -> tuple[int, int]:
        here = StreamSlots()
        with pytest.raises(raises) if raises else nullcontext():
            async with here.request(user) as slot_request:
                begin = partial(start_turn, user=user, request=request, now=timezone.now(), turns_a_minute=20)
                await in_database(begin, extra_queries=[slot_request.query(most=4)])
                if after is not None:
                    raise after
        return here.held.total(), await in_database(said_by, here)

    return scene()


def said_by(process: StreamSlots) -> int:
    return sum(OpenStreamCount.objects.filter(process=process.process).values_list("count", flat=True))


def test_a_process_looks_after_its_own_share_and_what_others_left_without_any_reader(user: User) -> None:
    lost = started(user, now=timezone.now() - timedelta(minutes=1))
    here, gone = TurnRuntime(clock=ManualClock()), StreamSlots()
    taken(user, here.stream_slots, gone)
    die(here.stream_slots)
    die(gone)

    @async_to_sync
    async def scene() -> list[int]:
        here.start_background_tasks()
        while await in_database(still_runs, lost):
            await here.clock.advance(10)  # type: ignore[attr-defined]  # it is the clock of this test
        return await in_database(lambda: list(OpenStreamCount.objects.values_list("count", flat=True)))

    assert scene() == [1]
    assert OpenStreamCount.objects.get().process == here.stream_slots.process


def still_runs(turn: Turn) -> bool:
    return Turn.objects.filter(pk=turn.pk, state="running").exists()
