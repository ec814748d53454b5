"""The stored review of a proposal over REST: saved in parts, used by previews, transferred, deleted."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Payload, Review
from chat.proposals import ProposalContext
from chat.turns.answering.answer import check_payload
from tables.models import Row
from tables.operations import Choice, Origin
from tables.services import apply_schema, prepare_schema
from tests.chat.pages.page_contexts import make_table
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
NOTHING: Json = {
    "revision": 0, "unchecked": {}, "overwrites": {}, "edits": {}, "table_name": None, "include_sample_rows": None,
    "skip_next": None, "not_carried_over": None,
}  # fmt: skip


def propose(user: User, table: str, *operations: Json, conversation_id: Any = "", **fields: Any) -> Payload:
    """Create a pending proposal for the rows of the table, at the end of a turn."""
    context = {"current_page": "table_view", "table_id": int(table)}
    location: Json = {"page": "table_view", "object_id": table, "context": context}
    turn = running_turn(user, turn_request(conversation_id=str(conversation_id), **location, **fields))
    outcome = check_payload(
        {"type": "data_proposal", "data": {"operations": list(operations)}},
        source="llm",
        context=ProposalContext(user=user, page="table_view", object_id=table, turn_id=str(turn.pk)),
    )
    assert outcome.record is not None, outcome.fault
    finish_turn(turn, payloads=(outcome.record,))
    return Payload.objects.get(pk=outcome.record.id)


def add(company: str, **cells: Any) -> Json:
    return {"action": "add", "data": {"Company": company, **cells}}


def url(payload: Payload, *parts: str) -> str:
    return "/".join(["/api/chat/payloads", str(payload.pk), *parts, ""])


@pytest.fixture
def table(user: User) -> str:
    return make_table(user)


@pytest.fixture
def payload(user: User, table: str) -> Payload:
    return propose(user, table, add("Dyno"), add("Echo"))


def test_review_is_saved_in_parts_and_read_back(api: Any, payload: Payload) -> None:
    assert api.get(url(payload, "review")).json() == {"payload_id": str(payload.pk), **NOTHING}

    api.patch(url(payload, "review"), {"unchecked": {"1": True}})
    answer = api.patch(url(payload, "review"), {"edits": {"0": {"Company": "Dyno Ltd"}}})

    expected = NOTHING | {"revision": 2, "unchecked": {"1": True}, "edits": {"0": {"Company": "Dyno Ltd"}}}
    assert answer.json() == {"payload_id": str(payload.pk), **expected}
    assert api.get(url(payload, "review")).json() == answer.json()


def test_invalid_change_is_refused_with_its_path_and_stores_nothing(api: Any, payload: Payload) -> None:
    answer = api.patch(url(payload, "review"), {"unchecked": {"0": True, "2": True}})

    assert answer.status_code == 400
    assert [error["path"] for error in answer.json()["errors"]] == ["unchecked.2"]
    assert not Review.objects.exists()


def test_preview_with_the_review_has_its_edits(api: Any, payload: Payload) -> None:
    api.patch(url(payload, "review"), {"edits": {"0": {"Company": "Dyno Ltd"}}})

    preview = api.post(url(payload, "preview"), {"operations": "all", "review": True}).json()

    assert list(preview["operations"][0]["new"].values()) == ["Dyno Ltd"]
    assert preview["review"]["edits"] == {"0": {"Company": "Dyno Ltd"}}


def test_edit_of_a_deleted_column_is_left_out(
    api: Any, user: User, table: str, payload: Payload
) -> None:
    api.patch(url(payload, "review"), {"edits": {"0": {"Status": "Offer"}, "1": {"Company": "Echo Ltd"}}})
    remove = {"mode": "update", "operations": [{"action": "remove", "column_id": "Status"}]}
    prepared = prepare_schema(user=user, table_id=int(table), proposal=remove)
    apply_schema(
        user=user, prepared=prepared, choice=Choice.read({"operations": "all"}), origin=Origin("grid")
    )

    preview = api.post(url(payload, "preview"), {"operations": "all", "review": True})

    assert preview.status_code == 200
    assert preview.json()["review"]["edits"] == {"1": {"Company": "Echo Ltd"}}


@pytest.mark.parametrize("answer", ["apply", "dismiss"])
def test_answer_deletes_the_review(api: Any, payload: Payload, answer: str) -> None:
    api.patch(url(payload, "review"), {"unchecked": {"1": True}})

    api.post(url(payload, answer), {"operations": [0]} if answer == "apply" else {})

    assert not Review.objects.exists()
    assert api.patch(url(payload, "review"), {"unchecked": {"0": True}}).status_code == 409
    assert not Review.objects.exists()


def test_review_is_transferred_to_the_replacing_proposal(
    api: Any, user: User, table: str, payload: Payload
) -> None:
    changes = {"unchecked": {"1": True}, "edits": {"0": {"Company": "Dyno Ltd"}}}
    api.patch(url(payload, "review"), changes)

    more = propose(
        user, table, add("Echo", Status="Offer"), add("Foil"), conversation_id=payload.conversation_id
    )

    review = api.get(url(more, "review")).json()
    assert review["unchecked"] == {"0": True}
    assert review["not_carried_over"]["edits"] == 1
    assert [review.pk for review in Review.objects.all()] == [more.pk]
    closed = api.patch(url(more, "review"), {"not_carried_over": None}).json()
    assert (closed["not_carried_over"], closed["unchecked"]) == (None, {"0": True})


def test_review_is_transferred_to_the_answer_of_an_edited_message(
    api: Any, user: User, table: str, payload: Payload
) -> None:
    api.patch(url(payload, "review"), {"unchecked": {"1": True}})

    again = propose(user, table, add("Echo"), conversation_id=payload.conversation_id, from_beginning=True)

    assert api.get(url(again, "review")).json()["unchecked"] == {"0": True}


@pytest.mark.usefixtures("notes")
def test_proposal_type_without_reviews_has_none(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")
    assert api.get(url(payload, "review")).status_code == 404
    assert api.patch(url(payload, "review"), {"unchecked": {"0": True}}).status_code == 404


# Independent faults: URL, query, body, and the paths of all faults.
COMBINED: dict[str, tuple[str, str, Json, str]] = {
    "an apply": (
        "apply", "?x=1", {"operations": [0, 99], "on_conflict": "zz", "edits": {"0": {"Zz": 1}}, "foo": 1},
        "x If-Match foo on_conflict operations"),
    "an apply with edits": ("apply", "?x=1", {"operations": "all", "edits": {"0": {"Zz": 1}}}, "x If-Match edits.0.Zz"),
    "a preview": (
        "preview", "?keys=zz", {"operations": "all", "edits": {"7": {}}, "review": 5, "version": "x"},
        "keys review edits version"),
    "a preview with its review": (
        "preview", "?x=1", {"operations": "all", "edits": {"0": {"Zz": 1}}, "review": True}, "x edits edits.0.Zz"),
    "a review": (
        "review", "?x=1", {"unchecked": {"9": True}, "skip_next": 5, "not_carried_over": 5},
        "x not_carried_over unchecked.9 skip_next"),
}  # fmt: skip


# Choices of a new row and a change of a row that has changed since, and the paths of all faults.
REFUSED: dict[str, tuple[Json, int, str]] = {
    "edits": ({"0": {"data": {"Company": None, "Status": "New"}}, "1": {"Statis": 1}}, 422,
        "edits.0.data.Status edits.0.data.Company edits.1.Statis operations[1].changes.Status"),
    "an edit of another cell": ({"1": {"changes": {"Company": None}}}, 422,
        "edits.1.changes.Company operations[1].changes.Status"),
    "no edit": ({}, 409, "operations[1].changes.Status"),
}  # fmt: skip

# Choices of the wrong form, and the path of the fault.
MALFORMED: list[tuple[Json, str]] = [
    ({"operations": "all", "x": 1}, "x"), ({"operations": [0, "a"]}, "operations"), ({"operations": [9]}, "operations"),
    ({}, "operations"),
]  # fmt: skip


def test_an_apply_names_the_faults_of_edits_conflicts_and_versions(api: Any, user: User, table: str) -> None:
    api.patch(f"/api/tables/{table}/columns/Company/", {"required": True})
    row = Row.objects.filter(table_id=table)[0].pk
    payload = propose(user, table, add("Dyno"), {"action": "update", "row_id": row, "changes": {"Status": "Applied"}})
    api.patch(f"/api/tables/{table}/rows/{row}/", {"data": {"Status": None}})
    for edits, status, paths in REFUSED.values():
        choice = {"operations": "all", "edits": edits}
        answer = api.post(url(payload, "apply"), choice)
        found = {fault["path"] for fault in answer.json()["errors"]}
        assert (answer.status_code, found) == (status, set(paths.split()))
        for version in ({"headers": {"If-Match": '"1"'}}, {}):
            body = choice if version else {**choice, "version": 1}
            answer = api.client.post(url(payload, "apply"), body, content_type="application/json", **version)
            found = {fault["path"] for fault in answer.json()["errors"]}
            assert (answer.status_code, found) == (412, {"If-Match" if version else "version", *paths.split()})
    for choice, path in MALFORMED:
        for part, headers, where in (
            ("apply", {"If-Match": '"1"'}, "If-Match"), ("apply", {}, "version"), ("preview", {}, "version"),
        ):  # fmt: skip
            body = choice if headers else {**choice, "version": 1}
            answer = api.client.post(url(payload, part), body, content_type="application/json", headers=headers)
            found = {fault["path"] for fault in answer.json()["errors"]}
            assert (answer.status_code, found) == (400, {path, where})


def test_faults_of_a_choice_are_named_beside_those_of_query_and_header(api: Any, payload: Payload) -> None:
    wrong: dict[str, set[str]] = {}
    for name, (part, query, body, paths) in COMBINED.items():
        send = api.client.patch if part == "review" else api.client.post
        headers = {"If-Match": "x"} if part == "apply" else {}
        answer = send(url(payload, part) + query, body, content_type="application/json", headers=headers).json()
        if (named := {fault["path"] for fault in answer["errors"]}) != set(paths.split()):
            wrong[name] = named ^ set(paths.split())
    assert wrong == {}
