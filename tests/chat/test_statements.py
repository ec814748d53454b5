"""Precompiled and combined statements return and store the same as Django's."""
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
from tests.chat.stored_conversations import make_proposal, running_turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def since(*, user_id: int, moment: datetime) -> QuerySet[Turn, tuple[object, ...]]:
    columns = ("pk", "context", "started_at", "ended_at")
    return Turn.objects.filter(user_id=user_id, started_at__gt=moment).order_by("pk").values_list(*columns)


def test_precompiled_query_finds_the_same_for_each_user_and_time(user: User, other_user: User) -> None:
    turns = [running_turn(viewer) for viewer in (user, other_user, user)]
    compiled = CompiledQuery(since, user_id=int, moment=datetime)

    for viewer in (user, other_user):
        for moment in (timezone.now() - timedelta(hours=1), datetime(2200, 1, 1, tzinfo=UTC)):
            assert compiled.rows(user_id=viewer.pk, moment=moment) == list(
                since(user_id=viewer.pk, moment=moment)
            )
    assert {row[0] for row in compiled.rows(user_id=user.pk, moment=turns[0].started_at - timedelta(hours=1))} == {
        turns[0].pk, turns[2].pk
    }  # fmt: skip


def test_parameters_of_one_type_are_distinguished(user: User, other_user: User) -> None:
    own, others = running_turn(user), running_turn(other_user)
    compiled = CompiledQuery(
        lambda included, excluded: Turn.objects.filter(pk=included).exclude(pk=excluded).values_list("pk"),
        included=UUID,
        excluded=UUID,
    )

    assert compiled.rows(included=own.pk, excluded=others.pk) == [(own.pk,)]
    assert compiled.rows(included=own.pk, excluded=own.pk) == []


def test_combined_queries_read_their_own_results(user: User) -> None:
    turn = running_turn(user)
    compiled = CompiledQuery(since, user_id=int, moment=datetime)
    own = compiled.statement(user_id=user.pk, moment=turn.started_at - timedelta(hours=1))
    empty = compiled.statement(user_id=-1, moment=turn.started_at)

    def counts(*found: list[object]) -> list[int]:
        return [len(rows) for rows in found]

    questions = [Query((own, empty), counts), Query((), counts), Query((empty,), counts)]
    assert run_queries(*questions) == [[1, 0], [], [0]]


def test_unused_parameter_raises_an_error(user: User) -> None:
    compiled = CompiledQuery(lambda turn_id: Turn.objects.values_list("pk"), turn_id=UUID)

    with pytest.raises(AssertionError, match="each parameter"):
        compiled.rows(turn_id=uuid4())


@pytest.mark.parametrize("has_open", [True, False])
def test_locked_conversation_is_the_same_as_by_the_orm(user: User, has_open: bool) -> None:
    conversation = running_turn(user).conversation
    if has_open:
        conversation = make_proposal(user, "north").conversation

    with transaction.atomic():
        locked = run_query(lock_conversation_query(user, str(conversation.pk)))
        found = get_conversation(user, conversation.pk, lock=True)

    assert locked is not None
    assert model_to_dict(locked) == model_to_dict(found)
    assert (locked.created_at, locked.has_open) == (found.created_at, has_open)  # type: ignore[attr-defined]
    locked.save()


def test_deleted_trial_and_foreign_conversations_are_not_found(user: User, other_user: User) -> None:
    conversation = running_turn(user).conversation

    def is_visible_to(viewer: User) -> bool:
        with transaction.atomic():
            return run_query(lock_conversation_query(viewer, conversation.pk)) is not None

    assert is_visible_to(user)
    assert not is_visible_to(other_user)
    for change in ({"sandbox": True}, {"sandbox": False, "deleted_at": timezone.now()}):
        Conversation.objects.update(**change)
        assert not is_visible_to(user)


def test_combined_statements_return_results_in_order_and_writes_return_none(user: User) -> None:
    turn = running_turn(user)
    compiled = CompiledQuery(since, user_id=int, moment=datetime)
    own = compiled.statement(user_id=user.pk, moment=turn.started_at - timedelta(hours=1))
    empty = compiled.statement(user_id=-1, moment=turn.started_at)
    turn.page, turn.context = "100 %s; '", {"said": "50 %; done'"}

    found = run_statements(empty, update_statement(turn, "page", "context"), own)

    assert found == [[], [], compiled.rows(user_id=user.pk, moment=turn.started_at - timedelta(hours=1))]
    assert [row[1] for row in found[2]] == [turn.context]
    assert Turn.objects.get(pk=turn.pk).page == turn.page


@pytest.mark.postgres_only
def test_combined_statements_take_one_round_trip(user: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    compiled = CompiledQuery(since, user_id=int, moment=datetime)
    statement = compiled.statement(user_id=user.pk, moment=timezone.now())

    with django_assert_num_queries(1):
        run_statements(statement, statement, statement)


def test_insert_stores_the_same_as_save_and_skips_duplicates_on_request(user: User) -> None:
    saved = running_turn(user)
    values = {field.attname: getattr(saved, field.attname) for field in Turn._meta.concrete_fields}
    conversation = Conversation.objects.create(user=user, page="tables_list")
    values |= {"id": uuid4(), "client_turn_id": uuid4(), "conversation_id": conversation.pk}
    # Other values than the defaults, which the database has as well.
    values |= {"tab": "sums", "configuration": 3}
    created = Turn(**values)

    run_statements(insert_statement(created))
    run_statements(insert_statement(Turn(**{**values, "page": "elsewhere"}), ignore_conflicts=True))

    stored = Turn.objects.get(pk=created.pk)
    assert {name: getattr(stored, name) for name in values} == values
    created.page = "table_view"
    created.save()
    assert Turn.objects.get(pk=created.pk).page == "table_view"
