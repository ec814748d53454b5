"""Periodic tasks are enqueued once; tasks of dead workers run again."""
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
from tests.background_worker import run_worker_command
from tests.retention_clock import later
from tests.tables.concurrency.threads import together

NAMES = [each.name for each in PERIODIC]


def statuses() -> dict[str, int]:
    return dict(Counter(DBTaskResult.objects.values_list("status", flat=True)))


def running_task(*, workers: list[str]) -> DBTaskResult:
    """Create a task that the last of these workers started three minutes ago."""
    result = DBTaskResult.objects.get(pk=tidy_up.enqueue().id)
    result.status, result.worker_ids = "RUNNING", workers
    result.started_at = timezone.now() - timedelta(minutes=3)
    result.save()
    return result


@pytest.mark.django_db
def test_all_tasks_are_due_at_first_and_none_right_after() -> None:
    now = timezone.now()
    assert (enqueue_due(now=now), enqueue_due(now=now)) == (NAMES, [])
    assert statuses() == {"READY": len(NAMES)}


@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_enqueue_each_task_once() -> None:
    now = timezone.now()

    def enqueue(number: int) -> list[str]:
        try:
            return enqueue_due(now=now)
        finally:
            connection.close()

    enqueued = together(8, enqueue)
    assert sorted(name for names in enqueued for name in names) == sorted(NAMES)
    assert statuses() == {"READY": len(NAMES)}


@pytest.mark.django_db(transaction=True)
def test_tasks_are_due_again_after_their_interval() -> None:
    enqueue_due(now=timezone.now())
    run_worker_command()
    frequent = [each.name for each in PERIODIC if each.every < timedelta(hours=1)]
    assert enqueue_due(now=later(minutes=59)) == frequent
    assert enqueue_due(now=later(minutes=61)) == [name for name in NAMES if name not in frequent]


@pytest.mark.django_db(transaction=True)
def test_a_stale_worker_does_not_enqueue_finished_tasks_again() -> None:
    now = timezone.now()
    enqueue_due(now=now)
    run_worker_command()
    assert [_enqueue(each, now=now) for each in PERIODIC] == [False] * len(PERIODIC)


@pytest.mark.django_db
def test_waiting_tasks_are_not_enqueued_again() -> None:
    enqueue_due(now=timezone.now())
    assert enqueue_due(now=later(minutes=61)) == []
    assert statuses() == {"READY": len(NAMES)}


@pytest.mark.django_db
def test_enqueueing_writes_nothing_when_nothing_is_due(django_assert_num_queries: object) -> None:
    now = timezone.now()
    enqueue_due(now=now)
    with django_assert_num_queries(1):  # type: ignore[operator]  # typed as object
        enqueue_due(now=now)


@pytest.mark.django_db(transaction=True)
def test_the_worker_runs_due_tasks() -> None:
    run_worker_command()
    assert statuses() == {"SUCCESSFUL": len(NAMES)}
    assert Schedule.objects.filter(due_at__gt=timezone.now()).count() == len(NAMES)
    assert WorkerHeartbeat.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_worker_terminated_in_its_first_round_leaves_no_heartbeat() -> None:
    def terminate(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "chatproject_schedule" in sql:
            assert WorkerHeartbeat.objects.count() == 1
            raise SystemExit(0)  # as the signal does
        return execute(sql, *rest)

    with connection.execute_wrapper(terminate), pytest.raises(SystemExit):
        run_worker_command()
    assert WorkerHeartbeat.objects.count() == 0


@pytest.mark.django_db
def test_a_task_of_a_living_worker_is_unchanged() -> None:
    result = running_task(workers=["w"])
    run_maintenance(worker_id="w", now=timezone.now())
    result.refresh_from_db()
    assert result.status == "RUNNING"


@pytest.mark.django_db(transaction=True)
def test_a_task_of_a_dead_worker_is_run_by_another() -> None:
    result = running_task(workers=["killed"])
    WorkerHeartbeat.objects.create(pk="killed", heartbeat_at=timezone.now() - timedelta(minutes=3))
    run_worker_command()
    result.refresh_from_db()
    assert (result.status, len(result.worker_ids)) == ("SUCCESSFUL", 2)


@pytest.mark.django_db(transaction=True)
def test_a_worker_resumes_its_own_interrupted_task() -> None:
    result = running_task(workers=["w"])
    # A recent heartbeat prevents other workers from taking the task.
    WorkerHeartbeat.objects.create(pk="w", heartbeat_at=timezone.now())
    run_worker_command(worker_id="w")
    result.refresh_from_db()
    assert (result.status, result.worker_ids) == ("SUCCESSFUL", ["w", "w"])


@pytest.mark.django_db
def test_a_task_that_kills_its_workers_fails() -> None:
    result = running_task(workers=[str(number) for number in range(MAX_ATTEMPTS)])
    assert requeue_abandoned_tasks(now=timezone.now()) == 0
    result.refresh_from_db()
    assert result.status == "FAILED"
