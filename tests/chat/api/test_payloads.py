"""Stored proposals over REST: preview, apply, dismiss, undo."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from chat.exceptions import Forbidden, ProposalConflict, ProposalRefused
from chat.models import Conversation, Payload, Resolution
from chat.page_config import pages
from chat.payload_types import payload_types
from chat.proposals import NOTHING_APPLIED, Outcome
from chat.services import set_proposal_undone
from shared.user_messages import CodedError
from tests.chat.entries import NOTES, PROPOSAL
from tests.chat.stored_conversations import make_proposal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
ALL = {"operations": "all"}


def url(payload: Payload, *parts: str) -> str:
    return "/".join(["/api/chat/payloads", str(payload.pk), *parts, ""])


def test_apply_writes_sets_the_status_and_returns_the_outcome(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "south")

    answer = api.post(url(payload, "apply"), ALL)

    assert answer.status_code == 200
    assert answer.json()["status"] == "applied"
    assert answer.json()["content_hash"] == payload.content_hash
    assert [entry["index"] for entry in answer.json()["outcome"]["applied"]] == [0, 1]
    assert Group.objects.count() == 2


def test_returned_outcome_is_the_stored_one(api: Any, user: User) -> None:
    names = ["north", 'a "quoted" \\ näme\u2028 {%s}']
    payload = make_proposal(user, *names)

    answer = api.post(url(payload, "apply"), ALL)

    payload.refresh_from_db()
    assert [entry["label"] for entry in answer.json()["outcome"]["applied"]] == names
    assert (answer.json()["outcome"], answer["Content-Type"]) == (payload.outcome, "application/json")


def test_part_of_the_operations_makes_it_partially_applied(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "south")

    answer = api.post(url(payload, "apply"), {"operations": [1]})

    assert answer.json()["status"] == "partially_applied"
    assert list(Group.objects.values_list("name", flat=True)) == ["south"]


def test_second_apply_is_refused_with_the_first_outcome(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")
    first = api.post(url(payload, "apply"), ALL).json()

    again = api.post(url(payload, "apply"), ALL)

    assert again.status_code == 409
    assert again.json()["error"] == "already_applied"
    assert again.json()["outcome"] == first["outcome"]
    assert Group.objects.count() == 1


def test_second_apply_with_the_same_key_repeats_the_response(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")
    keyed = {"content_type": "application/json", "headers": {"Idempotency-Key": "one apply"}}

    first, again = (api.client.post(url(payload, "apply"), ALL, **keyed) for _ in range(2))

    assert (first.status_code, first.content) == (200, again.content)
    assert Group.objects.count() == 1


def test_failed_apply_with_a_key_repeats_its_error(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "taken")
    Group.objects.create(name="taken")
    keyed = {"content_type": "application/json", "headers": {"Idempotency-Key": "one apply"}}

    answer = api.client.post(url(payload, "apply"), ALL, **keyed)

    payload.refresh_from_db()
    assert not Group.objects.filter(name="north").exists()
    assert (answer.status_code // 100, payload.status, payload.last_error) == (4, "pending", "taken is taken.")


def test_failed_apply_writes_nothing_and_stays_pending_with_its_error(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "taken")
    Group.objects.create(name="taken")

    answer = api.post(url(payload, "apply"), ALL)

    payload.refresh_from_db()
    assert not Group.objects.filter(name="north").exists()
    assert (payload.status, payload.last_error) == ("pending", "taken is taken.")
    assert answer.json()["detail"] == "taken is taken."


class MonthClosed(CodedError):
    """An error of an application."""

    code = "month_closed"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ProposalConflict(NOTHING_APPLIED(reason="It has changed.")), 409, "proposal_conflict"),
        (ProposalRefused("Choose fewer."), 422, "proposal_refused"),
        (Forbidden("Only the accountant can do this."), 403, "forbidden"),
        (MonthClosed("This month is closed."), 422, "month_closed"),
        (ValueError("a bug"), 500, "internal"),
    ],
    ids=["conflict", "refused", "another error of the chat", "error of the app", "bug"],
)
def test_an_apply_that_raises_is_rolled_back(
    api: Any, user: User, caplog: pytest.LogCaptureFixture, error: Exception, status: int, code: str
) -> None:
    def apply(resolved: Any, selection: Any, context: Any) -> Outcome:
        Group.objects.create(name="rolled back")
        raise error

    with payload_types.registered(replace(PROPOSAL, name="raising", parse_marker="RAISING:", apply=apply)):
        payload = make_proposal(user, "north")
        Payload.objects.update(type="raising")
        answer = api.post(url(payload, "apply"), ALL)

    payload.refresh_from_db()
    message = error.message_fields() if isinstance(error, CodedError) else {}
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert answer.json().items() >= message.items()
    assert (payload.status, payload.last_error, Group.objects.count()) == ("pending", message.get("detail", ""), 0)
    # Only errors that are not expected are logged, once with the traceback.
    assert sum(record.exc_info is not None for record in caplog.records) == (0 if message else 1)


def test_dismissed_proposal_cannot_be_applied(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")

    dismissed = api.post(url(payload, "dismiss"))
    applied = api.post(url(payload, "apply"), ALL)

    assert dismissed.json() == {"id": str(payload.pk), "status": "dismissed"}
    assert (applied.status_code, applied.json()["error"]) == (409, "already_dismissed")
    assert not Group.objects.exists()


def test_new_proposal_supersedes_the_pending_one_about_the_same_object(api: Any, user: User) -> None:
    first = make_proposal(user, "north")

    make_proposal(user, "south", conversation_id=first.conversation_id)

    answer = api.post(url(first, "apply"), ALL)
    assert (answer.status_code, answer.json()["error"]) == (409, "already_superseded")


def test_proposal_of_another_conversation_is_not_superseded(api: Any, user: User) -> None:
    first = make_proposal(user, "north")

    make_proposal(user, "south")

    assert api.post(url(first, "apply"), ALL).status_code == 200


def test_preview_returns_the_outcome_and_writes_nothing(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "taken")
    Group.objects.create(name="taken")

    answer = api.post(url(payload, "preview"), ALL)

    assert [entry["state"] for entry in answer.json()["operations"]] == ["ok", "error"]
    assert Group.objects.count() == 1


def test_operations_are_paginated_and_filtered_by_preview_status(api: Any, user: User) -> None:
    payload = make_proposal(user, "a", "b", "c")
    Group.objects.create(name="b")

    first = api.get(url(payload, "operations"), limit=2).json()
    rest = api.get(first["next"]).json()
    wrong = api.get(url(payload, "operations"), status="error").json()

    assert [op["label"] for op in first["operations"] + rest["operations"]] == ["a", "b", "c"]
    assert (first["count"], rest["next"]) == (3, None)
    assert [op["label"] for op in wrong["operations"]] == ["b"]


def test_items_can_be_chosen_and_edited(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "south", "west")

    answer = api.post(url(payload, "apply"), {"operations": [2, 0], "edits": {"2": {"name": "east"}}}).json()

    assert answer["status"] == "partially_applied"
    assert answer["outcome"]["message"] == "Made 2 groups."
    assert [(entry["index"], entry["reason"]) for entry in answer["outcome"]["skipped"]] == [(1, "not_chosen")]
    assert sorted(Group.objects.values_list("name", flat=True)) == ["east", "north"]


@pytest.mark.parametrize(
    ("choice", "path", "code"),
    [
        ({}, "operations", "missing"),
        ({"operations": "some"}, "operations", "type"),
        ({"operations": [0, 0]}, "operations", "uniqueItems"),
        ({"operations": [-1]}, "operations[0]", "minimum"),
        ({"operations": [2]}, "operations", "unknown_item"),
        ({"operations": "all", "table_name": "x"}, "table_name", "unknown_field"),
        ({"operations": "all", "edits": {"7": {"name": "x"}}}, "edits.7", "unknown_item"),
        ({"operations": "all", "edits": {"first": {}}}, "edits", "additionalProperties"),
        ({"operations": "all", "edits": {"0": {"size": 1}}}, "edits.0", "additionalProperties"),
        ({"operations": "all", "edits": {"0": {"name": ""}}}, "edits.0.name", "minLength"),
        ({"operations": "all", "content_hash": 1}, "content_hash", "type"),
    ],
)
def test_an_invalid_selection_is_refused_with_its_path(
    api: Any, user: User, choice: Any, path: str, code: str
) -> None:
    payload = make_proposal(user, "north", "south")

    for action in ("preview", "apply"):
        answer = api.post(url(payload, action), choice)
        assert answer.status_code == 400
        assert [(fault["path"], fault["code"]) for fault in answer.json()["errors"]] == [(path, code)]
    assert not Group.objects.exists()


def test_an_empty_selection_is_not_applied(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")

    answer = api.post(url(payload, "apply"), {"operations": []})

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "empty")
    assert api.post(url(payload, "preview"), {"operations": []}).status_code == 200


def test_a_whole_number_with_a_decimal_point_is_an_index(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "south")

    assert api.post(url(payload, "apply"), {"operations": [1.0]}).status_code == 200
    assert Group.objects.get().name == "south"


def test_users_who_may_only_view_the_object_neither_apply_nor_undo(api: Any, user: User) -> None:
    applied, payload = make_proposal(user, "north"), make_proposal(user, "south")
    api.post(url(applied, "apply"), ALL)
    with pages.registered(replace(NOTES, page="viewed", may_write=lambda context: False)):
        Conversation.objects.update(page="viewed")
        answers = [api.post(url(payload, "apply"), ALL), api.post(url(applied, "undo"))]

    assert [(answer.status_code, answer.json()["message_code"]) for answer in answers] == [
        (403, "proposal_view_only")
    ] * 2
    assert Group.objects.get().name == "north"


def test_a_proposal_of_which_nothing_could_be_applied_stays_pending(api: Any, user: User) -> None:
    def apply(resolved: Any, selection: Any, context: Any) -> Outcome:
        Group.objects.create(name="rolled back")
        return Outcome(failed=dict.fromkeys(selection.items, "It is too late."))

    late = replace(PROPOSAL, name="late", parse_marker="LATE:", apply=apply)
    with payload_types.registered(late):
        payload = make_proposal(user, "north", "south")
        Payload.objects.update(type="late")
        answer = api.post(url(payload, "apply"), {"operations": [1]})

    payload.refresh_from_db()
    assert (answer.status_code, payload.status, Group.objects.count()) == (409, "pending", 0)
    assert payload.last_error == "Nothing could be applied: It is too late."


def test_other_content_than_the_reviewed_is_not_applied(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")

    answer = api.post(url(payload, "apply"), {**ALL, "content_hash": "hash of south"})

    assert (answer.status_code, answer.json()["error"]) == (409, "content_changed")
    assert api.post(url(payload, "apply"), {**ALL, "content_hash": payload.content_hash}).status_code == 200


def test_an_applied_proposal_is_undone_once(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "south")
    early = api.post(url(payload, "undo"))
    assert api.post(url(payload, "apply"), ALL).json()["outcome"]["can_undo"] is True

    undone, again = api.post(url(payload, "undo")), api.post(url(payload, "undo"))

    assert (undone.status_code, undone.json()["status"]) == (200, "undone")
    assert not Group.objects.exists()
    assert [(each.status_code, each.json()["error"]) for each in (early, again)] == [
        (409, "not_applied"),
        (409, "already_undone"),
    ]


def test_a_refused_undo_changes_nothing(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")
    api.post(url(payload, "apply"), ALL)
    user.groups.add(Group.objects.get())

    answer = api.post(url(payload, "undo"))

    assert (answer.status_code, answer.json()["error"]) == (409, "proposal_conflict")
    payload.refresh_from_db()
    assert payload.status == "applied"


@pytest.mark.parametrize(
    "preview", [None, lambda resolved, selection, context: {"total": 3}], ids=["no preview", "preview of its own"]
)
def test_a_proposal_without_items_and_functions_is_applied_as_a_whole(api: Any, user: User, preview: Any) -> None:
    def apply(resolved: Any, selection: Any, context: Any) -> Outcome:
        Group.objects.create(name=resolved["name"])
        return Outcome(message="Done.")

    lone = replace(PROPOSAL, name="lone", parse_marker="LONE:", undo=None, edit_schema=None, apply=apply)
    lone = replace(lone, preview=preview)
    with payload_types.registered(lone):
        payload = make_proposal(user, "north")
        Payload.objects.update(type="lone")
        Resolution.objects.update(value={"name": "lonely"})
        assert api.get(url(payload, "operations"), status="ok").json()["operations"] == []
        assert api.post(url(payload, "preview"), ALL).json().get("operations", []) == []
        for chosen in ([0], []):
            assert api.post(url(payload, "apply"), {"operations": chosen}).json()["errors"][0]["code"] == "no_items"
        assert api.post(url(payload, "apply"), ALL).json()["status"] == "applied"
        assert api.post(url(payload, "undo")).json()["error"] == "cannot_be_undone"
    assert Group.objects.get().name == "lonely"


def test_apply_may_move_the_conversation_to_a_new_object(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", note="mover")

    answer = api.post(url(payload, "apply"), ALL)

    payload.conversation.refresh_from_db()
    assert answer.json()["moved_to"] == payload.conversation.object_id == "moved"


def test_undo_and_redo_of_its_change_update_the_status(api: Any, user: User) -> None:
    payload = make_proposal(user, "north", "south")
    api.post(url(payload, "apply"), {"operations": [0]})

    set_proposal_undone(proposal_id=payload.pk, undone=True)
    undone = api.get(url(payload)).json()["status"]
    set_proposal_undone(proposal_id=payload.pk, undone=False)

    assert undone == "undone"
    assert api.get(url(payload)).json()["status"] == "partially_applied"


@pytest.mark.parametrize("part", ["preview", "apply", "dismiss"])
def test_unknown_query_parameter_is_refused(api: Any, user: User, part: str) -> None:
    payload = make_proposal(user, "north")

    answer = api.post(url(payload, part) + "?dryrun=1", ALL if part != "dismiss" else {})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["path"] == "dryrun"


@pytest.mark.parametrize("part", ["", "operations/"])
def test_payload_of_another_user_does_not_exist(api: Any, other_api: Any, user: User, part: str) -> None:
    payload = make_proposal(user, "north")

    of_other = other_api.get(f"/api/chat/payloads/{payload.pk}/{part}")
    missing = other_api.get(f"/api/chat/payloads/00000000-0000-0000-0000-000000000000/{part}")
    no_id = other_api.get(f"/api/chat/payloads/x/{part}")

    bodies = [{k: v for k, v in answer.json().items() if k != "request_id"} for answer in (of_other, missing, no_id)]
    assert [answer.status_code for answer in (of_other, missing, no_id)] == [404] * 3
    assert bodies[0] == bodies[1] == bodies[2]


@pytest.mark.parametrize("part", ["preview", "apply", "dismiss"])
def test_proposal_of_another_user_cannot_be_answered(other_api: Any, user: User, part: str) -> None:
    payload = make_proposal(user, "north")

    answer = other_api.post(url(payload, part), ALL if part != "dismiss" else {})

    payload.refresh_from_db()
    assert answer.status_code == 404
    assert payload.status == "pending"
