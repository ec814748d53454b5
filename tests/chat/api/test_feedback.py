"""Feedback on answers over REST."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Feedback, Turn
from tests.chat.stored_conversations import finish_turn, running_turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


@pytest.fixture
def turn(user: User) -> Turn:
    return finish_turn(running_turn(user))


def message(api: Any, turn: Turn, role: str = "assistant") -> Any:
    shown = api.get(f"/api/chat/conversations/{turn.conversation_id}/messages/").json()["messages"]
    return next(each for each in shown if each["role"] == role)


def url(message: Any) -> str:
    return f"/api/chat/messages/{message['id']}/feedback/"


def test_feedback_with_its_reason_is_shown_with_the_message(api: Any, turn: Turn) -> None:
    assert message(api, turn)["feedback"] is None

    answer = api.post(url(message(api, turn)), {"rating": "down", "reason": "  It read the wrong column. "})

    feedback = {"rating": "down", "reason": "It read the wrong column."}
    assert (answer.status_code, answer.json()) == (200, {"message_id": message(api, turn)["id"], **feedback})
    assert message(api, turn)["feedback"] == feedback


def test_second_feedback_replaces_the_first(api: Any, turn: Turn) -> None:
    for body in ({"rating": "down", "reason": "No."}, {"rating": "up"}):
        api.post(url(message(api, turn)), body)

    assert message(api, turn)["feedback"] == {"rating": "up", "reason": ""}
    assert Feedback.objects.count() == 1


def test_feedback_can_be_deleted_twice(api: Any, turn: Turn) -> None:
    api.post(url(message(api, turn)), {"rating": "up"})

    answers = [api.post(url(message(api, turn)), {"rating": None}) for _ in range(2)]

    assert [(answer.status_code, answer.json()["rating"]) for answer in answers] == [(200, None)] * 2
    assert message(api, turn)["feedback"] is None


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "rating"), ({"rating": "sideways"}, "rating"), ({"rating": True}, "rating"),
        ({"rating": ["up"]}, "rating"), ({"rating": {}}, "rating"), ({"rating": ""}, "rating"),
        ({"rating": "up", "reason": ""}, "reason"),
        ({"rating": "up", "reason": " \n "}, "reason"), ({"rating": "up", "reason": "x" * 2_001}, "reason"),
        ({"rating": "up", "reason": 5}, "reason"), ({"rating": None, "reason": "why"}, "reason"),
        ({"rating": "up", "reasons": "x"}, "reasons"),
    ],
)  # fmt: skip
def test_invalid_feedback_is_refused_with_its_path(api: Any, turn: Turn, body: Any, path: str) -> None:
    answer = api.post(url(message(api, turn)), body)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
    assert not Feedback.objects.exists()


@pytest.mark.parametrize("body", [b'{"rating": "up", "reason": "a\\u0000"}', b'{"rating": "up", "reason": "\\ud800"}'])
def test_unstorable_reason_is_refused(api: Any, turn: Turn, body: bytes) -> None:
    answer = api.client.post(url(message(api, turn)), body, content_type="application/json")

    assert answer.status_code == 400


def test_longest_reason_is_stored_whole(api: Any, turn: Turn) -> None:
    api.post(url(message(api, turn)), {"rating": "up", "reason": "ß" * 2_000})

    assert message(api, turn)["feedback"]["reason"] == "ß" * 2_000


def test_only_own_answers_can_be_rated(api: Any, other_api: Any, turn: Turn) -> None:
    answer, question = message(api, turn), message(api, turn, role="user")

    tried = [
        other_api.post(url(answer), {"rating": "up"}),
        api.post(url(question), {"rating": "up"}),
        api.post(url({"id": uuid4()}), {"rating": "up"}),
        api.post(url({"id": "nothing"}), {"rating": "up"}),
    ]

    assert {(each.status_code, each.json()["error"], each.json()["detail"]) for each in tried} == {
        (404, "not_found", "Answer not found.")
    }
    assert not Feedback.objects.exists()


def test_answer_of_a_deleted_conversation_does_not_exist(api: Any, turn: Turn) -> None:
    answer = message(api, turn)
    api.delete(f"/api/chat/conversations/{turn.conversation_id}/")

    assert api.post(url(answer), {"rating": "up"}).status_code == 404


def test_idempotency_key_repeats_the_response_and_refuses_another_body(api: Any, turn: Turn) -> None:
    key, where = {"Idempotency-Key": str(uuid4())}, url(message(api, turn))

    def rate(rating: str) -> Any:
        return api.client.post(where, {"rating": rating}, content_type="application/json", headers=key)

    first, again, other = rate("up"), rate("up"), rate("down")

    assert (first.json(), other.status_code) == (again.json(), 422)
    assert message(api, turn)["feedback"]["rating"] == "up"
