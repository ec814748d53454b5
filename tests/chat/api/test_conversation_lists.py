"""Lists of conversations: by page, by search, in the trash."""
from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Conversation
from chat.selectors.conversations import MAX_SEARCHED_MESSAGES
from chat.services.retention import CONVERSATION_DAYS, old_conversations
from chat.turns.request import read_turn_request
from tests.captured_queries import CapturedQueries
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request
from tests.conftest import Api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
URL = "/api/chat/conversations/"


def create_conversation(user: User, *texts: str, note: str = "7") -> str:
    """Create a conversation whose messages by the user and the assistant alternate; return its id."""
    conversation_id = ""
    for question, answer in zip(texts[::2], [*texts[1::2], ""], strict=False):
        request = turn_request(question, note=note, conversation_id=conversation_id)
        turn = finish_turn(running_turn(user, request), text=answer)
        conversation_id = str(turn.conversation_id)
    return conversation_id


def titles(api: Any, **query: Any) -> list[str]:
    answer = api.get(URL, **query)
    assert answer.status_code == 200, answer.content
    return [entry["title"] for entry in answer.json()["conversations"]]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("STRASSE", True), ("ökonomie", True), ("plan answer", True), ("plan elsewhere", False), ("50%", True),
        ("5_%", False), ("%", True), ("_", False), ("'", False), ("\\", False), ("tool", False), ("  ", True),
    ],
)  # fmt: skip
def test_search_ignores_case_and_takes_every_character_literally(
    api: Any, user: User, search: str, found: bool
) -> None:
    create_conversation(user, "A plan of the Straße", "The answer: ÖKONOMIE at 50% [[tool:0]]")

    assert (titles(api, search=search) != []) is found


def test_search_finds_the_given_title_and_the_first_message(api: Any, user: User) -> None:
    conversation_id = create_conversation(user, "How many are open?", "Two.")
    api.patch(f"{URL}{conversation_id}/", {"title": "Überblick"})

    assert titles(api, search="überblick") == titles(api, search="OPEN two") == ["Überblick"]


def test_search_is_limited_to_the_page_and_its_object(api: Any, user: User) -> None:
    create_conversation(user, "plan here")
    create_conversation(user, "plan there", note="8")

    assert titles(api, search="plan") == ["plan there", "plan here"]
    assert titles(api, search="plan", page="notes", table="7") == ["plan here"]


def test_imported_messages_are_found(api: Any, user: User) -> None:
    history = [{"role": "user", "content": "About Zürich"}, {"role": "assistant", "content": "A lake."}]
    context = {"current_page": "notes", "note_id": "7"}
    request = read_turn_request({"message": "Go on", "context": context, "conversation_history": history})
    finish_turn(running_turn(user, request))

    assert titles(api, search="zürich") == ["Go on"]


def test_search_results_are_paginated(api: Any, user: User) -> None:
    for number in range(3):
        create_conversation(user, f"plan {number}")

    first = api.get(URL, search="plan", limit=2).json()
    rest = api.get(first["next"]).json()

    assert (first["count"], rest["count"], rest["next"]) == (3, 3, None)
    shown = [entry["title"] for entry in first["conversations"] + rest["conversations"]]
    assert shown == ["plan 2", "plan 1", "plan 0"]


def test_search_has_constant_queries(api: Any, user: User) -> None:
    counts = []
    for many in (1, 4):
        for number in range(many):
            create_conversation(user, f"plan {number}", "yes", "and more", "no")
        with CapturedQueries() as queries:
            api.get(URL, search="plan more")
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_search_reads_the_latest_messages_of_a_conversation(api: Any, user: User) -> None:
    conversation = Conversation.objects.get(pk=create_conversation(user, "first of all"))
    conversation.messages.update(created_at=timezone.now() - timedelta(days=1))
    conversation.title = ""
    conversation.save()
    conversation.messages.bulk_create(
        [
            conversation.messages.model(conversation=conversation, role="user", text="more")
            for _ in range(MAX_SEARCHED_MESSAGES)
        ]
    )

    assert titles(api, search="more") == [""]
    assert titles(api, search="first") == []


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"page": "note"}, "page"), ({"serch": "x"}, "serch"), ({"search": "x" * 201}, "search"),
        ({"search": "a b c d e f g h i"}, "search"), ({"search": "a\x00"}, "search"), ({"trashed": "yes"}, "trashed"),
        ({"table": "x" * 65}, "table"), ({"limit": ["1", "2"]}, "limit"),
    ],
)  # fmt: skip
def test_invalid_query_is_refused_with_its_path(api: Any, query: Any, path: str) -> None:
    answer = api.get(URL, **query)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)


@pytest.mark.sqlite_only
def test_the_faults_of_all_parameters_are_reported(api: Any) -> None:
    sent = {"serch": "x", "ofset": "1", "limit": "0", "offset": "-1", "page": "note", "table": "x" * 65, "trashed": "1"}
    answer = api.get(URL, **sent).json()

    assert [fault["path"] for fault in answer["errors"]] == [
        "serch", "ofset", "offset", "limit", "page", "table", "trashed",
    ]  # fmt: skip


@pytest.mark.sqlite_only
def test_unknown_page_is_refused_with_a_suggestion(api: Any) -> None:
    answer = api.get(URL, page="note").json()

    assert (answer["error"], "notes" in answer["detail"]) == ("unknown_page", True)


def test_deleted_conversation_is_in_the_trash_and_restored_to_its_position(api: Any, user: User) -> None:
    older, latest = create_conversation(user, "older"), create_conversation(user, "latest")
    api.delete(f"{URL}{older}/")

    assert (titles(api), titles(api, trashed="true")) == (["latest"], ["older"])
    answer = api.post(f"{URL}{older}/restore/")

    assert (answer.status_code, answer.json()["deleted_at"]) == (200, None)
    assert (titles(api), titles(api, trashed="true")) == (["latest", "older"], [])
    assert api.get(f"{URL}{older}/messages/").json()["messages"][0]["text"] == "older"
    assert latest


@pytest.mark.sqlite_only
def test_restoring_twice_has_one_effect(api: Any, user: User) -> None:
    conversation_id = create_conversation(user, "here")

    assert [api.post(f"{URL}{conversation_id}/restore/").status_code for _ in range(2)] == [200, 200]


@pytest.mark.sqlite_only
def test_idempotency_key_restores_once(api: Any, user: User) -> None:
    conversation_id = create_conversation(user, "here")
    api.delete(f"{URL}{conversation_id}/")
    key = {"Idempotency-Key": str(uuid4())}

    first = api.client.post(f"{URL}{conversation_id}/restore/", {}, content_type="application/json", headers=key)
    api.delete(f"{URL}{conversation_id}/")
    again = api.client.post(f"{URL}{conversation_id}/restore/", {}, content_type="application/json", headers=key)

    assert (first.json(), again.headers["Idempotent-Replayed"]) == (again.json(), "true")
    assert titles(api) == []


@pytest.mark.sqlite_only
def test_trash_of_another_user_does_not_exist(api: Any, other_api: Any, user: User) -> None:
    conversation_id = create_conversation(user, "mine")
    api.delete(f"{URL}{conversation_id}/")

    assert titles(other_api, trashed="true") == []
    assert other_api.post(f"{URL}{conversation_id}/restore/").status_code == 404
    assert api.post(f"{URL}{uuid4()}/restore/").status_code == 404


def test_trash_is_emptied_after_its_retention(api: Any, user: User) -> None:
    conversation_id, now = create_conversation(user, "mine"), timezone.now()
    api.delete(f"{URL}{conversation_id}/")

    assert old_conversations(now=now + timedelta(days=CONVERSATION_DAYS - 1)).count() == 0
    old_conversations(now=now + timedelta(days=CONVERSATION_DAYS + 1)).delete()

    assert api.post(f"{URL}{conversation_id}/restore/").status_code == 404


@pytest.mark.sqlite_only
def test_deletion_stops_the_running_turn_and_restoring_leaves_it_stopped(api: Any, user: User) -> None:
    turn = running_turn(user)
    api.delete(f"{URL}{turn.conversation_id}/")

    turn.refresh_from_db()
    assert turn.cancel_requested_at is not None
    finish_turn(turn, state="cancelled", text="So far")
    api.post(f"{URL}{turn.conversation_id}/restore/")

    shown = api.get(f"{URL}{turn.conversation_id}/messages/").json()
    assert (shown["running_turn_id"], shown["messages"][-1]["state"]) == (None, "cancelled")


@pytest.mark.sqlite_only
def test_renamed_conversation_keeps_its_position_and_title(api: Any, user: User) -> None:
    older = create_conversation(user, "older")
    create_conversation(user, "latest")

    api.patch(f"{URL}{older}/", {"title": " Plans "})
    assert titles(api) == ["latest", "Plans"]

    finish_turn(running_turn(user, turn_request("again", conversation_id=older)))
    assert titles(api) == ["Plans", "latest"]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("title", ["", "  ", None, 5, "x" * 256, "a\nb", "a\x00b", "\t"])
def test_title_has_one_line_of_visible_text(api: Any, user: User, title: Any) -> None:
    conversation_id = create_conversation(user, "here")

    answer = api.patch(f"{URL}{conversation_id}/", {"title": title})

    assert answer.status_code == 400
    assert titles(api) == ["here"]


@pytest.mark.sqlite_only
def test_proposals_of_a_restored_conversation_are_restored(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")
    api.delete(f"{URL}{payload.conversation_id}/")
    assert api.get(f"/api/chat/payloads/{payload.pk}/").status_code == 404

    api.post(f"{URL}{payload.conversation_id}/restore/")

    assert api.get(f"/api/chat/payloads/{payload.pk}/").json()["status"] == "pending"


@pytest.mark.sqlite_only
def test_conversations_require_sign_in(anonymous_api: Api) -> None:
    assert anonymous_api.post(f"{URL}{uuid4()}/restore/").status_code == 401
