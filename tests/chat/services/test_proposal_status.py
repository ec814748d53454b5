"""The status of proposals as reported to the model, on the current branch."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.exceptions import ProposalConflict
from chat.models import Payload
from chat.selectors import branch_ids, payload_manifest
from chat.services import apply_payload, dismiss_payload, set_proposal_undone
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request
from tests.chat.turns.turn_runs import PROPOSAL, next_request, run_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

ALL = {"operations": "all"}


def apply(user: User, payload: Payload, choice: Any = "all") -> None:
    apply_payload(user=user, payload_id=payload.pk, choice={"operations": choice}, now=timezone.now())


def fail(user: User, payload: Payload) -> None:
    group = Group.objects.create(name="north")
    with pytest.raises(ProposalConflict):
        apply(user, payload)
    group.delete()


def undo(user: User, payload: Payload) -> None:
    apply(user, payload)
    set_proposal_undone(proposal_id=payload.pk, undone=True)


def redo(user: User, payload: Payload) -> None:
    undo(user, payload)
    set_proposal_undone(proposal_id=payload.pk, undone=False)


def report(user: User, payload: Payload) -> str:
    """Return the block about payloads in the next turn of the conversation."""
    script = ScriptedModel(say("Fine."))
    run_turn(user, script, next_request(payload.turn))
    blocks = script.requests[0]["messages"][-1]["content"]
    return next(block["text"] for block in blocks if block["text"].startswith("PAYLOADS"))


@pytest.mark.parametrize(
    ("action", "status", "line"),
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
    ids=["pending", "applied", "partially applied", "dismissed", "failed", "undone", "redone"],
)
def test_next_turn_reports_the_status_of_a_proposal(
    user: User, action: Any, status: str, line: str | None
) -> None:
    payload = make_proposal(user, "north", "south")
    action(user, payload)

    text = report(user, payload)

    assert f'"summary":"Make 2 groups","status":"{status}"' in text
    assert ("since_your_last_answer" in text) is (line is not None)
    assert line is None or f'"since_your_last_answer":["Make 2 groups: {line}"]' in text


def test_status_is_reported_once(user: User) -> None:
    payload = make_proposal(user, "north", "south")
    apply(user, payload)

    report(user, payload)

    assert "since_your_last_answer" not in report(user, payload)


def test_revised_proposal_supersedes_the_previous_one(user: User) -> None:
    first = make_proposal(user, "north")
    second = make_proposal(user, "north", "south", conversation_id=first.conversation_id)

    text = report(user, second)

    assert f'"id":"{first.pk}","type":"note_proposal","summary":"Make 1 groups","status":"superseded"' in text
    assert f'"id":"{second.pk}","type":"note_proposal","summary":"Make 2 groups","status":"pending"' in text


def test_proposal_of_another_user_or_conversation_is_not_superseded(
    user: User, other_user: User
) -> None:
    of_other, in_other_conversation = make_proposal(other_user, "north"), make_proposal(user, "north")

    make_proposal(user, "south")

    assert {Payload.objects.get(pk=payload.pk).status for payload in (of_other, in_other_conversation)} == {"pending"}


def test_regenerated_answer_supersedes_its_pending_proposal(user: User) -> None:
    first = make_proposal(user, "north")

    script = ScriptedModel(say(PROPOSAL))
    run_turn(user, script, turn_request("", retry_of=str(first.turn_id), conversation_id=str(first.conversation_id)))

    first.refresh_from_db()
    assert first.status == "superseded"
    # The proposal does not exist on the current branch.
    assert not [block for block in script.requests[0]["messages"][-1]["content"] if "PAYLOADS" in block["text"]]


def test_applied_changes_of_an_abandoned_branch_stay_applied(user: User) -> None:
    first = make_proposal(user, "north")
    apply(user, first)

    running_turn(user, turn_request("Other words", conversation_id=str(first.conversation_id)))
    first.refresh_from_db()

    assert first.status == "applied"


def test_status_changed_on_another_branch_is_reported_on_this_one(user: User) -> None:
    payload = make_proposal(user, "north", "south")
    apply(user, payload)
    # Another answer to the next message, on a branch that is left again.
    aside = finish_turn(running_turn(user, turn_request("Aside", conversation_id=str(payload.conversation_id))))

    script = ScriptedModel(say("Fine."))
    run_turn(user, script, next_request(aside, parent_message_id=str(payload.message_id)))

    assert "Make 2 groups: applied 2 of 2" in script.requests[0]["messages"][-1]["content"][1]["text"]


def test_newest_payloads_are_listed_and_the_others_counted(user: User) -> None:
    payload = make_proposal(user, "north")
    for index in range(33):
        payload = make_proposal(user, f"group {index}", conversation_id=payload.conversation_id)
    conversation = payload.conversation
    conversation.refresh_from_db()

    with CaptureQueriesContext(connection) as queries:
        listed, older = payload_manifest(
            conversation, message_ids=branch_ids(conversation, leaf_id=conversation.tip_id)
        )

    assert (len(listed), older, listed[-1]["id"]) == (30, 4, str(payload.pk))
    # Neither the proposal nor its outcome is read: both may be megabytes long.
    assert not any("resolved" in query["sql"] for query in queries.captured_queries)
