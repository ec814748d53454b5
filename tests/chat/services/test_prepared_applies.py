"""Payload types may prepare an apply before its transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.utils import timezone

from chat.exceptions import Invalid, Settled
from chat.models import Conversation, Payload
from chat.payload_types import PayloadType, payload_types
from chat.proposals import AppliedProposal, ProposalContext
from chat.services import PreparedApply, apply_payload, dismiss_payload, prepare_apply
from shared.user_messages import literal
from tests.chat.stored_conversations import running_turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes", "clubs")]
ALL = {"operations": "all"}
Json = dict[str, Any]


def prepare(resolved: Json, choice: Json, context: ProposalContext) -> Json:
    """Refuse an existing name."""
    if Group.objects.filter(name=resolved["name"]).exists():
        raise Invalid(literal("The name is taken."))
    return {"name": resolved["name"], "in_transaction": connection.in_atomic_block}


def apply(resolved: Json, choice: Json, context: ProposalContext, *, prepared: Json | None = None) -> AppliedProposal:
    """Return what was prepared as the outcome."""
    group = Group.objects.create(name=resolved["name"])
    return AppliedProposal(
        status="applied", outcome={"applied": [{"index": 0, "row_id": group.pk}], "prepared": prepared}
    )


@pytest.fixture
def clubs() -> Iterator[None]:
    """Register proposals to create a group."""
    club = PayloadType(
        name="club", description="A group.", source="llm", schema={}, parse_marker="CLUB:", prepare=prepare, apply=apply
    )
    with payload_types.registered(club):
        yield


@pytest.fixture
def payload(user: User) -> Payload:
    """A pending proposal to create a group."""
    turn = running_turn(user)
    return Payload.objects.create(
        user=user, conversation=turn.conversation, turn=turn, type="club", source="llm", data={}, status="pending",
        resolved={"name": "north"},
    )  # fmt: skip


def prepared(payload: Payload) -> PreparedApply:
    return prepare_apply(user=payload.user, payload_id=payload.pk, choice=ALL)


def applied(payload: Payload, before: PreparedApply | None = None) -> Json:
    given = {"user": payload.user, "payload_id": payload.pk, "choice": ALL, "now": timezone.now()}
    return apply_payload(**given, prepared=before)[1].outcome


def test_prepared_data_is_passed_to_the_apply(payload: Payload) -> None:
    assert applied(payload)["prepared"] == {"name": "north", "in_transaction": False}


def test_data_prepared_for_another_object_is_not_passed(payload: Payload) -> None:
    before = prepared(payload)
    Conversation.objects.update(object_id="moved")

    assert applied(payload, before)["prepared"] is None


def test_error_of_preparing_for_another_object_is_ignored(payload: Payload) -> None:
    taken = Group.objects.create(name="north")
    before = prepared(payload)
    taken.delete()
    Conversation.objects.update(object_id="moved")

    assert applied(payload, before)["prepared"] is None


def test_proposal_that_cannot_be_prepared_stays_pending_with_the_error(payload: Payload) -> None:
    Group.objects.create(name="north")

    with pytest.raises(Invalid):
        applied(payload)

    payload.refresh_from_db()
    assert (payload.status, payload.last_error) == ("pending", "The name is taken.")


@pytest.mark.parametrize("taken", [False, True], ids=["prepared", "refused"])
def test_proposal_answered_after_it_was_prepared_is_not_applied(payload: Payload, *, taken: bool) -> None:
    if taken:
        Group.objects.create(name="north")
    before = prepared(payload)
    dismiss_payload(user=payload.user, payload_id=payload.pk, now=timezone.now())

    with pytest.raises(Settled) as refused:
        applied(payload, before)

    assert refused.value.code == "already_dismissed"
    assert Group.objects.count() == taken
