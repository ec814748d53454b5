"""Starting a turn: stored first, one at a time, once per client id, within limits."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.utils import timezone

from chat.exceptions import Busy, Invalid, Malformed, NotFound, TooMany
from chat.models import Conversation, Message, Payload, Turn, TurnEvent
from chat.selectors import branch_ids, branch_sizes, load_exchanges, message_page
from chat.services import Ending, ImportedMessage, end_turn, start_turn, write_events
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def test_message_and_running_turn_are_stored(user: User) -> None:
    turn = running_turn(user, turn_request("Track my applications"))

    message = turn.user_message
    assert message is not None
    assert (turn.state, message.text) == ("running", "Track my applications")
    assert turn.conversation.tip == message
    assert (turn.conversation.title, turn.conversation.object_id) == ("Track my applications", "7")


def test_title_is_the_first_sixty_characters_of_the_first_message(user: User) -> None:
    turn = finish_turn(running_turn(user, turn_request("12345  789\n" * 10)))

    running_turn(user, turn_request("another", conversation_id=str(turn.conversation_id)))

    turn.conversation.refresh_from_db()
    assert turn.conversation.title == "12345 789 " * 5 + "12345 789…"


def test_second_turn_of_a_conversation_is_refused_while_the_first_runs(user: User) -> None:
    turn = running_turn(user)

    with pytest.raises(Busy) as refused:
        running_turn(user, turn_request(conversation_id=str(turn.conversation_id)))

    assert refused.value.extra == {"turn_id": str(turn.pk)}
    assert Message.objects.count() == 1


def test_same_client_id_returns_the_existing_turn(user: User) -> None:
    request = turn_request("once")

    first = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)
    second = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)

    assert (first.turn.pk, first.created, second.created) == (second.turn.pk, True, False)
    assert Conversation.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [{"message": "twice"}, {"context": {"current_page": "notes", "note_id": "8"}}, {"conversation_id": str(uuid4())}],
    ids=["message", "context", "conversation"],
)
def test_a_key_belongs_to_one_request(user: User, other: dict[str, Any]) -> None:
    request = replace(turn_request("once"), uses_key=True)
    first = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)

    assert start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20).turn.pk == first.turn.pk
    with pytest.raises(Invalid) as refused:
        start_turn(user=user, request=replace(request, **other), now=timezone.now(), turns_a_minute=20)
    assert refused.value.code == "idempotency_key_reused"


def test_a_key_starts_another_turn_after_a_day(user: User) -> None:
    request, now = replace(turn_request("once"), uses_key=True), timezone.now()
    first = start_turn(user=user, request=request, now=now - timedelta(hours=24), turns_a_minute=20).turn
    finish_turn(first)

    second = start_turn(user=user, request=request, now=now, turns_a_minute=20)

    assert (second.created, second.turn.pk != first.pk) == (True, True)
    assert start_turn(user=user, request=request, now=now, turns_a_minute=20).turn.pk == second.turn.pk


def test_repeated_message_does_not_count_for_the_limit(user: User) -> None:
    request = turn_request("once")
    first = running_turn(user, request, turns_a_minute=1)

    assert running_turn(user, request, turns_a_minute=1).pk == first.pk
    with pytest.raises(TooMany):
        running_turn(user, turns_a_minute=1)


def test_client_id_of_another_user_returns_no_turn(user: User, other_user: User) -> None:
    request = turn_request("mine")
    first = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=20)

    second = start_turn(user=other_user, request=request, now=timezone.now(), turns_a_minute=20)

    assert second.created
    assert first.turn.pk != second.turn.pk


def test_limit_of_turns_per_minute_has_a_retry_time(user: User) -> None:
    now = timezone.now()
    for seconds in (50, 20):
        finish_turn(running_turn(user, now=now - timedelta(seconds=seconds), turns_a_minute=2))

    with pytest.raises(TooMany) as refused:
        running_turn(user, now=now, turns_a_minute=2)

    assert refused.value.extra["retry_after"] == 11
    assert running_turn(user, now=now + timedelta(seconds=11), turns_a_minute=2)


def test_conversation_of_another_user_cannot_be_continued(user: User, other_user: User) -> None:
    turn = finish_turn(running_turn(user))

    with pytest.raises(NotFound):
        running_turn(other_user, turn_request(conversation_id=str(turn.conversation_id)))


def test_conversation_is_only_continued_on_its_page_and_object(user: User) -> None:
    turn = finish_turn(running_turn(user, turn_request(note="7")))

    with pytest.raises(Malformed) as refused:
        running_turn(user, turn_request(note="8", conversation_id=str(turn.conversation_id)))

    assert refused.value.code == "conversation_elsewhere"


def test_retry_is_a_sibling_answer_to_the_same_message(user: User) -> None:
    first = finish_turn(running_turn(user, turn_request("How many?")), text="Two.")

    second = finish_turn(running_turn(user, turn_request("", retry_of=str(first.pk))), text="Three.")

    texts = [message.text for message in message_page(second.conversation, limit=100).messages]
    assert texts == ["How many?", "Three."]
    assert Message.objects.filter(role="user").count() == 1


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (lambda turn, other: turn_request("", note="8", retry_of=str(turn.pk)), "conversation_id"),
        (
            lambda turn, other: turn_request("", retry_of=str(turn.pk), conversation_id=str(other.conversation_id)),
            "retry_of",
        ),
        (lambda turn, other: turn_request("And?", parent_message_id=str(turn.user_message_id)), "parent_message_id"),
    ],
    ids=["retry with another object", "retry in another conversation", "parent without a conversation"],
)
def test_retried_turn_and_parent_must_belong_to_the_conversation(user: User, fields: Any, path: str) -> None:
    turn, other = finish_turn(running_turn(user)), finish_turn(running_turn(user))

    with pytest.raises(Malformed) as refused:
        running_turn(user, fields(turn, other))

    assert refused.value.path == path
    assert Turn.objects.count() == 2


def test_message_after_an_earlier_one_leaves_the_branch_and_its_proposals(user: User) -> None:
    first = finish_turn(running_turn(user, turn_request("one")))
    answer = Message.objects.get(turn=first, role="assistant")
    payload = make_proposal(user, "north", conversation_id=first.conversation_id)

    beside = turn_request("two, again", conversation_id=str(first.conversation_id), parent_message_id=str(answer.pk))
    turn = running_turn(user, beside)

    payload.refresh_from_db()
    assert [message.text for message in message_page(turn.conversation, limit=100).messages] == [
        "one",
        "Done.",
        "two, again",
    ]
    assert payload.status == Payload.Status.SUPERSEDED


def test_other_first_message_has_no_parent(user: User) -> None:
    first = finish_turn(running_turn(user, turn_request("one")))

    beside = turn_request("one, again", conversation_id=str(first.conversation_id), from_beginning=True)
    turn = running_turn(user, beside)

    assert [message.text for message in message_page(turn.conversation, limit=100).messages] == ["one, again"]
    assert turn.user_message is not None
    assert turn.user_message.parent_id is None


def test_imported_history_precedes_the_message(user: User) -> None:
    then = datetime.fromisoformat("2026-01-02T00:00Z")
    history = (ImportedMessage("user", "Hi"), ImportedMessage("assistant", "Hello", then))

    turn = running_turn(user, turn_request("How many?", history=history))

    assert [message.text for message in message_page(turn.conversation, limit=100).messages] == [
        "Hi",
        "Hello",
        "How many?",
    ]
    assert Message.objects.get(text="Hello").created_at == then
    turns = load_exchanges(branch_sizes(branch_ids(turn.conversation, leaf_id=turn.user_message_id)))
    assert [[message["role"] for message in each] for each in turns] == [["user", "assistant"], ["user"]]


def test_reported_action_is_sent_to_the_model_with_its_data(user: User) -> None:
    action = {"action": "pick", "data": {"n": 1}}
    turn = running_turn(user, turn_request("", action=action, interaction_type="action_executed"))

    assert turn.user_message is not None
    assert turn.user_message.exchange[0]["content"][0]["text"] == '[Chosen action: {"action":"pick","data":{"n":1}}]'


def test_turn_ends_once(user: User) -> None:
    turn = finish_turn(running_turn(user), text="First.")

    again = end_turn(
        turn_id=turn.pk, ending=Ending(state="error", text="Second."), final=(9, {"type": "error"}), now=timezone.now()
    )

    assert not again
    assert Message.objects.filter(turn=turn, role="assistant").get().text == "First."


def test_repeated_events_are_stored_once(user: User) -> None:
    turn = running_turn(user)
    rows = [(turn.pk, 1, '{"type": "status"}'), (turn.pk, 2, '{"type": "text_delta", "text": "a"}')]

    write_events(rows)
    write_events(rows)

    assert TurnEvent.objects.filter(turn=turn).count() == 2


def test_unknown_turn_cannot_be_retried(user: User) -> None:
    with pytest.raises(NotFound):
        running_turn(user, turn_request("", retry_of=str(uuid4())))


@pytest.mark.django_db(transaction=True)
def test_concurrent_starts_create_one_turn(user: User) -> None:
    turn = finish_turn(running_turn(user))

    def one(_: int) -> str:
        try:
            running_turn(user, turn_request(conversation_id=str(turn.conversation_id)))
        except Busy:
            return "busy"
        finally:
            connections.close_all()
        return "started"

    with ThreadPoolExecutor(12) as pool:
        ends = list(pool.map(one, range(12)))

    assert sorted(ends) == ["busy"] * 11 + ["started"]


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_with_one_client_id_create_one_turn(user: User) -> None:
    request = turn_request("once")

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
