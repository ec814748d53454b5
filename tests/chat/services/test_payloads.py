"""Concurrent answers to a proposal, and a database that fails at any statement."""
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
from tests.chat.stored_conversations import make_proposal, running_turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
ALL = {"operations": "all"}
MANY = 16


def run_concurrently(work: Callable[[], Any], *more: Callable[[], Any]) -> list[str]:
    """Run each many times in parallel and return how every call ended."""

    def run_one(call: Callable[[], Any]) -> str:
        try:
            call()
        except Settled as error:
            return error.code
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(run_one, [work, *more] * (MANY // (1 + len(more)))))


@contextmanager
def failing_at(step: int) -> Iterator[list[int]]:
    """Fail the statement with this number; the list contains the executed ones."""
    ran = [0]

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        ran[0] += 1
        if ran[0] == step:
            raise DatabaseError("the database is away")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield ran


def test_concurrent_applies_apply_once(user: User) -> None:
    payload = make_proposal(user, "north", "south")

    ends = run_concurrently(lambda: apply_payload(user=user, payload_id=payload.pk, choice=ALL, now=timezone.now()))

    assert sorted(ends) == ["already_applied"] * (MANY - 1) + ["done"]
    assert Group.objects.count() == 2


def test_concurrent_apply_and_dismissal_have_one_effect(user: User) -> None:
    payload = make_proposal(user, "north")

    ends = run_concurrently(
        lambda: apply_payload(user=user, payload_id=payload.pk, choice=ALL, now=timezone.now()),
        lambda: dismiss_payload(user=user, payload_id=payload.pk, now=timezone.now()),
    )

    payload.refresh_from_db()
    assert ends.count("done") == 1
    assert Group.objects.exists() == (payload.status == "applied")


def test_apply_failing_at_any_statement_has_no_effect(user: User) -> None:
    payload = make_proposal(user, "north", "south")
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


def test_ending_failing_at_any_statement_leaves_the_turn_running(user: User) -> None:
    turn = running_turn(user)
    records = (PayloadRecord(type="note_proposal", source="llm", data={}, status="pending", resolved={}),)
    for step in range(1, 100):
        ending = Ending(state="complete", text="Done.", payloads=records)
        try:
            with failing_at(step) as ran:
                end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=timezone.now())
        except DatabaseError:
            turn.refresh_from_db()
            stored = (turn.state, Message.objects.count(), Payload.objects.count(), TurnEvent.objects.count())
            assert stored == ("running", 1, 0, 0), f"statement {step}"
        if ran[0] < step:
            break

    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETE
    assert Conversation.objects.get().tip == Message.objects.get(role="assistant")
    assert step > 5
