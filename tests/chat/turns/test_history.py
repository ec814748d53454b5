"""What of a long conversation is sent: the newest turns that fit, and of the older ones nothing is even read."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from chat.models import Message
from chat.selectors import branch_ids, branch_sizes, load_exchanges
from chat.services import ImportedMessage
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answered
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

LONG = "x" * 400
FIRST_ASKED = "Question 0"


@pytest.fixture(autouse=True)
def _little_room(settings: Any) -> None:
    settings.CHAT_CONTEXT_TOKENS = 8_000


def history_of_pairs(count: int) -> tuple[ImportedMessage, ...]:
    pairs = [(ImportedMessage("user", f"Question {n}"), ImportedMessage("assistant", LONG)) for n in range(count)]
    return tuple(message for pair in pairs for message in pair)


def sent(script: ScriptedModel) -> list[dict[str, Any]]:
    return list(script.requests[0]["messages"])


def test_what_has_no_room_is_never_read(user: User, settings: Any) -> None:
    turn, _ = answered(user, ScriptedModel(say("Yes.")), wish("And?", history=history_of_pairs(20)))
    first = ScriptedModel(say("Yes."))
    answered(user, first, wish("Go on", conversation_id=str(turn.conversation_id)))
    assert "earlier turns of this conversation are left out" in sent(first)[0]["content"][0]["text"]
    Message.objects.filter(conversation=turn.conversation, text=FIRST_ASKED).update(exchange=5)

    # With other limits nothing is known from before.
    settings.CHAT_CONTEXT_TOKENS = 8_001
    again = ScriptedModel(say("Yes."))
    answer = turn.messages.get(role="assistant")
    branch = {"conversation_id": str(turn.conversation_id), "parent_message_id": str(answer.pk)}
    answered(user, again, wish("Go on", **branch))

    assert sent(again)[:-1] == sent(first)[:-1]


@pytest.mark.parametrize("pairs", [2, 40])
def test_the_history_takes_two_queries_however_long_it_is(
    pairs: int, user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    turn, _ = answered(user, ScriptedModel(say("Yes.")), wish("And?", history=history_of_pairs(pairs)))
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
def test_whatever_the_order_of_an_imported_history_the_model_gets_all_its_words(user: User, roles: list[str]) -> None:
    history = tuple(ImportedMessage(role, f"{role} said {number}.") for number, role in enumerate(roles))
    script = ScriptedModel(say("Yes."), say("Yes."))

    turn, _ = answered(user, script, wish("And?", history=history))
    answered(user, script, wish("Go on", conversation_id=str(turn.conversation_id)))

    assert script.problems == []
    for request in script.requests:
        told = [(m["role"], block["text"]) for m in request["messages"] for block in m["content"] if "text" in block]
        assert [one for one in told if " said " in one[1]] == [(entry.role, entry.text) for entry in history]
