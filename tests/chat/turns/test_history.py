"""The history of a long conversation: the newest turns that fit; older ones are not read."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from chat.models import Message
from chat.selectors import branch_ids, branch_sizes, load_exchanges
from chat.services import ImportedMessage
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import run_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

LONG = "x" * 400
FIRST_QUESTION = "Question 0"


@pytest.fixture(autouse=True)
def _little_room(settings: Any) -> None:
    settings.CHAT_CONTEXT_TOKENS = 8_000


def history_of_pairs(count: int) -> tuple[ImportedMessage, ...]:
    pairs = [(ImportedMessage("user", f"Question {n}"), ImportedMessage("assistant", LONG)) for n in range(count)]
    return tuple(message for pair in pairs for message in pair)


def sent(script: ScriptedModel) -> list[dict[str, Any]]:
    return list(script.requests[0]["messages"])


def test_turns_that_do_not_fit_are_not_read(user: User, settings: Any) -> None:
    turn, _ = run_turn(user, ScriptedModel(say("Yes.")), turn_request("And?", history=history_of_pairs(20)))
    first = ScriptedModel(say("Yes."))
    run_turn(user, first, turn_request("Go on", conversation_id=str(turn.conversation_id)))
    assert "earlier turns of this conversation are left out" in sent(first)[0]["content"][0]["text"]
    Message.objects.filter(conversation=turn.conversation, text=FIRST_QUESTION).update(exchange=5)

    # Other limits invalidate the cache.
    settings.CHAT_CONTEXT_TOKENS = 8_001
    again = ScriptedModel(say("Yes."))
    answer = turn.messages.get(role="assistant")
    branch = {"conversation_id": str(turn.conversation_id), "parent_message_id": str(answer.pk)}
    run_turn(user, again, turn_request("Go on", **branch))

    assert sent(again)[:-1] == sent(first)[:-1]


@pytest.mark.parametrize("pairs", [2, 40])
def test_history_takes_two_queries(
    pairs: int, user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    turn, _ = run_turn(user, ScriptedModel(say("Yes.")), turn_request("And?", history=history_of_pairs(pairs)))
    branch = branch_ids(turn.conversation, leaf_id=turn.conversation.tip_id)

    with django_assert_num_queries(2):
        turns = load_exchanges(branch_sizes(branch)[-3:])

    assert len(turns) == 3 if pairs > 2 else len(turns) > 0


IMPORTED = [
    ["assistant"],
    ["assistant", "assistant", "user"],
    ["assistant", "user", "assistant"],
    ["user", "user", "assistant", "assistant"],
    ["user"],
    ["user", "assistant", "user"],
]


@pytest.mark.parametrize("roles", IMPORTED, ids=" ".join)
def test_imported_history_in_any_order_is_sent_completely(user: User, roles: list[str]) -> None:
    history = tuple(ImportedMessage(role, f"{role} said {number}.") for number, role in enumerate(roles))
    script = ScriptedModel(say("Yes."), say("Yes."))

    turn, _ = run_turn(user, script, turn_request("And?", history=history))
    run_turn(user, script, turn_request("Go on", conversation_id=str(turn.conversation_id)))

    assert script.problems == []
    for request in script.requests:
        blocks = [(m["role"], block["text"]) for m in request["messages"] for block in m["content"] if "text" in block]
        assert [one for one in blocks if " said " in one[1]] == [(entry.role, entry.text) for entry in history]
