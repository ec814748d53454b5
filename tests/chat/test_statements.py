"""A statement that is put together by hand, or once for all, finds and stores what Django would."""
from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.forms import model_to_dict
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Conversation, Turn
from chat.selectors import get_conversation, lock_conversation_query
from shared.db import CompiledQuery, Query, insert_statement, run_queries, run_query, run_statements, update_statement
from tests.chat.stored_conversations import proposed, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def since(*, user_id: int, moment: datetime) -> QuerySet[Turn, tuple[object, ...]]:
    columns = ("pk", "context", "started_at", "ended_at")
    return Turn.objects.filter(user_id=user_id, started_at__gt=moment).order_by("pk").values_list(*columns)


def test_it_finds_the_same_for_each_person_and_moment(user: User, other_user: User) -> None:
    turns = [started(person) for person in (user, other_user, user)]
    compiled = CompiledQuery(since, user_id=int, moment=datetime)

    for person in (user, other_user):
        for moment in (timezone.now() - timedelta(hours=1), datetime(2200, 1, 1, tzinfo=UTC)):
            assert compiled.rows(user_id=person.pk, moment=moment) == list(
                since(user_id=person.pk, moment=moment)
            )
    assert {row[0] for row in compiled.rows(user_id=user.pk, moment=turns[0].started_at - timedelta(hours=1))} == {
        turns[0].pk, turns[2].pk
    }  # fmt: skip


def test_parameters_of_one_kind_are_told_apart(user: User, other_user: User) -> None:
    own, others = started(user), started(other_user)
    compiled = CompiledQuery(
        lambda mine, theirs: Turn.objects.filter(pk=mine).exclude(pk=theirs).values_list("pk"), mine=UUID, theirs=UUID
    )

    assert compiled.rows(mine=own.pk, theirs=others.pk) == [(own.pk,)]
    assert compiled.rows(mine=own.pk, theirs=own.pk) == []


def test_of_what_is_asked_together_each_question_reads_what_its_own_statements_found(user: User) -> None:
    turn = started(user)
    compiled = CompiledQuery(since, user_id=int, moment=datetime)
    mine = compiled.statement(user_id=user.pk, moment=turn.started_at - timedelta(hours=1))
    nobodys = compiled.statement(user_id=-1, moment=turn.started_at)

    def counts(*found: list[object]) -> list[int]:
        return [len(rows) for rows in found]

    asked = [Query((mine, nobodys), counts), Query((), counts), Query((nobodys,), counts)]
    assert run_queries(*asked) == [[1, 0], [], [0]]


def test_a_parameter_that_would_not_be_used_is_a_mistake_of_the_program(user: User) -> None:
    compiled = CompiledQuery(lambda turn_id: Turn.objects.values_list("pk"), turn_id=UUID)

    with pytest.raises(AssertionError, match="each parameter"):
        compiled.rows(turn_id=uuid4())


@pytest.mark.parametrize("has_open", [True, False])
def test_a_locked_conversation_is_the_one_that_is_found_otherwise(user: User, has_open: bool) -> None:
    conversation = started(user).conversation
    if has_open:
        conversation = proposed(user, "north").conversation

    with transaction.atomic():
        locked = run_query(lock_conversation_query(user, str(conversation.pk)))
        found = get_conversation(user, conversation.pk, lock=True)

    assert locked is not None
    assert model_to_dict(locked) == model_to_dict(found)
    assert (locked.created_at, locked.has_open) == (found.created_at, has_open)  # type: ignore[attr-defined]
    locked.save()


def test_anothers_conversation_is_not_there_nor_is_one_that_is_gone_or_a_trial(user: User, other_user: User) -> None:
    conversation = started(user).conversation

    def seen_by(person: User) -> bool:
        with transaction.atomic():
            return run_query(lock_conversation_query(person, conversation.pk)) is not None

    assert seen_by(user)
    assert not seen_by(other_user)
    for change in ({"sandbox": True}, {"sandbox": False, "deleted_at": timezone.now()}):
        Conversation.objects.update(**change)
        assert not seen_by(user)


def test_what_is_sent_at_once_is_found_in_its_order_and_what_only_writes_finds_nothing(user: User) -> None:
    turn = started(user)
    compiled = CompiledQuery(since, user_id=int, moment=datetime)
    mine = compiled.statement(user_id=user.pk, moment=turn.started_at - timedelta(hours=1))
    nobodys = compiled.statement(user_id=-1, moment=turn.started_at)
    turn.page, turn.context = "100 %s; '", {"said": "50 %; done'"}

    found = run_statements(nobodys, update_statement(turn, "page", "context"), mine)

    assert found == [[], [], compiled.rows(user_id=user.pk, moment=turn.started_at - timedelta(hours=1))]
    assert [row[1] for row in found[2]] == [turn.context]
    assert Turn.objects.get(pk=turn.pk).page == turn.page


@pytest.mark.postgres_only
def test_several_statements_take_one_trip(user: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    compiled = CompiledQuery(since, user_id=int, moment=datetime)
    statement = compiled.statement(user_id=user.pk, moment=timezone.now())

    with django_assert_num_queries(1):
        run_statements(statement, statement, statement)


def test_an_insertion_stores_what_saving_would_and_not_twice_if_told_so(user: User) -> None:
    saved = started(user)
    values = {field.attname: getattr(saved, field.attname) for field in Turn._meta.concrete_fields}
    conversation = Conversation.objects.create(user=user, page="tables_list")
    values |= {"id": uuid4(), "client_turn_id": uuid4(), "conversation_id": conversation.pk}
    made = Turn(**values)

    run_statements(insert_statement(made))
    run_statements(insert_statement(Turn(**{**values, "page": "elsewhere"}), ignore_conflicts=True))

    stored = Turn.objects.get(pk=made.pk)
    assert {name: getattr(stored, name) for name in values} == values
    made.page = "table_view"
    made.save()
    assert Turn.objects.get(pk=made.pk).page == "table_view"
