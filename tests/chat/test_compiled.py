"""A query that is put together once finds what it finds when it is put together anew."""
from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.forms import model_to_dict
from django.utils import timezone

from chat.models import Conversation, Turn
from chat.selectors import get_conversation, locked_conversation
from chat.selectors.compiled import Compiled
from tests.chat.kept import proposed, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def since(*, user_id: int, moment: datetime) -> QuerySet[Turn, tuple[object, ...]]:
    columns = ("pk", "context", "started_at", "ended_at")
    return Turn.objects.filter(user_id=user_id, started_at__gt=moment).order_by("pk").values_list(*columns)


def test_it_finds_the_same_for_each_person_and_moment(user: User, other_user: User) -> None:
    turns = [started(person) for person in (user, other_user, user)]
    compiled = Compiled(since, user_id=int, moment=datetime)

    for person in (user, other_user):
        for moment in (timezone.now() - timedelta(hours=1), datetime(2200, 1, 1, tzinfo=UTC)):
            assert compiled.rows(user_id=person.pk, moment=moment) == list(
                since(user_id=person.pk, moment=moment)
            )
    assert {row[0] for row in compiled.rows(user_id=user.pk, moment=turns[0].started_at - timedelta(hours=1))} == {
        turns[0].pk, turns[2].pk
    }  # fmt: skip


def test_a_parameter_that_would_not_be_used_is_a_mistake_of_the_program(user: User) -> None:
    compiled = Compiled(lambda turn_id: Turn.objects.values_list("pk"), turn_id=UUID)

    with pytest.raises(AssertionError, match="each parameter"):
        compiled.rows(turn_id=uuid4())


@pytest.mark.parametrize("has_open", [True, False])
def test_a_locked_conversation_is_the_one_that_is_found_otherwise(user: User, has_open: bool) -> None:
    conversation = started(user).conversation
    if has_open:
        conversation = proposed(user, "north").conversation

    with transaction.atomic():
        locked = locked_conversation(user, str(conversation.pk))
        found = get_conversation(user, conversation.pk, lock=True)

    assert locked is not None
    assert model_to_dict(locked) == model_to_dict(found)
    assert (locked.created_at, locked.has_open) == (found.created_at, has_open)  # type: ignore[attr-defined]
    locked.save()


def test_anothers_conversation_is_not_there_nor_is_one_that_is_gone_or_a_trial(user: User, other_user: User) -> None:
    conversation = started(user).conversation

    def seen_by(person: User) -> bool:
        with transaction.atomic():
            return locked_conversation(person, conversation.pk) is not None

    assert seen_by(user)
    assert not seen_by(other_user)
    for change in ({"sandbox": True}, {"sandbox": False, "deleted_at": timezone.now()}):
        Conversation.objects.update(**change)
        assert not seen_by(user)
