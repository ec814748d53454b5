"""Large work outside of requests waits for its turn, with neither a connection nor a lock in hand."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from shared.db.large_work import (
    LARGE_ROWS,
    LargeWorkBusy,
    large_work_timeout,
    lock_large_work,
    lock_large_work_for,
    set_large_work_lock,
    without_large_work_lock,
)

SECONDS = 60.0

pytestmark = pytest.mark.django_db(transaction=True)


def test_large_work_waits_without_a_connection_until_the_one_before_has_ended() -> None:
    waits, works = threading.Event(), threading.Event()
    has_connection: list[bool] = []

    def work() -> None:
        with large_work_timeout(SECONDS):
            User.objects.count()
            waits.set()
            lock_large_work()
            has_connection.append(connection.connection is not None)
            works.set()

    with large_work_timeout(SECONDS):
        lock_large_work()
        lock_large_work()
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
            with large_work_timeout(0):
                lock_large_work_for(rows)
            outcomes.append(True)
        except LargeWorkBusy:
            outcomes.append(False)

    with large_work_timeout(SECONDS):
        lock_large_work()
        second = threading.Thread(target=work)
        second.start()
        second.join(SECONDS)

    assert outcomes == [begins]


def test_large_work_in_a_transaction_does_not_wait() -> None:
    ended = threading.Event()

    def work() -> None:
        with large_work_timeout(SECONDS), transaction.atomic():
            lock_large_work()
        connection.close()
        ended.set()

    with large_work_timeout(SECONDS):
        lock_large_work()
        second = threading.Thread(target=work)
        second.start()
        assert ended.wait(SECONDS)
    second.join()


def test_work_that_must_not_begin_again_needs_no_turn() -> None:
    set_large_work_lock(lambda: False)
    try:
        with without_large_work_lock():
            lock_large_work()
        with pytest.raises(LargeWorkBusy):
            lock_large_work()
    finally:
        set_large_work_lock(None)
