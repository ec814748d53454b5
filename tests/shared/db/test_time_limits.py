"""Database work ends at its time limit with an error that names the limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction

from chatproject.backends.sqlite.write_queue import write_queue
from shared.db.time_limits import OverTimeLimit, is_locked, is_over_limit, time_limit

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
AT_ONCE, WAITED, NEVER = 0.001, 0.01, 3_600  # seconds


def failure_of(work: Callable[[], object]) -> OperationalError:
    with pytest.raises(OperationalError) as raised:
        work()
    return raised.value


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.fetchall()


@pytest.fixture
def closed(transactional_db: None) -> None:
    """Close the connection, so that the next query opens one with its own limits."""
    connection.close()


def test_a_statement_over_the_limit_ends_and_nothing_is_written(closed: None) -> None:
    def write_and_search() -> None:
        with time_limit(0.2, lock_seconds=NEVER), transaction.atomic():
            User.objects.create_user("never")
            run(ENDLESS)

    error = failure_of(write_and_search)
    connection.close()

    assert (is_over_limit(error), is_locked(error)) == (True, False)
    assert not User.objects.filter(username="never").exists()


def test_no_statement_begins_after_the_limit(closed: None) -> None:
    with time_limit(NEVER, lock_seconds=NEVER) as limit:
        run("SELECT 1")
        limit.cancel()
        error = failure_of(lambda: run("SELECT 1"))
    run("SELECT 1")

    assert isinstance(error, OverTimeLimit)


def test_work_ends_when_its_client_disconnects(closed: None) -> None:
    ended = threading.Event()

    def cancel_repeatedly() -> None:
        # PostgreSQL ignores a cancel request that arrives before the statement begins.
        while not ended.is_set():
            limit.cancel()

    with time_limit(NEVER, lock_seconds=NEVER) as limit, connection.cursor() as cursor:
        cancelling = threading.Thread(target=cancel_repeatedly)
        cancelling.start()
        error = failure_of(lambda: cursor.execute(ENDLESS) and cursor.fetchall())
        ended.set()
        cancelling.join()

    assert is_over_limit(error)


@pytest.mark.postgres_only
def test_a_lock_timeout_is_distinguished_from_the_time_limit(transactional_db: None, user: User) -> None:
    def rename() -> None:
        with time_limit(NEVER, lock_seconds=AT_ONCE):
            errors.append(failure_of(lambda: User.objects.filter(pk=user.pk).update(first_name="Ada")))
        connection.close()

    errors: list[OperationalError] = []
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        waiting = threading.Thread(target=rename)
        waiting.start()
        waiting.join()

    assert (is_over_limit(errors[0]), is_locked(errors[0])) == (False, True)


@pytest.mark.postgres_only
def test_pooled_connections_do_not_keep_earlier_limits(closed: None) -> None:
    def limits() -> tuple[str, str]:
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')")
            settings: tuple[str, str] = cursor.fetchone()
            return settings

    with time_limit(5, lock_seconds=2):
        assert limits() == ("5s", "2s")
    assert limits() == ("0", "0")


def test_a_limit_is_lifted_once_its_work_is_committed(closed: None) -> None:
    with time_limit(NEVER, lock_seconds=NEVER) as limit:
        with transaction.atomic():
            User.objects.create_user("ada")
            assert not limit.is_lifted
        assert limit.is_lifted
    with time_limit(AT_ONCE, lock_seconds=NEVER) as limit:
        limit.lift()
        assert User.objects.filter(username="ada").exists()


@pytest.mark.sqlite_only
def test_waiting_for_the_write_lock_does_not_count_as_work(closed: None) -> None:
    queue = write_queue(str(connection.settings_dict["NAME"]))
    locked = threading.Event()

    def write() -> None:
        with transaction.atomic():
            locked.set()
            while not queue.waiting:
                pass
            end = time.monotonic() + WAITED
            while time.monotonic() < end:
                pass
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    locked.wait()
    with time_limit(NEVER, lock_seconds=NEVER) as limit:
        deadline = limit.deadline
        with transaction.atomic():
            postponed = limit.deadline - deadline
    writer.join()

    assert postponed >= WAITED
