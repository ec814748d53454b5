"""Places for open streams: four a person over all processes; a process that died gives its share back."""
from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.utils import timezone

from chat.exceptions import TooMany
from chat.models import OpenStreams, Turn
from chat.turns.database import in_database
from chat.turns.host import Host
from chat.turns.places import StreamPlaces
from tests.chat.kept import started
from tests.hand_clock import HandClock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def taken(user: User, *processes: StreamPlaces) -> int:
    """How many places each of these processes gets, one after another, before it is refused."""

    @async_to_sync
    async def scene() -> int:
        count = 0
        for process in processes:
            try:
                await process.take(user)
            except TooMany:
                continue
            count += 1
        return count

    return int(scene())


def die(process: StreamPlaces) -> None:
    OpenStreams.objects.filter(process=process.process).update(seen_at=timezone.now() - timedelta(seconds=31))


def test_four_places_are_for_all_processes_together(user: User, other_user: User) -> None:
    here, there = StreamPlaces(), StreamPlaces()

    assert taken(user, here, there, here, there, here, there) == 4
    assert taken(other_user, here, there) == 2


def test_asked_for_all_at_once_there_are_no_more(user: User) -> None:
    here = StreamPlaces()

    @async_to_sync
    async def scene() -> list[Any]:
        return await asyncio.gather(*[here.take(user) for _ in range(12)], return_exceptions=True)

    assert [isinstance(found, TooMany) for found in scene()].count(False) == 4


def test_a_place_that_is_given_back_is_free_in_all_processes(user: User) -> None:
    here, there = StreamPlaces(), StreamPlaces()

    @async_to_sync
    async def scene() -> None:
        places = [await here.take(user) for _ in range(4)]
        await places[0].give_back()
        await places[0].give_back()
        await there.take(user)
        with pytest.raises(TooMany):
            await here.take(user)

    scene()


def test_the_share_of_a_process_that_died_is_given_back(user: User) -> None:
    here, there = StreamPlaces(), StreamPlaces()
    taken(user, here, here, here, here)
    assert taken(user, there) == 0

    die(here)

    assert taken(user, there, there, there, there, there) == 4


def test_a_process_has_only_so_many_places(user: User, other_user: User, settings: Any) -> None:
    settings.CHAT_STREAMS_A_PROCESS = 3
    here = StreamPlaces()

    assert taken(user, here, here) + taken(other_user, here, here) == 3


def test_a_process_looks_after_its_own_share_and_what_others_left_without_any_reader(user: User) -> None:
    lost = started(user, now=timezone.now() - timedelta(minutes=1))
    here, gone = Host(clock=HandClock()), StreamPlaces()
    taken(user, here.places, gone)
    die(here.places)
    die(gone)

    @async_to_sync
    async def scene() -> list[int]:
        here.watch_over()
        while await in_database(still_runs, lost):
            await here.clock.advance(10)  # type: ignore[attr-defined]  # it is the clock of this test
        return await in_database(lambda: list(OpenStreams.objects.values_list("count", flat=True)))

    assert scene() == [1]
    assert OpenStreams.objects.get().process == here.places.process


def still_runs(turn: Turn) -> bool:
    return Turn.objects.filter(pk=turn.pk, state="running").exists()
