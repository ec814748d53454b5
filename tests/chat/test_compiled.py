"""A query that is put together once finds what it finds when it is put together anew."""
from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Turn
from chat.selectors.compiled import Compiled
from tests.chat.kept import started

pytestmark = pytest.mark.django_db


def since(user_id: int, moment: datetime) -> QuerySet[Turn, tuple[object, ...]]:
    columns = ("pk", "context", "started_at", "ended_at")
    return Turn.objects.filter(user_id=user_id, started_at__gt=moment).order_by("pk").values_list(*columns)


def test_it_finds_the_same_for_each_person_and_moment(user: User, other_user: User) -> None:
    turns = [started(person) for person in (user, other_user, user)]
    compiled = Compiled(since, kinds=[int, datetime])

    for person in (user, other_user):
        for moment in (timezone.now() - timedelta(hours=1), datetime(2200, 1, 1, tzinfo=UTC)):
            assert compiled.rows(person.pk, moment) == list(since(person.pk, moment))
    assert {row[0] for row in compiled.rows(user.pk, timezone.now() - timedelta(hours=1))} == {
        turns[0].pk, turns[2].pk
    }  # fmt: skip


def test_a_parameter_that_would_not_be_used_is_a_mistake_of_the_program(user: User) -> None:
    compiled = Compiled(lambda turn_id: Turn.objects.values_list("pk"), kinds=[UUID])

    with pytest.raises(AssertionError, match="each parameter"):
        compiled.rows(user.pk)
