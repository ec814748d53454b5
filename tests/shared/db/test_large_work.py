"""Large work outside of requests waits for its turn, with neither a connection nor a lock in hand."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from shared.db.large_work import (
    LARGE_ROWS,
    TurnNeeded,
    set_turn,
    take_turn,
    take_turn_for_rows,
    waiting_for_turn,
    without_turn,
)

SECONDS = 60.0

pytestmark = pytest.mark.django_db(transaction=True)


def test_large_work_waits_without_a_connection_until_the_one_before_has_ended() -> None:
    waits, works = threading.Event(), threading.Event()
    has_connection: list[bool] = []

    def work() -> None:
        with waiting_for_turn(SECONDS):
            User.objects.count()
            waits.set()
            take_turn()
            has_connection.append(connection.connection is not None)
            works.set()

    with waiting_for_turn(SECONDS):
        take_turn()
        take_turn()
        second = threading.Thread(target=work)
        second.start()
        assert waits.wait(SECONDS)
        assert not works.is_set()
    assert works.wait(SECONDS)
    second.join()

    assert has_connection == [False]


@pytest.mark.parametrize(("rows", "begins"), [(LARGE_ROWS, True), (LARGE_ROWS + 1, False)])
def test_large_work_that_does_not_get_its_turn_in_time_is_not_begun(rows: int, begins: bool) -> None:
    outcomes: list[bool] = []

    def work() -> None:
        try:
            with waiting_for_turn(0):
                take_turn_for_rows(rows)
            outcomes.append(True)
        except TurnNeeded:
            outcomes.append(False)

    with waiting_for_turn(SECONDS):
        take_turn()
        second = threading.Thread(target=work)
        second.start()
        second.join(SECONDS)

    assert outcomes == [begins]


def test_large_work_in_a_transaction_does_not_wait() -> None:
    ended = threading.Event()

    def work() -> None:
        with waiting_for_turn(SECONDS), transaction.atomic():
            take_turn()
        connection.close()
        ended.set()

    with waiting_for_turn(SECONDS):
        take_turn()
        second = threading.Thread(target=work)
        second.start()
        assert ended.wait(SECONDS)
    second.join()


def test_work_that_must_not_begin_again_needs_no_turn() -> None:
    set_turn(lambda: False)
    try:
        with without_turn():
            take_turn()
        with pytest.raises(TurnNeeded):
            take_turn()
    finally:
        set_turn(None)
