"""Late followers of a running turn get every event once, though only the last ones are in memory."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import DatabaseError, connection

from chat.turns.database import in_database
from chat.turns.event_log import MIN_IN_MEMORY
from chat.turns.runtime import TurnRuntime
from tests.chat.stored_conversations import running_turn
from tests.chat.turns.test_runtime import finish, numbered, read, talking
from tests.manual_clock import ManualClock, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def expected_events(first: int, last: int) -> list[tuple[int, str]]:
    """Return the events of `talking`, numbered."""
    return [(number, f"w{number - 1}") for number in range(first, last + 1)]


def test_late_follower_gets_stored_and_live_events_once(user: User) -> None:
    turn, sent = running_turn(user), 3 * MIN_IN_MEMORY

    @async_to_sync
    async def scene() -> tuple[int, list[list[bytes]]]:
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        log = runtime.launch(turn.pk, talking(gate, first=sent, rest=1)).log
        streams = [asyncio.ensure_future(read(runtime, turn.pk))]
        await settle()
        await runtime.writer.flush()
        in_memory = log.count - log.released
        positions = (0, MIN_IN_MEMORY - 1, sent - 1)
        streams += [asyncio.ensure_future(read(runtime, turn.pk, after=after)) for after in positions]
        await settle()
        gate.set()
        return in_memory, await asyncio.gather(*streams)

    in_memory, streams = scene()

    assert in_memory == MIN_IN_MEMORY
    end = [(sent + 2, "complete")]
    assert [numbered(pieces) for pieces in streams] == [
        expected_events(first, sent + 1) + end for first in (1, 1, MIN_IN_MEMORY, sent)
    ]


def test_refused_events_and_their_successors_stay_in_memory(user: User) -> None:
    turn, refuses = running_turn(user), False

    def refusing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if refuses and "chat_turnevent" in sql:
            raise DatabaseError("it cannot be stored")
        return execute(sql, params, many, context)

    @async_to_sync
    async def scene() -> tuple[int, list[bytes]]:
        nonlocal refuses
        runtime, gate = TurnRuntime(clock=ManualClock()), asyncio.Event()
        running = runtime.launch(turn.pk, talking(gate, first=MIN_IN_MEMORY + 10, rest=0))
        await settle()
        for refuse, upto in ((False, MIN_IN_MEMORY + 10), (True, MIN_IN_MEMORY + 20), (False, 3 * MIN_IN_MEMORY)):
            refuses = refuse
            for number in range(running.log.count, upto):
                running.send({"type": "text_delta", "text": f"w{number}"})
            await runtime.writer.flush()
        reading = asyncio.ensure_future(read(runtime, turn.pk))
        await settle()
        gate.set()
        return running.log.released, await reading

    with connection.execute_wrapper(refusing):
        dropped, pieces = scene()

    assert dropped == 10
    assert numbered(pieces) == [*expected_events(1, 3 * MIN_IN_MEMORY), (3 * MIN_IN_MEMORY + 1, "complete")]


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "removed"])
def test_late_follower_of_a_turn_ended_elsewhere_gets_the_remaining_events(
    user: User, ended: bool
) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        runtime = TurnRuntime(clock=ManualClock())
        running = runtime.launch(turn.pk, talking(asyncio.Event(), first=3 * MIN_IN_MEMORY, rest=0))
        await in_database(finish if ended else turn.delete, *([turn] if ended else []))
        await settle()
        await runtime.writer.flush()
        pieces = await read(runtime, turn.pk)
        running.stop()
        return pieces

    assert numbered(scene()) == ([(2, "complete")] if ended else [])
