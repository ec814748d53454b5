"""Periodic work without cron: a row for each piece says when it is due, and workers look at these rows.

Every worker (`manage.py db_worker`) looks twice a minute. Whoever moves a due row on, by one conditional UPDATE,
enqueues the task in the same transaction: it is enqueued once however many workers look, and a worker that dies leaves
nothing that could stop the next one. What was missed while no worker ran is done once, not as often as it was due. A
task that is still waiting or running is not enqueued again.
"""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from chatproject.models import Schedule
from chatproject.tasks import tidy_up
from tables.tasks import look_after_indexes

UNFINISHED = (TaskResultStatus.READY, TaskResultStatus.RUNNING)


@dataclass(frozen=True)
class Periodic:
    """A task without arguments, and how long after it was due it is due again."""

    name: str
    task: Any
    every: timedelta


PERIODIC: tuple[Periodic, ...] = (
    Periodic("tidy", tidy_up, timedelta(hours=1)),
    Periodic("indexes", look_after_indexes, timedelta(hours=1)),
)


def enqueue_due(*, now: datetime, periodic: tuple[Periodic, ...] = PERIODIC) -> list[str]:
    """Enqueues what is due, each piece once for all workers; the names of what this call has enqueued."""
    known = dict(Schedule.objects.values_list("name", "due_at"))
    # Looking must not take SQLite's write lock when there is nothing to do.
    return [each.name for each in periodic if known.get(each.name, now) <= now and _enqueue(each, now=now)]


def _enqueue(each: Periodic, *, now: datetime) -> bool:
    Schedule.objects.bulk_create([Schedule(name=each.name, due_at=now)], ignore_conflicts=True)
    with transaction.atomic():
        if not Schedule.objects.filter(pk=each.name, due_at__lte=now).update(due_at=now + each.every):
            return False
        if DBTaskResult.objects.filter(task_path=each.task.module_path, status__in=UNFINISHED).exists():
            return False
        each.task.enqueue()
    return True
