"""Letting go is one list: a kind that fails keeps no other, and the command says what went."""
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


def sessions(count: int) -> None:
    ran_out = timezone.now() - timedelta(days=1)
    Session.objects.bulk_create(Session(pk=f"s{number}", expire_date=ran_out) for number in range(count))


def failing(*, now: datetime) -> Iterator[int]:
    yield 1
    raise OSError("the disk is full")


def all_sessions(*, now: datetime) -> object:
    return Session.objects.all()


def test_a_kind_that_fails_keeps_no_other_from_going() -> None:
    sessions(3)
    rules = [RetentionRule("first", failing), RetentionRule("second", all_sessions)]  # type: ignore[arg-type]  # a shorter name
    with pytest.raises(DeletionFailed, match="first"):
        delete_expired(now=timezone.now(), rules=rules, pause=lambda seconds: None)
    assert Session.objects.count() == 0


def test_rows_go_a_few_at_a_time() -> None:
    sessions(450)
    breaths: list[float] = []
    gone = delete_expired(now=timezone.now(), pause=breaths.append)
    assert (gone, len(breaths)) == ({"sessions": 450}, 3)


def test_tasks_and_workers_of_last_week_are_forgotten() -> None:
    tidy_up.enqueue()
    tidy_up.enqueue()
    DBTaskResult.objects.filter(pk=DBTaskResult.objects.all()[0].pk).update(finished_at=timezone.now())
    WorkerHeartbeat.objects.create(pk="w", heartbeat_at=timezone.now())
    tidy_after(hours=23)
    assert (DBTaskResult.objects.count(), WorkerHeartbeat.objects.count()) == (2, 1)
    tidy_after(days=8)
    # What still waits is never forgotten.
    assert (DBTaskResult.objects.count(), WorkerHeartbeat.objects.count()) == (1, 0)


def test_the_command_says_what_went() -> None:
    sessions(2)
    said = StringIO()
    call_command("tidy", stdout=said)
    call_command("tidy", stdout=said)
    assert said.getvalue().splitlines() == ["sessions: 2", "Nothing to delete."]


def test_nothing_goes_before_its_time() -> None:
    Session.objects.create(pk="s", expire_date=later(hours=1))
    assert tidy_after(minutes=59) == {}
