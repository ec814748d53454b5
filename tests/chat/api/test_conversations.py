"""Conversations, messages, pages and payload types over REST."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tests.captured_queries import CapturedQueries
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
URL = "/api/chat/conversations/"


def test_conversations_are_listed_by_page_and_object_latest_first(api: Any, user: User) -> None:
    for note, text in (("7", "first"), ("8", "elsewhere"), ("7", "second")):
        finish_turn(running_turn(user, turn_request(text, note=note)))

    by_object = api.get(URL, page="notes", object_id="7").json()["conversations"]
    by_alias = api.get(URL, page="notes", table="7").json()["conversations"]

    assert [entry["title"] for entry in by_object] == ["second", "first"]
    assert by_alias == by_object


def test_long_list_is_paginated(api: Any, user: User) -> None:
    for number in range(3):
        finish_turn(running_turn(user, turn_request(str(number))))

    first = api.get(URL, limit=2).json()
    rest = api.get(first["next"]).json()

    assert [entry["title"] for entry in first["conversations"] + rest["conversations"]] == ["2", "1", "0"]
    assert rest["next"] is None


def test_messages_are_those_of_the_branch_with_the_state_of_answers(api: Any, user: User) -> None:
    values = [{"label": "a", "value": "a"}]
    turn = finish_turn(running_turn(user, turn_request("How many?")), text="Two.", suggested_values=values)

    answer = api.get(f"{URL}{turn.conversation_id}/messages/").json()

    assert [(entry["role"], entry["text"], entry["state"]) for entry in answer["messages"]] == [
        ("user", "How many?", "complete"),
        ("assistant", "Two.", "complete"),
    ]
    assert answer["messages"][1]["suggested_values"] == [{"label": "a", "value": "a"}]
    assert answer["tip"] == answer["messages"][1]["id"]
    assert answer["running_turn_id"] is None


def test_long_conversation_is_paginated_from_its_end_in_whole_turns(api: Any, user: User) -> None:
    first = finish_turn(running_turn(user, turn_request("1")), text="one")
    for number in ("2", "3"):
        request = turn_request(number, conversation_id=str(first.conversation_id))
        finish_turn(running_turn(user, request), text=f"{number}!")
    url = f"{URL}{first.conversation_id}/messages/"

    pages, before = [], None
    while before != "":
        answer = api.get(url, limit=3, **({"before": before} if before else {})).json()
        pages.append([message["text"] for message in answer["messages"]])
        before = answer["earlier"] or ""

    assert pages == [["2", "2!", "3", "3!"], ["1", "one"]]
    assert api.get(url, limit=4).json()["earlier"] == api.get(url, limit=3).json()["earlier"]
    assert api.get(url).json()["earlier"] is None


def test_page_of_messages_has_constant_queries(api: Any, user: User) -> None:
    turn = finish_turn(running_turn(user))
    url = f"{URL}{turn.conversation_id}/messages/"
    counts = []
    for _ in range(2):
        with CapturedQueries() as queries:
            api.get(url, limit=2)
        counts.append(len(queries))
        for number in range(3):
            finish_turn(running_turn(user, turn_request(str(number), conversation_id=str(turn.conversation_id))))

    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("query", "status"),
    [({"before": "x"}, 400), ({"before": "00000000-0000-4000-8000-000000000000"}, 404), ({"limit": "201"}, 400),
     ({"limit": "0"}, 400), ({"after": "x"}, 400)],
)  # fmt: skip
def test_invalid_page_of_messages_is_refused(api: Any, user: User, query: Any, status: int) -> None:
    turn, other = finish_turn(running_turn(user)), finish_turn(running_turn(user))

    assert api.get(f"{URL}{turn.conversation_id}/messages/", **query).status_code == status
    missing = {"before": str(other.messages.first().pk)}
    assert api.get(f"{URL}{turn.conversation_id}/messages/", **missing).status_code == 404


def test_messages_name_the_running_turn(api: Any, user: User) -> None:
    turn = running_turn(user)

    answer = api.get(f"{URL}{turn.conversation_id}/messages/").json()

    assert answer["running_turn_id"] == str(turn.pk)


def test_listing_messages_closes_a_turn_of_a_lost_process(api: Any, user: User) -> None:
    turn = running_turn(user, now=timezone.now() - timedelta(minutes=1))

    answer = api.get(f"{URL}{turn.conversation_id}/messages/").json()

    assert answer["running_turn_id"] is None
    assert answer["messages"][-1]["state"] == "error"
    assert answer["messages"][-1]["error"]["retryable"] is True


def test_message_has_its_proposal_with_status(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")

    shown = api.get(f"{URL}{payload.conversation_id}/messages/").json()["messages"][-1]["custom_payload"]

    assert (shown["id"], shown["type"], shown["status"]) == (str(payload.pk), "note_proposal", "pending")
    assert shown["counts"] == {"add": 1}


def test_tools_without_a_payload_are_shown_as_their_history(api: Any, user: User) -> None:
    history = [{"tool_name": "echo", "input": {}, "output": "x", "is_error": False, "duration_ms": 1}]
    turn = finish_turn(running_turn(user), tool_history=history)

    shown = api.get(f"{URL}{turn.conversation_id}/messages/").json()["messages"][-1]["custom_payload"]

    assert shown == {"type": "tool_history", "data": history}


def test_conversation_is_renamed(api: Any, user: User) -> None:
    turn = finish_turn(running_turn(user))

    answer = api.patch(f"{URL}{turn.conversation_id}/", {"title": " Plans "})

    assert answer.json()["title"] == "Plans"


@pytest.mark.parametrize("body", [{"title": ""}, {"title": 5}, {}, {"title": "x" * 256}, {"name": "x"}])
def test_invalid_title_is_refused(api: Any, user: User, body: Any) -> None:
    turn = finish_turn(running_turn(user))

    assert api.patch(f"{URL}{turn.conversation_id}/", body).status_code == 400


def test_deleted_conversation_does_not_exist_with_its_contents(api: Any, user: User) -> None:
    payload = make_proposal(user, "north")

    assert api.delete(f"{URL}{payload.conversation_id}/").status_code == 204

    assert api.get(f"{URL}{payload.conversation_id}/").status_code == 404
    assert api.get(f"/api/chat/payloads/{payload.pk}/").status_code == 404
    assert api.get(f"/api/chat/turns/{payload.turn_id}/").status_code == 404
    assert api.get(URL).json()["conversations"] == []


@pytest.mark.parametrize("path", ["", "messages/"])
def test_conversation_of_another_user_does_not_exist(
    api: Any, other_api: Any, user: User, path: str
) -> None:
    turn = finish_turn(running_turn(user))

    other_response = other_api.get(f"{URL}{turn.conversation_id}/{path}")
    missing = other_api.get(f"{URL}00000000-0000-0000-0000-000000000000/{path}")

    bodies = [{k: v for k, v in answer.json().items() if k != "request_id"} for answer in (other_response, missing)]
    assert (other_response.status_code, missing.status_code) == (404, 404)
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("query", [{"limit": "x"}, {"limit": "1000"}, {"offset": "-1"}, {"pages": "notes"}])
def test_invalid_query_parameters_are_refused(api: Any, query: Any) -> None:
    assert api.get(URL, **query).status_code == 400


def test_turn_has_its_state(api: Any, user: User) -> None:
    turn = finish_turn(running_turn(user), usage={"input_tokens": 3})

    answer = api.get(f"/api/chat/turns/{turn.pk}/").json()

    assert (answer["state"], answer["usage"], answer["error"]) == ("complete", {"input_tokens": 3}, None)


def test_page_lists_its_abilities(api: Any) -> None:
    answer = api.get("/api/chat/pages/notes/").json()

    assert answer["starters"] == ["Make two groups"]
    assert "close_chat" in [action["action"] for action in answer["client_actions"]]
    assert {"note_proposal", "note_chart"} <= {entry["name"] for entry in answer["payload_types"]}
    assert answer["demo"] is True


def test_unknown_page_is_not_found(api: Any) -> None:
    assert api.get("/api/chat/pages/nowhere/").status_code == 404


def test_payload_types_are_listed(api: Any) -> None:
    entries = {entry["name"]: entry for entry in api.get("/api/chat/payload-types/").json()["payload_types"]}

    assert entries["note_proposal"]["is_proposal"] is True
    assert entries["note_chart"]["is_proposal"] is False


@pytest.mark.parametrize("path", ["conversations/", "payload-types/", "pages/notes/", "turns/x/", "payloads/x/"])
def test_endpoints_require_sign_in(anonymous_api: Any, path: str) -> None:
    answer = anonymous_api.get(f"/api/chat/{path}")

    assert (answer.status_code, answer.json()["error"]) == (401, "not_authenticated")


@pytest.mark.parametrize("look", range(1, 6))
def test_answer_that_ends_while_messages_are_read_is_listed_or_can_be_followed(
    api: Any, user: User, look: int
) -> None:
    turn = running_turn(user, turn_request("again"))
    polls: list[str] = []

    def end_after(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        found = execute(sql, params, many, context)
        if sql.startswith("SELECT") and '"chat_' in sql:
            polls.append(sql)
            if len(polls) == look:
                finish_turn(turn, text="There it is.")
        return found

    with connection.execute_wrapper(end_after):
        answer = api.get(f"{URL}{turn.conversation_id}/messages/").json()

    assert len(polls) >= look
    assert answer["running_turn_id"] == str(turn.pk) or answer["messages"][-1]["text"] == "There it is."
