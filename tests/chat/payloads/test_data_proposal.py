"""data_proposal: its schema, checks and applying."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.json_schema import faults_of
from chat.payload_types import PayloadType, get_payload_type
from chat.payloads.proposal_helpers import structural_fault
from chat.proposals import CheckedProposal, ProposalContext, StructuralFault
from tables.exceptions import Invalid
from tables.operations import Choice
from tests.chat.pages.page_contexts import build, make_table

ADD = {"action": "add", "data": {"Company": "Acme"}}
EMPTY = {"column": "Status", "op": "empty"}
ALL = {"operations": "all"}


@pytest.fixture
def kind() -> PayloadType:
    found = get_payload_type("data_proposal")
    assert found is not None
    return found


def context_of(user: User, table: str) -> ProposalContext:
    return ProposalContext(
        user=user, page="table_view", object_id=table, payload_id="5f0c7a52-6f0e-4a0d-9d0b-0d7a54b8a001"
    )


def checked(kind: PayloadType, data: Any, context: ProposalContext) -> CheckedProposal:
    assert kind.check is not None
    return kind.check(data, context)


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(ADD, id="add"),
        pytest.param({"action": "update", "row_id": 5, "changes": {"Status": "Offer"}}, id="update a row"),
        pytest.param({"action": "update", "where": EMPTY, "changes": {"Status": "Offer"}}, id="update by condition"),
        pytest.param({"action": "delete", "row_id": 5, "reason": "double"}, id="delete a row"),
    ],
)
def test_valid_forms(kind: PayloadType, operation: dict[str, Any]) -> None:
    assert faults_of({"operations": [operation]}, kind.schema) == ()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"operations": []}, id="no operations"),
        pytest.param({"operations": [{"action": "move", "row_id": 1}]}, id="unknown action"),
        pytest.param({"operations": [{"action": "add"}]}, id="add without data"),
        pytest.param({"operations": [{"action": "update", "row_id": 1}]}, id="update without changes"),
        pytest.param({"operations": [{"action": "update", "changes": {"A": 1}}]}, id="update without a target"),
        pytest.param({"operations": [{"action": "delete"}]}, id="delete without a target"),
        pytest.param({"operations": [{"action": "delete", "row_id": 1, "where": {}}]}, id="row and condition"),
        pytest.param({"operations": [{"action": "delete", "row_id": "1"}]}, id="row id as text"),
        pytest.param({"operations": [ADD], "extra": 1}, id="unknown field"),
    ],
)
def test_invalid_forms(kind: PayloadType, data: dict[str, Any]) -> None:
    assert faults_of(data, kind.schema)


@pytest.mark.django_db
def test_condition_becomes_one_operation_per_row(kind: PayloadType, user: User) -> None:
    table = make_table(user)
    where = {"column": "Status", "op": "any_of", "value": ["Applied"]}
    data = {"operations": [ADD, {"action": "update", "where": where, "changes": {"Status": "Offer"}}]}
    found = checked(kind, data, context_of(user, table))
    assert found.summary == "1 new · 2 changed rows"
    assert found.counts == {"add": 1, "update": 2}
    assert found.subject_id == table


@pytest.mark.django_db
def test_some_operations_can_be_applied(kind: PayloadType, user: User) -> None:
    table = make_table(user)
    context = context_of(user, table)
    found = checked(kind, {"operations": [ADD, ADD, ADD]}, context)
    assert kind.apply is not None
    applied = kind.apply(found.resolved, Choice.read({"operations": [0, 2]}), context)
    assert applied.status == "partially_applied"
    assert [each["index"] for each in applied.outcome["applied"]] == [0, 2]
    assert build("table_view", user=user, object_id=table).data["table"]["rows"] == 5


@pytest.mark.django_db
def test_faulty_operations_are_distinguished_from_deselected_ones(
    kind: PayloadType, user: User
) -> None:
    context = context_of(user, make_table(user))
    bad = {"action": "add", "data": {"Company": "Acme", "Status": "Dreaming"}}
    found = checked(kind, {"operations": [ADD, bad, ADD]}, context)
    assert kind.apply is not None
    applied = kind.apply(found.resolved, Choice.read({"operations": [0]}), context)
    assert applied.status == "partially_applied"
    left = [(entry["index"], entry["reason"]) for entry in applied.outcome["skipped"]]
    assert left == [(1, "error"), (2, "not_chosen")]


@pytest.mark.django_db
def test_operation_without_effect_does_not_make_it_partial(kind: PayloadType, user: User) -> None:
    table = make_table(user)
    context = context_of(user, table)
    row = build("table_view", user=user, object_id=table).data["sample_rows"][0]["row_id"]
    same = {"action": "update", "row_id": row, "changes": {"Status": "Offer"}}
    found = checked(kind, {"operations": [ADD, same]}, context)
    assert kind.apply is not None
    applied = kind.apply(found.resolved, Choice.read({"operations": "all"}), context)
    assert applied.status == "applied"
    assert [left["reason"] for left in applied.outcome["skipped"]] == ["nothing_to_do"]


@pytest.mark.django_db
def test_invalid_value_is_an_error_of_its_operation(kind: PayloadType, user: User) -> None:
    context = context_of(user, make_table(user))
    bad = {"action": "add", "data": {"Company": "Acme", "Status": "Dreaming"}}
    found = checked(kind, {"operations": [ADD, bad]}, context)
    assert found.counts == {"add": 2, "faulty": 1}
    assert kind.preview is not None
    states = [each["state"] for each in kind.preview(found.resolved, Choice.read(ALL), context)["operations"]]
    assert states == ["ok", "error"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param({"operations": [{"action": "add", "data": {"Compny": "x"}}]}, "Company", id="unknown column"),
        pytest.param({"operations": [{"action": "delete", "where": {}}]}, "where", id="empty condition"),
    ],
)
def test_errors_of_the_whole_proposal(kind: PayloadType, user: User, data: dict[str, Any], error: str) -> None:
    with pytest.raises(StructuralFault, match=error) as caught:
        checked(kind, data, context_of(user, make_table(user)))
    assert caught.value.reason
    assert str(caught.value.reason) in str(caught.value)


@pytest.mark.django_db
def test_condition_without_matches_is_reported_to_the_user(kind: PayloadType, user: User) -> None:
    where = {"column": "Company", "op": "eq", "value": "Nobody"}
    with pytest.raises(StructuralFault) as caught:
        checked(kind, {"operations": [{"action": "delete", "where": where}]}, context_of(user, make_table(user)))
    assert str(caught.value.closing) == "No row matches this condition. There is nothing to change."


def test_too_many_rows_are_refused_with_their_number_and_without_a_correction() -> None:
    refusal = Invalid("A proposal can contain at most 10,000 changes; this one would have 66,775.", code="too_many")
    assert (
        str(structural_fault(refusal).closing) == f"{refusal.detail} Nothing has changed. Ask for fewer rows at a time."
    )


@pytest.mark.django_db
def test_proposal_needs_an_open_table(kind: PayloadType, user: User) -> None:
    with pytest.raises(StructuralFault, match="open table"):
        checked(kind, {"operations": [ADD]}, context_of(user, ""))
