"""Maintenance by workers: heartbeats, requeueing tasks of killed workers, and periodic tasks.

Periodic tasks need no cron: a row for each one has its due time. Every worker checks these rows twice a minute. The one
that advances a due time by a conditional UPDATE enqueues the task in the same transaction, so it is enqueued once
however many workers run, and a worker that dies blocks nothing. Runs that were missed while no worker ran are not
repeated. A task that is still waiting or running is not enqueued again.
"""
from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from chatproject.models import Schedule, WorkerHeartbeat
from chatproject.tasks import tidy_up

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30
DEAD_AFTER = timedelta(minutes=2)
# A task is not requeued after its worker has died this many times.
MAX_ATTEMPTS = 3


class HeartbeatThread:
    """A thread that runs maintenance. Between `start` and `stop` the worker counts as running."""

    def __init__(self, worker_id: str) -> None:
        self._worker_id = worker_id
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Run maintenance once, so that due tasks are enqueued before the worker looks for tasks; start the thread."""
        run_maintenance(worker_id=self._worker_id, now=timezone.now())
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, even if it was not started, and delete the heartbeat."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=HEARTBEAT_SECONDS)
        WorkerHeartbeat.objects.filter(pk=self._worker_id).delete()

    def _run(self) -> None:
        while not self._stopped.wait(HEARTBEAT_SECONDS):
            try:
                run_maintenance(worker_id=self._worker_id, now=timezone.now())
            except DatabaseError:
                log.exception("the database is not available; retrying in %s s", HEARTBEAT_SECONDS)
            finally:
                connection.close()


def run_maintenance(*, worker_id: str, now: datetime) -> None:
    """Store a heartbeat of this worker, requeue tasks of killed ones, and enqueue periodic tasks."""
    WorkerHeartbeat.objects.update_or_create(pk=worker_id, defaults={"heartbeat_at": now})
    requeue_abandoned_tasks(now=now)
    enqueue_due(now=now)


def requeue_own_tasks(*, worker_id: str) -> int:
    """Requeue the tasks that this worker aborted when the database was unavailable, and return their number.

    Other workers do not requeue them, because this worker is running.
    """
    running = DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING)
    own = [each.pk for each in running if each.worker_ids and each.worker_ids[-1] == worker_id]
    return running.filter(pk__in=own).update(status=TaskResultStatus.READY, started_at=None)


def requeue_abandoned_tasks(*, now: datetime) -> int:
    """Requeue tasks whose worker sent no heartbeat for two minutes, and return their number.

    Tasks must therefore be repeatable.
    """
    alive = set(WorkerHeartbeat.objects.filter(heartbeat_at__gt=now - DEAD_AFTER).values_list("pk", flat=True))
    running = DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING, started_at__lte=now - DEAD_AFTER)
    requeued = 0
    for result in running.order_by("started_at"):
        if result.worker_ids and result.worker_ids[-1] in alive:
            continue
        abandoned = DBTaskResult.objects.filter(
            pk=result.pk, status=TaskResultStatus.RUNNING, started_at=result.started_at
        )
        if len(result.worker_ids) >= MAX_ATTEMPTS:
            log.error("task %s (%s) failed after %s attempts", result.pk, result.task_path, MAX_ATTEMPTS)
            abandoned.update(status=TaskResultStatus.FAILED, finished_at=now)
        else:
            requeued += abandoned.update(status=TaskResultStatus.READY, started_at=None)
    return requeued


@dataclass(frozen=True)
class TaskQueue:
    """Tasks that wait for a worker, those of dead workers included, and the number of running workers."""

    waiting: int
    workers: int
    oldest: datetime | None = None


def task_queue(*, now: datetime) -> TaskQueue:
    """Return what waits for workers."""
    alive = set(WorkerHeartbeat.objects.filter(heartbeat_at__gt=now - DEAD_AFTER).values_list("pk", flat=True))
    ready = DBTaskResult.objects.filter(status=TaskResultStatus.READY).values_list("enqueued_at", flat=True)
    running = DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING).only("worker_ids", "enqueued_at")
    orphaned = [each.enqueued_at for each in running if not alive.intersection(each.worker_ids[-1:])]
    waiting = [*ready, *orphaned]
    return TaskQueue(waiting=len(waiting), workers=len(alive), oldest=min(waiting, default=None))


UNFINISHED = (TaskResultStatus.READY, TaskResultStatus.RUNNING)


@dataclass(frozen=True)
class Periodic:
    """A task without arguments and its interval."""

    name: str
    task: Any
    every: timedelta


PERIODIC: tuple[Periodic, ...] = (Periodic("tidy", tidy_up, timedelta(hours=1)),)
if apps.is_installed("tables"):
    from tables.tasks import maintain_indexes

    PERIODIC += (Periodic("indexes", maintain_indexes, timedelta(hours=1)),)
if apps.is_installed("fills"):
    from fills.tasks import continue_fills

    PERIODIC += (Periodic("fills", continue_fills, timedelta(minutes=1)),)


def enqueue_due(*, now: datetime, periodic: tuple[Periodic, ...] = PERIODIC) -> list[str]:
    """Enqueue the tasks that are due, once for all workers, and return the names of those that were enqueued here."""
    due_times = dict(Schedule.objects.values_list("name", "due_at"))
    # This check avoids SQLite's write lock when no task is due.
    return [each.name for each in periodic if due_times.get(each.name, now) <= now and _enqueue(each, now=now)]


def _enqueue(each: Periodic, *, now: datetime) -> bool:
    Schedule.objects.bulk_create([Schedule(name=each.name, due_at=now)], ignore_conflicts=True)
    with transaction.atomic():
        if not Schedule.objects.filter(pk=each.name, due_at__lte=now).update(due_at=now + each.every):
            return False
        if DBTaskResult.objects.filter(task_path=each.task.module_path, status__in=UNFINISHED).exists():
            return False
        each.task.enqueue()
    return True
