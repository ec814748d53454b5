"""The `tidy` command and its retention jobs."""
from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from chatproject.models import WorkerHeartbeat
from chatproject.retention import DeletionFailed, RetentionRule, delete_expired
from chatproject.tasks import tidy_up
from tests.retention_clock import later, tidy_after

pytestmark = pytest.mark.django_db


def create_expired_sessions(count: int) -> None:
    expired = timezone.now() - timedelta(days=1)
    Session.objects.bulk_create(Session(pk=f"s{number}", expire_date=expired) for number in range(count))


def failing(*, now: datetime) -> Iterator[int]:
    yield 1
    raise OSError("the disk is full")


def all_sessions(*, now: datetime) -> object:
    return Session.objects.all()


def test_a_failing_job_does_not_stop_the_others() -> None:
    create_expired_sessions(3)
    rules = [RetentionRule("first", failing), RetentionRule("second", all_sessions)]  # type: ignore[arg-type]  # a shorter name
    with pytest.raises(DeletionFailed, match="first"):
        delete_expired(now=timezone.now(), rules=rules, pause=lambda seconds: None)
    assert Session.objects.count() == 0


def test_rows_are_deleted_in_batches() -> None:
    create_expired_sessions(450)
    pauses: list[float] = []
    deleted = delete_expired(now=timezone.now(), pause=pauses.append)
    assert (deleted, len(pauses)) == ({"sessions": 450}, 3)


def test_old_tasks_and_workers_are_deleted() -> None:
    tidy_up.enqueue()
    tidy_up.enqueue()
    DBTaskResult.objects.filter(pk=DBTaskResult.objects.all()[0].pk).update(finished_at=timezone.now())
    WorkerHeartbeat.objects.create(pk="w", heartbeat_at=timezone.now())
    tidy_after(hours=23)
    assert (DBTaskResult.objects.count(), WorkerHeartbeat.objects.count()) == (2, 1)
    tidy_after(days=8)
    # Waiting tasks are never deleted.
    assert (DBTaskResult.objects.count(), WorkerHeartbeat.objects.count()) == (1, 0)


def test_the_command_prints_what_was_deleted() -> None:
    create_expired_sessions(2)
    output = StringIO()
    call_command("tidy", stdout=output)
    call_command("tidy", stdout=output)
    assert output.getvalue().splitlines() == ["sessions: 2", "Nothing to delete."]


def test_unexpired_sessions_are_not_deleted() -> None:
    Session.objects.create(pk="s", expire_date=later(hours=1))
    assert tidy_after(minutes=59) == {}
