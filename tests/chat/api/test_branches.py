"""Branches over REST: the siblings of a message, and messages of other branches."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Turn
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def turns(user: User) -> list[Turn]:
    """The turn "one", then "two" and as its sibling "two again", which was answered twice."""
    one = finish_turn(running_turn(user, turn_request("one")), text="1")
    going_on = {"conversation_id": str(one.conversation_id), "parent_message_id": str(answer_id(one))}
    two = finish_turn(running_turn(user, turn_request("two", **going_on)), text="2")
    three = finish_turn(running_turn(user, turn_request("three", conversation_id=str(one.conversation_id))), text="3")
    again = finish_turn(running_turn(user, turn_request("two again", **going_on)), text="2a")
    retry = finish_turn(running_turn(user, turn_request("", retry_of=str(again.pk))), text="2b")
    return [one, two, three, again, retry]


def answer_id(turn: Turn) -> Any:
    return turn.messages.get(role="assistant").pk


def address(turns: list[Turn]) -> str:
    return f"/api/chat/conversations/{turns[0].conversation_id}/messages/"


def texts(answer: Any) -> list[str]:
    return [message["text"] for message in answer.json()["messages"]]


def test_each_message_lists_its_siblings_oldest_first(api: Any, turns: list[Turn]) -> None:
    _, two, _, again, retry = turns
    messages = api.get(address(turns)).json()["messages"]

    assert [message["text"] for message in messages] == ["one", "1", "two again", "2b"]
    assert [message["beside"] for message in messages] == [
        [], [], [str(turn.user_message_id) for turn in (two, again)], [str(answer_id(turn)) for turn in (again, retry)],
    ]  # fmt: skip


def test_other_branch_is_read_to_its_latest_message(api: Any, turns: list[Turn]) -> None:
    two, again = turns[1], turns[3]
    assert texts(api.get(address(turns), through=str(two.user_message_id))) == ["one", "1", "two", "2", "three", "3"]
    assert texts(api.get(address(turns), through=str(answer_id(again)))) == ["one", "1", "two again", "2a"]
    assert texts(api.get(address(turns), through=str(turns[0].user_message_id))) == ["one", "1", "two again", "2b"]


@pytest.mark.sqlite_only
def test_reading_another_branch_changes_nothing(api: Any, turns: list[Turn]) -> None:
    before = api.get(address(turns)).json()
    api.get(address(turns), through=str(turns[1].user_message_id))
    assert api.get(address(turns)).json() == before


def test_earlier_messages_of_another_branch_are_paginated(api: Any, turns: list[Turn]) -> None:
    through = str(turns[1].user_message_id)
    last = api.get(address(turns), through=through, limit=2).json()
    assert [message["text"] for message in last["messages"]] == ["three", "3"]
    for more in ({}, {"through": through}):
        assert texts(api.get(address(turns), before=last["earlier"], **more)) == ["one", "1", "two", "2"]


@pytest.mark.sqlite_only
def test_invalid_message_of_a_branch_is_refused(api: Any, user: User, turns: list[Turn]) -> None:
    other = finish_turn(running_turn(user, turn_request("elsewhere")))
    for query, status in (
        ({"through": "x"}, 400),
        ({"through": NOWHERE}, 404),
        ({"through": str(other.user_message_id)}, 404),
    ):
        assert api.get(address(turns), **query).status_code == status, query
