"""Looks after tasks while a worker works: signs of life, periodic work, and what a killed worker left undone."""
from __future__ import annotations

import logging
import threading
from datetime import datetime, timedelta

from django.db import DatabaseError, connection
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from chatproject.models import WorkerHeartbeat
from chatproject.schedules import enqueue_due

log = logging.getLogger(__name__)

SECONDS = 30
SILENT_AFTER = timedelta(minutes=2)
# A task that takes its worker down with it each time is given up.
MOST_TRIES = 3


class Watch:
    """A thread beside a worker; between `begin` and `end` the worker counts as living."""

    def __init__(self, worker_id: str) -> None:
        self._worker_id = worker_id
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def begin(self) -> None:
        """Does the first round at once: what is due is enqueued before the worker looks for work."""
        look_after(worker_id=self._worker_id, now=timezone.now())
        self._thread.start()

    def end(self) -> None:
        """Says that the worker is gone, however far it has come."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=SECONDS)
        WorkerHeartbeat.objects.filter(pk=self._worker_id).delete()

    def _run(self) -> None:
        while not self._over.wait(SECONDS):
            try:
                look_after(worker_id=self._worker_id, now=timezone.now())
            except DatabaseError:
                log.exception("the database is not available; retrying in %s s", SECONDS)
            finally:
                connection.close()


def look_after(*, worker_id: str, now: datetime) -> None:
    """One round: a sign of life of this worker, what silent ones left, what is due."""
    WorkerHeartbeat.objects.update_or_create(pk=worker_id, defaults={"heartbeat_at": now})
    take_up(now=now)
    enqueue_due(now=now)


def put_back(*, worker_id: str) -> int:
    """Puts back what this worker itself broke off when its database went away; how many. Nobody wrote that down.

    Nobody else takes it up either, for the worker lives.
    """
    running = DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING)
    own = [each.pk for each in running if each.worker_ids and each.worker_ids[-1] == worker_id]
    return running.filter(pk__in=own).update(status=TaskResultStatus.READY, started_at=None)


def take_up(*, now: datetime) -> int:
    """Puts tasks back whose worker has been silent for two minutes; how many. Tasks must bear being begun again."""
    living = set(WorkerHeartbeat.objects.filter(heartbeat_at__gt=now - SILENT_AFTER).values_list("pk", flat=True))
    running = DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING, started_at__lte=now - SILENT_AFTER)
    taken = 0
    for result in running.order_by("started_at"):
        if result.worker_ids and result.worker_ids[-1] in living:
            continue
        left = DBTaskResult.objects.filter(
            pk=result.pk, status=TaskResultStatus.RUNNING, started_at=result.started_at
        )
        if len(result.worker_ids) >= MOST_TRIES:
            log.error("task %s (%s) failed after %s attempts", result.pk, result.task_path, MOST_TRIES)
            left.update(status=TaskResultStatus.FAILED, finished_at=now)
        else:
            taken += left.update(status=TaskResultStatus.READY, started_at=None)
    return taken
