"""What was said before is kept from turn to turn, and is what the database would tell."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from chat.models import Conversation, Message
from chat.selectors import last_answer
from chat.services import ImportedMessage
from chat.turns.history import History, HistoryCache, history_before
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answer_of, answered, going_on
from tests.scripted_model import ScriptedModel, refuse, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

ROOM = 100_000


def a_conversation(user: User, *, turns: int) -> Conversation:
    """One of so many turns, each answered, the third one not."""
    turn, _ = answered(user, ScriptedModel(say("Answer 0.")), wish("Question 0"))
    for number in range(1, turns):
        reply = refuse(400, kind="invalid_request_error") if number == 2 else say(f"Answer {number}.")
        turn, _ = answered(user, ScriptedModel(reply), going_on(turn, f"Question {number}"))
    return Conversation.objects.get(pk=turn.conversation_id)


def past_at(conversation: Conversation, *, leaf_id: Any, kept: HistoryCache, room: int = ROOM) -> History:
    return history_before(conversation, last=last_answer(leaf_id), budget_tokens=room, kept=kept)


def words(history: History) -> str:
    return " ".join(block["text"] for message in history.messages for block in message["content"])


def answers_of(conversation: Conversation) -> list[Message]:
    return list(conversation.messages.filter(role="assistant").order_by("created_at"))


@pytest.mark.parametrize("room", [ROOM, 60, 25])
def test_going_on_from_what_is_known_tells_what_reading_all_of_it_tells(user: User, room: int) -> None:
    conversation = a_conversation(user, turns=5)
    kept = HistoryCache()

    for answer in answers_of(conversation):
        known = past_at(conversation, leaf_id=answer.pk, kept=kept, room=room)

        assert known == past_at(conversation, leaf_id=answer.pk, kept=HistoryCache(), room=room)


def test_one_more_turn_is_known_without_reading_the_others(
    user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    conversation = a_conversation(user, turns=5)
    *_, before, latest = answers_of(conversation)
    kept = HistoryCache()
    past_at(conversation, leaf_id=before.pk, kept=kept)

    with django_assert_num_queries(1):  # the latest turn
        history = past_at(conversation, leaf_id=latest.pk, kept=kept)

    assert "Question 4 Answer 4." in words(history)
    with django_assert_num_queries(1 + 2):
        past_at(conversation, leaf_id=latest.pk, kept=HistoryCache())


def test_another_branch_is_another_past(user: User) -> None:
    first, _ = answered(user, ScriptedModel(say("Yes.")), wish("Question 0"))
    left, _ = answered(user, ScriptedModel(say("Left.")), going_on(first, "To the left"))
    again = going_on(first, "To the right", parent_message_id=str(answer_of(first).pk))
    right, _ = answered(user, ScriptedModel(say("Right.")), again)

    script = ScriptedModel(say("Fine."))
    answered(user, script, going_on(right, "And now?"))

    sent = str(script.requests[0]["messages"])
    assert "To the right" in sent
    assert "Right." in sent
    assert "left" not in sent.lower()
    assert left.conversation_id == right.conversation_id


def test_an_answer_given_again_takes_the_place_of_the_first(user: User) -> None:
    first, _ = answered(user, ScriptedModel(say("Badly said.")), wish("Question 0"))
    again, _ = answered(user, ScriptedModel(say("Well said.")), wish("", retry_of=str(first.pk)))

    script = ScriptedModel(say("Fine."))
    answered(user, script, going_on(again, "And now?"))

    assert "Well said." in str(script.requests[0]["messages"])
    assert "Badly said." not in str(script.requests[0]["messages"])


def test_less_room_counts_from_the_next_turn_on(user: User, settings: Any) -> None:
    history = [ImportedMessage(("user", "assistant")[n % 2], f"word {n} " * 50) for n in range(40)]
    first, _ = answered(user, ScriptedModel(say("Yes.")), wish("And?", history=tuple(history)))
    answered(user, ScriptedModel(say("Yes.")), going_on(first))
    settings.CHAT_CONTEXT_TOKENS = 1_000

    script = ScriptedModel(say("Yes."))
    answered(user, script, going_on(first))

    assert "earlier turns of this conversation are left out" in str(script.requests[0]["messages"][0])


def test_only_so_many_bytes_are_kept_and_what_was_asked_for_last_stays() -> None:
    kept = HistoryCache(most_bytes=250)
    one, two, three = (History(branch=(uuid4(),), size=100) for _ in range(3))
    kept.put(one, budget_tokens=ROOM)
    kept.put(two, budget_tokens=ROOM)
    kept.get(one.branch[-1], budget_tokens=ROOM)

    kept.put(three, budget_tokens=ROOM)

    found = [kept.get(history.branch[-1], budget_tokens=ROOM) for history in (one, two, three)]
    assert found == [one, None, three]


def test_a_longer_past_is_kept_in_place_of_the_shorter_one() -> None:
    kept = HistoryCache(most_bytes=250)
    others, short, long = (History(branch=(uuid4(),), size=100) for _ in range(3))
    kept.put(others, budget_tokens=ROOM)
    kept.put(short, budget_tokens=ROOM)

    kept.put(long, budget_tokens=ROOM, instead_of=short.branch[-1])

    found = [kept.get(history.branch[-1], budget_tokens=ROOM) for history in (others, short, long)]
    assert found == [others, None, long]


def test_more_than_may_be_kept_at_all_is_not_kept() -> None:
    kept = HistoryCache(most_bytes=250)
    history = History(branch=(uuid4(),), size=300)

    kept.put(history, budget_tokens=ROOM)

    assert kept.get(history.branch[-1], budget_tokens=ROOM) is None
