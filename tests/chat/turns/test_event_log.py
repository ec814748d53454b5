"""The event writer: one statement for all turns, nothing lost or reordered during a database outage."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from chat.models import Turn, TurnEvent
from chat.turns import event_log
from chat.turns.event_log import EventWriter
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.manual_clock import ManualClock, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def event(text: str) -> str:
    return f'{{"type": "text_delta", "text": "{text}"}}'


def texts_of(turn: Turn) -> list[str]:
    return [data["text"] for data in TurnEvent.objects.filter(turn=turn).order_by("seq").values_list("data", flat=True)]


class Outage:
    """Fails every statement while it is `active`."""

    def __init__(self) -> None:
        self.active = True

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.active:
            raise OperationalError("the server closed the connection unexpectedly")
        return execute(sql, params, many, context)


def write(writer: EventWriter, turn_id: UUID, *texts: str, first: int = 1) -> None:
    for seq, text in enumerate(texts, start=first):
        writer.add(turn_id, seq=seq, event=event(text))


def test_events_of_all_turns_are_stored_in_one_statement(user: User) -> None:
    one, other = running_turn(user), running_turn(user)
    writer = EventWriter()
    write(writer, one.pk, "a", "b")
    write(writer, other.pk, "c")

    with CaptureQueriesContext(connection) as sent:
        async_to_sync(writer.flush)()

    inserts = [query["sql"] for query in sent.captured_queries if "chat_turnevent" in query["sql"]]
    assert len(inserts) == 1
    assert (texts_of(one), texts_of(other)) == (["a", "b"], ["c"])


def test_nothing_is_lost_or_reordered_during_an_outage(user: User) -> None:
    turn, writer, database = running_turn(user), EventWriter(), Outage()
    write(writer, turn.pk, "a", "b")

    with connection.execute_wrapper(database):
        async_to_sync(writer.flush)()
        write(writer, turn.pk, "c", first=3)
        async_to_sync(writer.flush)()
        before = database.active
        database.active = False
        async_to_sync(writer.flush)()

    assert before
    assert texts_of(turn) == ["a", "b", "c"]


def test_ending_turn_waits_until_its_events_are_stored(user: User) -> None:
    turn, writer, database = running_turn(user), EventWriter(), Outage()
    write(writer, turn.pk, "a")

    @async_to_sync
    async def scene() -> bool:
        clock = ManualClock()
        ending = asyncio.ensure_future(writer.flush_all(clock=clock))
        await clock.advance(1)
        await clock.advance(1)
        waited = not ending.done()
        database.active = False
        while not ending.done():
            await clock.advance(1)
        await ending
        return waited

    with connection.execute_wrapper(database):
        waited = scene()

    assert waited
    assert texts_of(turn) == ["a"]


def test_wait_for_the_database_is_bounded(user: User) -> None:
    turn, writer = running_turn(user), EventWriter()
    write(writer, turn.pk, "a")

    @async_to_sync
    async def scene() -> None:
        clock = ManualClock()
        ending = asyncio.ensure_future(writer.flush_all(clock=clock))
        while not ending.done():
            await clock.advance(1)
        await ending

    with connection.execute_wrapper(Outage()), pytest.raises(OperationalError):
        scene()


def test_turns_wait_while_the_queue_is_full(user: User) -> None:
    turn, database = running_turn(user), Outage()

    @async_to_sync
    async def scene() -> tuple[bool, bool]:
        writer = EventWriter()
        write(writer, turn.pk, *["x"] * event_log.MAX_QUEUED)
        await writer.flush()
        speaking = asyncio.ensure_future(writer.wait_for_room())
        await settle()
        waited = not speaking.done()
        database.active = False
        await writer.flush()
        await settle()
        return waited, speaking.done()

    with connection.execute_wrapper(database):
        assert scene() == (True, True)


def test_deleted_turn_blocks_no_other(user: User) -> None:
    turn, writer = running_turn(user), EventWriter()
    write(writer, uuid4(), "nobody's")
    write(writer, turn.pk, "a")

    async_to_sync(writer.flush)()

    assert texts_of(turn) == ["a"]


def test_turn_ended_elsewhere_gets_no_event_after_its_last(user: User) -> None:
    turn, writer = finish_turn(running_turn(user)), EventWriter()
    write(writer, turn.pk, "too late", first=2)

    async_to_sync(writer.flush)()

    assert [data["type"] for data in TurnEvent.objects.filter(turn=turn).values_list("data", flat=True)] == ["complete"]


@pytest.mark.postgres_only
def test_refused_event_blocks_only_its_own_turn(user: User) -> None:
    one, other, writer = running_turn(user), running_turn(user), EventWriter()
    writer.add(one.pk, seq=1, event='{"type": "text_delta", "text": "\\u0000"}')
    write(writer, other.pk, "a")

    async_to_sync(writer.flush)()

    assert (texts_of(one), texts_of(other)) == ([], ["a"])


def test_outage_after_a_refused_event_loses_no_other_events(user: User) -> None:
    turns, writer = [running_turn(user) for _ in range(3)], EventWriter()
    answers = [DatabaseError("refused"), DatabaseError("refused"), OperationalError("away")]

    def answering(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        error = answers.pop(0) if answers and "chat_turnevent" in sql else None
        if error is not None:
            raise error
        return execute(sql, params, many, context)

    for turn in turns:
        write(writer, turn.pk, "a", "b")
    with connection.execute_wrapper(answering):
        async_to_sync(writer.flush)()
        write(writer, turns[1].pk, "c", first=3)
        async_to_sync(writer.flush)()

    assert [texts_of(turn) for turn in turns] == [[], ["a", "b", "c"], ["a", "b"]]


def test_interrupted_batch_is_stored_once_with_the_next(user: User) -> None:
    turn, writer = running_turn(user), EventWriter()
    breaks = [RuntimeError("no thread for it"), RuntimeError("no answer of it")]

    def breaking(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if "chat_turnevent" not in sql or not breaks:
            return execute(sql, params, many, context)
        error = breaks.pop(0)
        if not breaks:
            execute(sql, params, many, context)
        raise error

    with connection.execute_wrapper(breaking):
        for seq, text in enumerate("abc", start=1):
            write(writer, turn.pk, text, first=seq)
            if breaks:
                with pytest.raises(RuntimeError):
                    async_to_sync(writer.flush)()
        async_to_sync(writer.flush)()

    assert texts_of(turn) == ["a", "b", "c"]
