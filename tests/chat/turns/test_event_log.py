"""The writer of events: one statement for all turns, nothing lost or disordered while the database is away."""
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
from tests.chat.stored_conversations import ended, started
from tests.manual_clock import ManualClock, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def event(text: str) -> str:
    return f'{{"type": "text_delta", "text": "{text}"}}'


def texts_of(turn: Turn) -> list[str]:
    return [data["text"] for data in TurnEvent.objects.filter(turn=turn).order_by("seq").values_list("data", flat=True)]


class Away:
    """A database that answers nothing as long as it is `away`."""

    def __init__(self) -> None:
        self.away = True

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.away:
            raise OperationalError("the server closed the connection unexpectedly")
        return execute(sql, params, many, context)


def say(writer: EventWriter, turn_id: UUID, *texts: str, first: int = 1) -> None:
    for seq, text in enumerate(texts, start=first):
        writer.add(turn_id, seq=seq, event=event(text))


def test_what_all_turns_say_is_stored_in_one_statement(user: User) -> None:
    one, other = started(user), started(user)
    writer = EventWriter()
    say(writer, one.pk, "a", "b")
    say(writer, other.pk, "c")

    with CaptureQueriesContext(connection) as sent:
        async_to_sync(writer.flush)()

    inserts = [query["sql"] for query in sent.captured_queries if "chat_turnevent" in query["sql"]]
    assert len(inserts) == 1
    assert (texts_of(one), texts_of(other)) == (["a", "b"], ["c"])


def test_nothing_is_lost_or_disordered_while_the_database_is_away(user: User) -> None:
    turn, writer, database = started(user), EventWriter(), Away()
    say(writer, turn.pk, "a", "b")

    with connection.execute_wrapper(database):
        async_to_sync(writer.flush)()
        say(writer, turn.pk, "c", first=3)
        async_to_sync(writer.flush)()
        before = database.away
        database.away = False
        async_to_sync(writer.flush)()

    assert before
    assert texts_of(turn) == ["a", "b", "c"]


def test_a_turn_that_ends_waits_for_its_events_to_be_stored(user: User) -> None:
    turn, writer, database = started(user), EventWriter(), Away()
    say(writer, turn.pk, "a")

    @async_to_sync
    async def scene() -> bool:
        clock = ManualClock()
        ending = asyncio.ensure_future(writer.flush_all(clock=clock))
        await clock.advance(1)
        await clock.advance(1)
        waited = not ending.done()
        database.away = False
        while not ending.done():
            await clock.advance(1)
        await ending
        return waited

    with connection.execute_wrapper(database):
        waited = scene()

    assert waited
    assert texts_of(turn) == ["a"]


def test_a_database_that_stays_away_is_not_waited_for_without_end(user: User) -> None:
    turn, writer = started(user), EventWriter()
    say(writer, turn.pk, "a")

    @async_to_sync
    async def scene() -> None:
        clock = ManualClock()
        ending = asyncio.ensure_future(writer.flush_all(clock=clock))
        while not ending.done():
            await clock.advance(1)
        await ending

    with connection.execute_wrapper(Away()), pytest.raises(OperationalError):
        scene()


def test_with_much_waiting_for_the_database_turns_wait_until_there_is_room(user: User) -> None:
    turn, database = started(user), Away()

    @async_to_sync
    async def scene() -> tuple[bool, bool]:
        writer = EventWriter()
        say(writer, turn.pk, *["x"] * event_log.MOST_WAITING)
        await writer.flush()
        speaking = asyncio.ensure_future(writer.room())
        await settle()
        waited = not speaking.done()
        database.away = False
        await writer.flush()
        await settle()
        return waited, speaking.done()

    with connection.execute_wrapper(database):
        assert scene() == (True, True)


def test_a_turn_that_is_gone_holds_up_nobody(user: User) -> None:
    turn, writer = started(user), EventWriter()
    say(writer, uuid4(), "nobody's")
    say(writer, turn.pk, "a")

    async_to_sync(writer.flush)()

    assert texts_of(turn) == ["a"]


def test_a_turn_that_somebody_ended_meanwhile_gets_no_event_after_its_last(user: User) -> None:
    turn, writer = ended(started(user)), EventWriter()
    say(writer, turn.pk, "too late", first=2)

    async_to_sync(writer.flush)()

    assert [data["type"] for data in TurnEvent.objects.filter(turn=turn).values_list("data", flat=True)] == ["complete"]


@pytest.mark.postgres_only
def test_an_event_the_database_refuses_holds_up_only_its_own_turn(user: User) -> None:
    one, other, writer = started(user), started(user), EventWriter()
    writer.add(one.pk, seq=1, event='{"type": "text_delta", "text": "\\u0000"}')
    say(writer, other.pk, "a")

    async_to_sync(writer.flush)()

    assert (texts_of(one), texts_of(other)) == ([], ["a"])


def test_a_database_that_goes_away_over_what_it_refused_loses_nothing_of_the_others(user: User) -> None:
    turns, writer = [started(user) for _ in range(3)], EventWriter()
    answers = [DatabaseError("refused"), DatabaseError("refused"), OperationalError("away")]

    def answering(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        error = answers.pop(0) if answers and "chat_turnevent" in sql else None
        if error is not None:
            raise error
        return execute(sql, params, many, context)

    for turn in turns:
        say(writer, turn.pk, "a", "b")
    with connection.execute_wrapper(answering):
        async_to_sync(writer.flush)()
        say(writer, turns[1].pk, "c", first=3)
        async_to_sync(writer.flush)()

    assert [texts_of(turn) for turn in turns] == [[], ["a", "b", "c"], ["a", "b"]]


def test_a_batch_that_is_broken_off_is_stored_with_the_next_and_once(user: User) -> None:
    turn, writer = started(user), EventWriter()
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
            say(writer, turn.pk, text, first=seq)
            if breaks:
                with pytest.raises(RuntimeError):
                    async_to_sync(writer.flush)()
        async_to_sync(writer.flush)()

    assert texts_of(turn) == ["a", "b", "c"]
