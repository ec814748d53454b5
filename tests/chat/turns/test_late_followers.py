"""Whoever comes late to a running turn gets every event once, though only the last of them are in memory."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import DatabaseError, connection

from chat.turns.database import in_database
from chat.turns.event_log import KEPT
from chat.turns.runtime import TurnRuntime
from tests.chat.stored_conversations import started
from tests.chat.turns.test_runtime import finish, numbered, read, talking
from tests.manual_clock import ManualClock, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def words(first: int, last: int) -> list[tuple[int, str]]:
    """What `talking` says, as numbered."""
    return [(number, f"w{number - 1}") for number in range(first, last + 1)]


def test_of_stored_events_only_the_last_stay_in_memory_and_whoever_comes_late_still_gets_each_once(user: User) -> None:
    turn, said = started(user), 3 * KEPT

    @async_to_sync
    async def scene() -> tuple[int, list[list[bytes]]]:
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        log = runtime.launch(turn.pk, talking(gate, first=said, rest=1)).log
        streams = [asyncio.ensure_future(read(runtime, turn.pk))]
        await settle()
        await runtime.writer.flush()
        kept = log.count - log.gone
        streams += [asyncio.ensure_future(read(runtime, turn.pk, after=after)) for after in (0, KEPT - 1, said - 1)]
        await settle()
        gate.set()
        return kept, await asyncio.gather(*streams)

    kept, streams = scene()

    assert kept == KEPT
    end = [(said + 2, "complete")]
    assert [numbered(pieces) for pieces in streams] == [
        words(first, said + 1) + end for first in (1, 1, KEPT, said)
    ]


def test_events_that_the_database_refused_stay_in_memory_with_all_that_follow(user: User) -> None:
    turn, refuses = started(user), False

    def refusing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if refuses and "chat_turnevent" in sql:
            raise DatabaseError("it cannot be stored")
        return execute(sql, params, many, context)

    @async_to_sync
    async def scene() -> tuple[int, list[bytes]]:
        nonlocal refuses
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        running = runtime.launch(turn.pk, talking(gate, first=KEPT + 10, rest=0))
        await settle()
        for refuse, upto in ((False, KEPT + 10), (True, KEPT + 20), (False, 3 * KEPT)):
            refuses = refuse
            for number in range(running.log.count, upto):
                running.send({"type": "text_delta", "text": f"w{number}"})
            await runtime.writer.flush()
        reading = asyncio.ensure_future(read(runtime, turn.pk))
        await settle()
        gate.set()
        return running.log.gone, await reading

    with connection.execute_wrapper(refusing):
        gone, pieces = scene()

    assert gone == 10
    assert numbered(pieces) == [*words(1, 3 * KEPT), (3 * KEPT + 1, "complete")]


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "removed"])
def test_whoever_comes_late_to_a_turn_that_was_ended_elsewhere_gets_what_is_left_of_it(
    user: User, ended: bool
) -> None:
    turn = started(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        runtime = TurnRuntime(clock=ManualClock())
        running = runtime.launch(turn.pk, talking(asyncio.Event(), first=3 * KEPT, rest=0))
        await in_database(finish if ended else turn.delete, *([turn] if ended else []))
        await settle()
        await runtime.writer.flush()
        pieces = await read(runtime, turn.pk)
        running.stop()
        return pieces

    assert numbered(scene()) == ([(2, "complete")] if ended else [])
