"""What a person thinks of an answer, through REST."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Feedback, Turn
from tests.chat.stored_conversations import ended, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


@pytest.fixture
def turn(user: User) -> Turn:
    return ended(started(user))


def message(api: Any, turn: Turn, role: str = "assistant") -> Any:
    shown = api.get(f"/api/chat/conversations/{turn.conversation_id}/messages/").json()["messages"]
    return next(each for each in shown if each["role"] == role)


def url(message: Any) -> str:
    return f"/api/chat/messages/{message['id']}/feedback/"


def test_a_thumb_with_its_reason_is_shown_with_the_message(api: Any, turn: Turn) -> None:
    assert message(api, turn)["feedback"] is None

    answer = api.post(url(message(api, turn)), {"rating": "down", "reason": "  It read the wrong column. "})

    said = {"rating": "down", "reason": "It read the wrong column."}
    assert (answer.status_code, answer.json()) == (200, {"message_id": message(api, turn)["id"], **said})
    assert message(api, turn)["feedback"] == said


def test_a_second_thumb_replaces_the_first_with_its_reason(api: Any, turn: Turn) -> None:
    for body in ({"rating": "down", "reason": "No."}, {"rating": "up"}):
        api.post(url(message(api, turn)), body)

    assert message(api, turn)["feedback"] == {"rating": "up", "reason": ""}
    assert Feedback.objects.count() == 1


def test_a_thumb_is_taken_back_and_may_be_taken_back_twice(api: Any, turn: Turn) -> None:
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
def test_what_is_no_thumb_is_refused_with_its_path(api: Any, turn: Turn, body: Any, path: str) -> None:
    answer = api.post(url(message(api, turn)), body)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
    assert not Feedback.objects.exists()


@pytest.mark.parametrize("body", [b'{"rating": "up", "reason": "a\\u0000"}', b'{"rating": "up", "reason": "\\ud800"}'])
def test_a_reason_no_database_could_take_is_refused(api: Any, turn: Turn, body: bytes) -> None:
    answer = api.client.post(url(message(api, turn)), body, content_type="application/json")

    assert answer.status_code == 400


def test_the_longest_reason_is_kept_whole(api: Any, turn: Turn) -> None:
    api.post(url(message(api, turn)), {"rating": "up", "reason": "ß" * 2_000})

    assert message(api, turn)["feedback"]["reason"] == "ß" * 2_000


def test_only_an_answer_of_ones_own_can_be_rated(api: Any, other_api: Any, turn: Turn) -> None:
    answer, asked = message(api, turn), message(api, turn, role="user")

    tried = [
        other_api.post(url(answer), {"rating": "up"}),
        api.post(url(asked), {"rating": "up"}),
        api.post(url({"id": uuid4()}), {"rating": "up"}),
        api.post(url({"id": "nothing"}), {"rating": "up"}),
    ]

    assert {(each.status_code, each.json()["error"], each.json()["detail"]) for each in tried} == {
        (404, "not_found", "Answer not found.")
    }
    assert not Feedback.objects.exists()


def test_an_answer_of_a_deleted_conversation_is_not_there(api: Any, turn: Turn) -> None:
    answer = message(api, turn)
    api.delete(f"/api/chat/conversations/{turn.conversation_id}/")

    assert api.post(url(answer), {"rating": "up"}).status_code == 404


def test_the_same_key_gives_the_same_answer_and_another_body_is_refused(api: Any, turn: Turn) -> None:
    key, where = {"Idempotency-Key": str(uuid4())}, url(message(api, turn))

    def sent(rating: str) -> Any:
        return api.client.post(where, {"rating": rating}, content_type="application/json", headers=key)

    first, again, other = sent("up"), sent("up"), sent("down")

    assert (first.json(), other.status_code) == (again.json(), 422)
    assert message(api, turn)["feedback"]["rating"] == "up"
