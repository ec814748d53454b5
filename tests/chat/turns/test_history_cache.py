"""The history is cached from turn to turn and equals the stored one."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from chat.models import Conversation, Message
from chat.selectors import last_answer
from chat.services import ImportedMessage
from chat.turns.prompt.history import History, HistoryCache, history_before
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, next_request, run_turn
from tests.scripted_model import ScriptedModel, refuse, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

ROOM = 100_000


def make_conversation(user: User, *, turns: int) -> Conversation:
    """Create a conversation of this many turns, each answered except the third."""
    turn, _ = run_turn(user, ScriptedModel(say("Answer 0.")), turn_request("Question 0"))
    for number in range(1, turns):
        reply = refuse(400, kind="invalid_request_error") if number == 2 else say(f"Answer {number}.")
        turn, _ = run_turn(user, ScriptedModel(reply), next_request(turn, f"Question {number}"))
    return Conversation.objects.get(pk=turn.conversation_id)


def history_at(conversation: Conversation, *, leaf_id: Any, cache: HistoryCache, room: int = ROOM) -> History:
    return history_before(conversation, last=last_answer(leaf_id), budget_tokens=room, cache=cache)


def text_of(history: History) -> str:
    return " ".join(block["text"] for message in history.messages for block in message["content"])


def answers_of(conversation: Conversation) -> list[Message]:
    return list(conversation.messages.filter(role="assistant").order_by("created_at"))


@pytest.mark.parametrize("room", [ROOM, 60, 25])
def test_extended_cached_history_equals_a_full_read(user: User, room: int) -> None:
    conversation = make_conversation(user, turns=5)
    cache = HistoryCache()

    for answer in answers_of(conversation):
        known = history_at(conversation, leaf_id=answer.pk, cache=cache, room=room)

        assert known == history_at(conversation, leaf_id=answer.pk, cache=HistoryCache(), room=room)


def test_next_turn_is_read_without_the_others(
    user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    conversation = make_conversation(user, turns=5)
    *_, before, latest = answers_of(conversation)
    cache = HistoryCache()
    history_at(conversation, leaf_id=before.pk, cache=cache)

    with django_assert_num_queries(1):  # the latest turn
        history = history_at(conversation, leaf_id=latest.pk, cache=cache)

    assert "Question 4 Answer 4." in text_of(history)
    with django_assert_num_queries(1 + 2):
        history_at(conversation, leaf_id=latest.pk, cache=HistoryCache())


def test_other_branch_has_its_own_history(user: User) -> None:
    first, _ = run_turn(user, ScriptedModel(say("Yes.")), turn_request("Question 0"))
    left, _ = run_turn(user, ScriptedModel(say("Left.")), next_request(first, "To the left"))
    again = next_request(first, "To the right", parent_message_id=str(answer_of(first).pk))
    right, _ = run_turn(user, ScriptedModel(say("Right.")), again)

    script = ScriptedModel(say("Fine."))
    run_turn(user, script, next_request(right, "And now?"))

    sent = str(script.requests[0]["messages"])
    assert "To the right" in sent
    assert "Right." in sent
    assert "left" not in sent.lower()
    assert left.conversation_id == right.conversation_id


def test_regenerated_answer_replaces_the_first(user: User) -> None:
    first, _ = run_turn(user, ScriptedModel(say("Badly said.")), turn_request("Question 0"))
    again, _ = run_turn(user, ScriptedModel(say("Well said.")), turn_request("", retry_of=str(first.pk)))

    script = ScriptedModel(say("Fine."))
    run_turn(user, script, next_request(again, "And now?"))

    assert "Well said." in str(script.requests[0]["messages"])
    assert "Badly said." not in str(script.requests[0]["messages"])


def test_smaller_limit_applies_from_the_next_turn(user: User, settings: Any) -> None:
    history = [ImportedMessage(("user", "assistant")[n % 2], f"word {n} " * 50) for n in range(40)]
    first, _ = run_turn(user, ScriptedModel(say("Yes.")), turn_request("And?", history=tuple(history)))
    run_turn(user, ScriptedModel(say("Yes.")), next_request(first))
    settings.CHAT_CONTEXT_TOKENS = 1_000

    script = ScriptedModel(say("Yes."))
    run_turn(user, script, next_request(first))

    assert "earlier turns of this conversation are left out" in str(script.requests[0]["messages"][0])


def test_cache_is_bounded_and_evicts_the_least_recently_used() -> None:
    cache = HistoryCache(max_bytes=250)
    one, two, three = (History(branch=(uuid4(),), size=100) for _ in range(3))
    cache.put(one, budget_tokens=ROOM)
    cache.put(two, budget_tokens=ROOM)
    cache.get(one.branch[-1], budget_tokens=ROOM)

    cache.put(three, budget_tokens=ROOM)

    found = [cache.get(history.branch[-1], budget_tokens=ROOM) for history in (one, two, three)]
    assert found == [one, None, three]


def test_longer_history_replaces_the_shorter_one() -> None:
    cache = HistoryCache(max_bytes=250)
    others, short, long = (History(branch=(uuid4(),), size=100) for _ in range(3))
    cache.put(others, budget_tokens=ROOM)
    cache.put(short, budget_tokens=ROOM)

    cache.put(long, budget_tokens=ROOM, instead_of=short.branch[-1])

    found = [cache.get(history.branch[-1], budget_tokens=ROOM) for history in (others, short, long)]
    assert found == [others, None, long]


def test_history_above_the_limit_is_not_cached() -> None:
    cache = HistoryCache(max_bytes=250)
    history = History(branch=(uuid4(),), size=300)

    cache.put(history, budget_tokens=ROOM)

    assert cache.get(history.branch[-1], budget_tokens=ROOM) is None
