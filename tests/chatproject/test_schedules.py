"""Periodic work is enqueued once, whoever looks; what a silent worker left is taken up again."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from chatproject.models import Schedule, WorkerHeartbeat
from chatproject.tasks import tidy_up
from chatproject.workers import MAX_ATTEMPTS, PERIODIC, _enqueue, enqueue_due, requeue_abandoned_tasks, run_maintenance
from tests.background_worker import work
from tests.retention_clock import later
from tests.tables.concurrency.threads import together

NAMES = [each.name for each in PERIODIC]


def statuses() -> dict[str, int]:
    return dict(Counter(DBTaskResult.objects.values_list("status", flat=True)))


def running(*, workers: list[str]) -> DBTaskResult:
    """A task that the last of these workers took three minutes ago."""
    result = DBTaskResult.objects.get(pk=tidy_up.enqueue().id)
    result.status, result.worker_ids = "RUNNING", workers
    result.started_at = timezone.now() - timedelta(minutes=3)
    result.save()
    return result


@pytest.mark.django_db
def test_everything_is_due_on_the_first_look_and_nothing_on_the_second() -> None:
    now = timezone.now()
    assert (enqueue_due(now=now), enqueue_due(now=now)) == (NAMES, [])
    assert statuses() == {"READY": len(NAMES)}


@pytest.mark.django_db(transaction=True)
def test_many_workers_that_look_at_once_enqueue_everything_once() -> None:
    now = timezone.now()

    def look(number: int) -> list[str]:
        try:
            return enqueue_due(now=now)
        finally:
            connection.close()

    found = together(8, look)
    assert sorted(name for names in found for name in names) == sorted(NAMES)
    assert statuses() == {"READY": len(NAMES)}


@pytest.mark.django_db(transaction=True)
def test_an_hour_later_it_is_due_again() -> None:
    enqueue_due(now=timezone.now())
    work()
    assert enqueue_due(now=later(minutes=59)) == []
    assert enqueue_due(now=later(minutes=61)) == NAMES


@pytest.mark.django_db(transaction=True)
def test_who_looked_before_it_was_done_does_not_enqueue_it_again() -> None:
    now = timezone.now()
    enqueue_due(now=now)
    work()
    assert [_enqueue(each, now=now) for each in PERIODIC] == [False] * len(PERIODIC)


@pytest.mark.django_db
def test_what_still_waits_is_not_enqueued_a_second_time() -> None:
    enqueue_due(now=timezone.now())
    assert enqueue_due(now=later(minutes=61)) == []
    assert statuses() == {"READY": len(NAMES)}


@pytest.mark.django_db
def test_looking_writes_nothing_when_nothing_is_due(django_assert_num_queries: object) -> None:
    now = timezone.now()
    enqueue_due(now=now)
    with django_assert_num_queries(1):  # type: ignore[operator]  # pytest-django does not say what it is
        enqueue_due(now=now)


@pytest.mark.django_db(transaction=True)
def test_the_worker_of_the_project_does_what_is_due() -> None:
    work()
    assert statuses() == {"SUCCESSFUL": len(NAMES)}
    assert Schedule.objects.filter(due_at__gt=timezone.now()).count() == len(NAMES)
    assert WorkerHeartbeat.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_told_to_end_in_its_first_round_leaves_no_sign_of_life() -> None:
    def told(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "chatproject_schedule" in sql:
            assert WorkerHeartbeat.objects.count() == 1
            raise SystemExit(0)  # as the signal does
        return execute(sql, *rest)

    with connection.execute_wrapper(told), pytest.raises(SystemExit):
        work()
    assert WorkerHeartbeat.objects.count() == 0


@pytest.mark.django_db
def test_a_task_of_a_worker_that_lives_is_left_alone() -> None:
    result = running(workers=["w"])
    run_maintenance(worker_id="w", now=timezone.now())
    result.refresh_from_db()
    assert result.status == "RUNNING"


@pytest.mark.django_db(transaction=True)
def test_a_task_of_a_silent_worker_is_done_by_another() -> None:
    result = running(workers=["killed"])
    WorkerHeartbeat.objects.create(pk="killed", heartbeat_at=timezone.now() - timedelta(minutes=3))
    work()
    result.refresh_from_db()
    assert (result.status, len(result.worker_ids)) == ("SUCCESSFUL", 2)


@pytest.mark.django_db(transaction=True)
def test_what_a_worker_broke_off_when_the_database_went_away_it_does_itself() -> None:
    result = running(workers=["w"])
    # It lives, so that nobody else takes it up.
    WorkerHeartbeat.objects.create(pk="w", heartbeat_at=timezone.now())
    work(worker_id="w")
    result.refresh_from_db()
    assert (result.status, result.worker_ids) == ("SUCCESSFUL", ["w", "w"])


@pytest.mark.django_db
def test_a_task_that_outlives_no_worker_is_given_up() -> None:
    result = running(workers=[str(number) for number in range(MAX_ATTEMPTS)])
    assert requeue_abandoned_tasks(now=timezone.now()) == 0
    result.refresh_from_db()
    assert result.status == "FAILED"
