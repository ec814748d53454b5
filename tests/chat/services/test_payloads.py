"""Settling a proposal at once from many sides, and with the database failing at every step."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, connection, connections
from django.utils import timezone

from chat.exceptions import Settled
from chat.models import Conversation, Message, Payload, Turn, TurnEvent
from chat.services import Ending, PayloadRecord, apply_payload, dismiss_payload, end_turn
from tests.chat.stored_conversations import proposed, started

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
ALL = {"operations": "all"}
MANY = 16


def at_once(work: Callable[[], Any], *more: Callable[[], Any]) -> list[str]:
    """Runs each many times in parallel; how every one of them ended."""

    def one(call: Callable[[], Any]) -> str:
        try:
            call()
        except Settled as error:
            return error.code
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(one, [work, *more] * (MANY // (1 + len(more)))))


@contextmanager
def failing_at(step: int) -> Iterator[list[int]]:
    """Fails the statement with this number; the list counts those that were run."""
    ran = [0]

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        ran[0] += 1
        if ran[0] == step:
            raise DatabaseError("the database is away")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield ran


def test_many_applies_of_one_proposal_apply_it_once(user: User) -> None:
    payload = proposed(user, "north", "south")

    ends = at_once(lambda: apply_payload(user=user, payload_id=payload.pk, choice=ALL, now=timezone.now()))

    assert sorted(ends) == ["already_applied"] * (MANY - 1) + ["done"]
    assert Group.objects.count() == 2


def test_an_apply_and_a_dismissal_at_once_settle_it_one_way(user: User) -> None:
    payload = proposed(user, "north")

    ends = at_once(
        lambda: apply_payload(user=user, payload_id=payload.pk, choice=ALL, now=timezone.now()),
        lambda: dismiss_payload(user=user, payload_id=payload.pk, now=timezone.now()),
    )

    payload.refresh_from_db()
    assert ends.count("done") == 1
    assert Group.objects.exists() == (payload.status == "applied")


def test_an_apply_that_breaks_at_any_statement_leaves_nothing_behind(user: User) -> None:
    payload = proposed(user, "north", "south")
    for step in range(1, 100):
        try:
            with failing_at(step) as ran:
                apply_payload(user=user, payload_id=payload.pk, choice=ALL, now=timezone.now())
        except DatabaseError:
            payload.refresh_from_db()
            assert (payload.status, Group.objects.count()) == ("pending", 0), f"statement {step}"
        if ran[0] < step:
            break

    payload.refresh_from_db()
    assert (payload.status, Group.objects.count()) == ("applied", 2)
    assert step > 5


def test_an_ending_that_breaks_at_any_statement_leaves_the_turn_running(user: User) -> None:
    turn = started(user)
    records = (PayloadRecord(type="note_proposal", source="llm", data={}, status="pending", resolved={}),)
    for step in range(1, 100):
        ending = Ending(state="complete", text="Done.", payloads=records)
        try:
            with failing_at(step) as ran:
                end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=timezone.now())
        except DatabaseError:
            turn.refresh_from_db()
            kept = (turn.state, Message.objects.count(), Payload.objects.count(), TurnEvent.objects.count())
            assert kept == ("running", 1, 0, 0), f"statement {step}"
        if ran[0] < step:
            break

    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETE
    assert Conversation.objects.get().tip == Message.objects.get(role="assistant")
    assert step > 5
