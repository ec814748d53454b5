"""Starting a turn: stored before anything else, one at a time, once a client's id, within limits."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.utils import timezone

from chat.exceptions import Busy, Malformed, NotFound, TooMany
from chat.models import Conversation, Message, Payload, Turn, TurnEvent
from chat.selectors import branch_ids, branch_sizes, load_exchanges, message_page
from chat.services import Ending, ImportedMessage, end_turn, start_turn, write_events
from tests.chat.stored_conversations import ended, proposed, started, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def test_the_message_and_the_running_turn_are_stored(user: User) -> None:
    turn = started(user, wish("Track my applications"))

    message = turn.user_message
    assert message is not None
    assert (turn.state, message.text) == ("running", "Track my applications")
    assert turn.conversation.tip == message
    assert (turn.conversation.title, turn.conversation.object_id) == ("Track my applications", "7")


def test_a_title_is_the_first_sixty_characters_of_the_first_message(user: User) -> None:
    turn = ended(started(user, wish("123456789\n" * 10)))

    started(user, wish("another", conversation_id=str(turn.conversation_id)))

    turn.conversation.refresh_from_db()
    assert turn.conversation.title == "123456789 " * 6


def test_a_second_turn_of_a_conversation_is_refused_while_the_first_runs(user: User) -> None:
    turn = started(user)

    with pytest.raises(Busy) as refused:
        started(user, wish(conversation_id=str(turn.conversation_id)))

    assert refused.value.extra == {"turn_id": str(turn.pk)}
    assert Message.objects.count() == 1


def test_the_same_client_id_attaches_to_the_turn_that_exists(user: User) -> None:
    request = wish("once")

    first = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)
    second = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)

    assert (first.turn.pk, first.created, second.created) == (second.turn.pk, True, False)
    assert Conversation.objects.count() == 1


def test_a_message_sent_again_is_none_of_those_that_are_too_many(user: User) -> None:
    request = wish("once")
    first = started(user, request, most=1)

    assert started(user, request, most=1).pk == first.pk
    with pytest.raises(TooMany):
        started(user, most=1)


def test_a_client_id_of_somebody_else_attaches_to_nothing(user: User, other_user: User) -> None:
    request = wish("mine")
    first = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)

    second = start_turn(user=other_user, request=request, now=timezone.now(), turns_a_minute=20)

    assert second.created
    assert first.turn.pk != second.turn.pk


def test_the_limit_of_turns_a_minute_says_how_long_to_wait(user: User) -> None:
    now = timezone.now()
    for seconds in (50, 20):
        ended(started(user, now=now - timedelta(seconds=seconds), most=2))

    with pytest.raises(TooMany) as refused:
        started(user, now=now, most=2)

    assert refused.value.extra["retry_after"] == 11
    assert started(user, now=now + timedelta(seconds=11), most=2)


def test_another_persons_conversation_cannot_be_continued(user: User, other_user: User) -> None:
    turn = ended(started(user))

    with pytest.raises(NotFound):
        started(other_user, wish(conversation_id=str(turn.conversation_id)))


def test_a_conversation_is_only_continued_where_it_belongs(user: User) -> None:
    turn = ended(started(user, wish(note="7")))

    with pytest.raises(Malformed) as refused:
        started(user, wish(note="8", conversation_id=str(turn.conversation_id)))

    assert refused.value.code == "conversation_elsewhere"


def test_a_retry_is_a_sibling_answer_to_the_same_message(user: User) -> None:
    first = ended(started(user, wish("How many?")), text="Two.")

    second = ended(started(user, wish("", retry_of=str(first.pk))), text="Three.")

    texts = [message.text for message in message_page(second.conversation, limit=100).messages]
    assert texts == ["How many?", "Three."]
    assert Message.objects.filter(role="user").count() == 1


@pytest.mark.parametrize(
    ("wished", "path"),
    [
        (lambda turn, other: wish("", note="8", retry_of=str(turn.pk)), "conversation_id"),
        (lambda turn, other: wish("", retry_of=str(turn.pk), conversation_id=str(other.conversation_id)), "retry_of"),
        (lambda turn, other: wish("And?", parent_message_id=str(turn.user_message_id)), "parent_message_id"),
    ],
    ids=["a retry beside another object", "a retry in another conversation", "a message to follow in no conversation"],
)
def test_what_a_turn_follows_stands_where_the_turn_does(user: User, wished: Any, path: str) -> None:
    turn, other = ended(started(user)), ended(started(user))

    with pytest.raises(Malformed) as refused:
        started(user, wished(turn, other))

    assert refused.value.path == path
    assert Turn.objects.count() == 2


def test_another_message_after_an_earlier_one_leaves_the_branch_and_its_proposals(user: User) -> None:
    first = ended(started(user, wish("one")))
    answer = Message.objects.get(turn=first, role="assistant")
    payload = proposed(user, "north", conversation_id=first.conversation_id)

    beside = wish("two, again", conversation_id=str(first.conversation_id), parent_message_id=str(answer.pk))
    turn = started(user, beside)

    payload.refresh_from_db()
    assert [message.text for message in message_page(turn.conversation, limit=100).messages] == [
        "one",
        "Done.",
        "two, again",
    ]
    assert payload.status == Payload.Status.SUPERSEDED


def test_another_first_message_follows_none(user: User) -> None:
    first = ended(started(user, wish("one")))

    beside = wish("one, again", conversation_id=str(first.conversation_id), from_beginning=True)
    turn = started(user, beside)

    assert [message.text for message in message_page(turn.conversation, limit=100).messages] == ["one, again"]
    assert turn.user_message is not None
    assert turn.user_message.parent_id is None


def test_imported_history_comes_before_the_message(user: User) -> None:
    then = datetime.fromisoformat("2026-01-02T00:00Z")
    history = (ImportedMessage("user", "Hi"), ImportedMessage("assistant", "Hello", then))

    turn = started(user, wish("How many?", history=history))

    assert [message.text for message in message_page(turn.conversation, limit=100).messages] == [
        "Hi",
        "Hello",
        "How many?",
    ]
    assert Message.objects.get(text="Hello").created_at == then
    turns = load_exchanges(branch_sizes(branch_ids(turn.conversation, leaf_id=turn.user_message_id)))
    assert [[message["role"] for message in each] for each in turns] == [["user", "assistant"], ["user"]]


def test_a_reported_action_is_told_to_the_model_with_its_data(user: User) -> None:
    turn = started(user, wish("", action={"action": "pick", "data": {"n": 1}}, interaction_type="action_executed"))

    assert turn.user_message is not None
    assert turn.user_message.exchange[0]["content"][0]["text"] == '[Chosen action: {"action":"pick","data":{"n":1}}]'


def test_a_turn_ends_once(user: User) -> None:
    turn = ended(started(user), text="First.")

    again = end_turn(
        turn_id=turn.pk, ending=Ending(state="error", text="Second."), final=(9, {"type": "error"}), now=timezone.now()
    )

    assert not again
    assert Message.objects.filter(turn=turn, role="assistant").get().text == "First."


def test_events_sent_twice_are_stored_once(user: User) -> None:
    turn = started(user)
    rows = [(turn.pk, 1, '{"type": "status"}'), (turn.pk, 2, '{"type": "text_delta", "text": "a"}')]

    write_events(rows)
    write_events(rows)

    assert TurnEvent.objects.filter(turn=turn).count() == 2


def test_a_turn_that_is_not_there_cannot_be_retried(user: User) -> None:
    with pytest.raises(NotFound):
        started(user, wish("", retry_of=str(uuid4())))


@pytest.mark.django_db(transaction=True)
def test_many_starts_at_once_let_one_turn_run(user: User) -> None:
    turn = ended(started(user))

    def one(_: int) -> str:
        try:
            started(user, wish(conversation_id=str(turn.conversation_id)))
        except Busy:
            return "busy"
        finally:
            connections.close_all()
        return "started"

    with ThreadPoolExecutor(12) as pool:
        ends = list(pool.map(one, range(12)))

    assert sorted(ends) == ["busy"] * 11 + ["started"]


@pytest.mark.django_db(transaction=True)
def test_one_client_id_sent_many_times_at_once_is_one_turn(user: User) -> None:
    request = wish("once")

    def one(_: int) -> tuple[Any, bool]:
        try:
            begun = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=1_000)
        finally:
            connections.close_all()
        return begun.turn.pk, begun.created

    with ThreadPoolExecutor(12) as pool:
        ends = list(pool.map(one, range(12)))

    assert len({pk for pk, _ in ends}) == 1
    assert [created for _, created in ends].count(True) == 1
    assert (Turn.objects.count(), Conversation.objects.count()) == (1, 1)
