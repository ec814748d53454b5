"""Large work outside of requests waits for its turn without a connection or a lock."""

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


def test_large_work_waits_for_earlier_work_without_a_connection() -> None:
    waiting, working = threading.Event(), threading.Event()
    has_connection: list[bool] = []

    def work() -> None:
        with large_work_timeout(SECONDS):
            User.objects.count()
            waiting.set()
            lock_large_work()
            has_connection.append(connection.connection is not None)
            working.set()

    with large_work_timeout(SECONDS):
        lock_large_work()
        lock_large_work()
        second = threading.Thread(target=work)
        second.start()
        assert waiting.wait(SECONDS)
        assert not working.is_set()
    assert working.wait(SECONDS)
    second.join()

    assert has_connection == [False]


@pytest.mark.parametrize(("rows", "starts"), [(LARGE_ROWS, True), (LARGE_ROWS + 1, False)])
def test_large_work_does_not_start_when_its_turn_comes_too_late(rows: int, starts: bool) -> None:
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

    assert outcomes == [starts]


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


def test_work_that_cannot_be_restarted_needs_no_turn() -> None:
    set_large_work_lock(lambda: False)
    try:
        with without_large_work_lock():
            lock_large_work()
        with pytest.raises(LargeWorkBusy):
            lock_large_work()
    finally:
        set_large_work_lock(None)
