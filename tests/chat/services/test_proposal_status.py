"""What the assistant is told of its proposals: what has really become of them, on the branch that goes on."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import Payload
from chat.selectors import branch_ids, payload_manifest
from chat.services import apply_payload, dismiss_payload, set_proposal_undone
from tables.exceptions import Conflict
from tests.chat.stored_conversations import ended, proposed, started, wish
from tests.chat.turns.turn_runs import PROPOSAL, answered, going_on
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

ALL = {"operations": "all"}


def apply(user: User, payload: Payload, choice: Any = "all") -> None:
    apply_payload(user=user, payload_id=payload.pk, choice={"operations": choice}, now=timezone.now())


def fail(user: User, payload: Payload) -> None:
    group = Group.objects.create(name="north")
    with pytest.raises(Conflict):
        apply(user, payload)
    group.delete()


def undo(user: User, payload: Payload) -> None:
    apply(user, payload)
    set_proposal_undone(proposal_id=payload.pk, undone=True)


def redo(user: User, payload: Payload) -> None:
    undo(user, payload)
    set_proposal_undone(proposal_id=payload.pk, undone=False)


def told(user: User, payload: Payload) -> str:
    """The block on payloads that the next turn of the conversation is sent."""
    script = ScriptedModel(say("Fine."))
    answered(user, script, going_on(payload.turn))
    blocks = script.requests[0]["messages"][-1]["content"]
    return next(block["text"] for block in blocks if block["text"].startswith("PAYLOADS"))


@pytest.mark.parametrize(
    ("what", "status", "line"),
    [
        (lambda user, payload: None, "pending", None),
        (apply, "applied 2 of 2", "applied 2 of 2"),
        (lambda user, payload: apply(user, payload, [0]), "applied 1 of 2", "applied 1 of 2 (1 not chosen)"),
        (
            lambda user, payload: dismiss_payload(user=user, payload_id=payload.pk, now=timezone.now()),
            "dismissed",
            "dismissed",
        ),
        (fail, "pending, last apply failed: north is taken.", "pending, last apply failed: north is taken."),
        (undo, "undone", "undone"),
        (redo, "applied 2 of 2", "applied 2 of 2"),
    ],
    ids=["nothing", "applied", "applied in part", "dismissed", "failed", "undone", "done again"],
)
def test_the_next_turn_is_told_what_has_become_of_a_proposal(
    user: User, what: Any, status: str, line: str | None
) -> None:
    payload = proposed(user, "north", "south")
    what(user, payload)

    text = told(user, payload)

    assert f'"summary":"Make 2 groups","status":"{status}"' in text
    assert ("since_your_last_answer" in text) is (line is not None)
    assert line is None or f'"since_your_last_answer":["Make 2 groups: {line}"]' in text


def test_it_is_told_once(user: User) -> None:
    payload = proposed(user, "north", "south")
    apply(user, payload)

    told(user, payload)

    assert "since_your_last_answer" not in told(user, payload)


def test_a_revised_proposal_takes_the_place_of_the_one_before(user: User) -> None:
    first = proposed(user, "north")
    second = proposed(user, "north", "south", conversation_id=first.conversation_id)

    text = told(user, second)

    assert f'"id":"{first.pk}","type":"note_proposal","summary":"Make 1 groups","status":"superseded"' in text
    assert f'"id":"{second.pk}","type":"note_proposal","summary":"Make 2 groups","status":"pending"' in text


def test_neither_another_persons_proposal_nor_one_of_another_conversation_gives_way(
    user: User, other_user: User
) -> None:
    theirs, elsewhere = proposed(other_user, "north"), proposed(user, "north")

    proposed(user, "south")

    assert {Payload.objects.get(pk=payload.pk).status for payload in (theirs, elsewhere)} == {"pending"}


def test_an_answer_that_is_asked_for_again_gives_its_open_proposal_up(user: User) -> None:
    first = proposed(user, "north")

    script = ScriptedModel(say(PROPOSAL))
    answered(user, script, wish("", retry_of=str(first.turn_id), conversation_id=str(first.conversation_id)))

    first.refresh_from_db()
    assert first.status == "superseded"
    # On the branch that goes on it never was.
    assert not [block for block in script.requests[0]["messages"][-1]["content"] if "PAYLOADS" in block["text"]]


def test_applied_changes_of_an_abandoned_branch_stay_applied(user: User) -> None:
    first = proposed(user, "north")
    apply(user, first)

    started(user, wish("Other words", conversation_id=str(first.conversation_id)))
    first.refresh_from_db()

    assert first.status == "applied"


def test_what_was_settled_while_another_branch_ended_is_told_on_this_one(user: User) -> None:
    payload = proposed(user, "north", "south")
    apply(user, payload)
    # Another answer to the message after it, on a branch that is left again.
    aside = ended(started(user, wish("Aside", conversation_id=str(payload.conversation_id))))

    script = ScriptedModel(say("Fine."))
    answered(user, script, going_on(aside, parent_message_id=str(payload.message_id)))

    assert "Make 2 groups: applied 2 of 2" in script.requests[0]["messages"][-1]["content"][1]["text"]


def test_of_many_payloads_the_newest_are_listed_and_the_others_counted(user: User) -> None:
    payload = proposed(user, "north")
    for index in range(33):
        payload = proposed(user, f"group {index}", conversation_id=payload.conversation_id)
    conversation = payload.conversation
    conversation.refresh_from_db()

    with CaptureQueriesContext(connection) as queries:
        listed, older = payload_manifest(
            conversation, message_ids=branch_ids(conversation, leaf_id=conversation.tip_id)
        )

    assert (len(listed), older, listed[-1]["id"]) == (30, 4, str(payload.pk))
    # Neither what was proposed nor what came of it is read: both may be megabytes long.
    assert not any("resolved" in query["sql"] for query in queries.captured_queries)
