"""A row that a tool has written, taken back by the user: on the record of the answer, and told to the model."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.models import Turn
from chat.services import Ending, TurnRequest, end_turn, record_tool_call, set_tool_call_undone
from chat.signals import news
from tables.operations import Origin
from tables.services import create_table
from tests.chat.stored_conversations import started, wish
from tests.chat.turns.turn_runs import answer_of, answered
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]


@pytest.fixture
def table(user: User) -> int:
    columns = [{"name": "Company", "type": "text"}]
    return int(create_table(user=user, name="Jobs", columns=columns, rows=[], origin=Origin("api")).pk)


@pytest.fixture
def told() -> Iterator[list[Json]]:
    """The news of this person's open pages."""
    heard: list[Json] = []

    def hear(sender: Any, *, body: Json, **_: Any) -> None:
        heard.append(body)

    news.connect(hear)
    yield heard
    news.disconnect(hear)


def asked(message: str, *, table: int, **fields: Any) -> TurnRequest:
    context = {"current_page": "table_view", "table_id": table}
    return TurnRequest(
        client_turn_id=uuid4(), page="table_view", object_id=str(table), context=context, message=message, **fields
    )


class Person:
    """Who reads the conversation and takes back what the tool did."""

    def __init__(self, client: Client, *, user: User) -> None:
        client.force_login(user)
        self._client = client

    def turns(self, undo: Json, *, way: str) -> None:
        address = f"/api/tables/{undo['table_id']}/changes/{undo['change_id']}/{way}/"
        assert self._client.post(address, {}, content_type="application/json").status_code == 200

    def undo_of(self, turn: Turn) -> Json:
        """What the record of its first tool says now."""
        read = self._client.get(f"/api/chat/conversations/{turn.conversation_id}/messages/").json()
        undo: Json = read["messages"][1]["tool_history"][0]["undo"]
        return undo


@pytest.fixture
def person(client: Client, user: User) -> Person:
    return Person(client, user=user)


def test_the_record_says_what_was_taken_back_and_what_is_there_again(user: User, table: int, person: Person) -> None:
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Zeppelin"}})), say("Added."))
    turn, _ = answered(user, script, asked("add Zeppelin", table=table))
    undo = person.undo_of(turn)
    assert set(undo) == {"table_id", "change_id"}

    person.turns(undo, way="undo")
    assert person.undo_of(turn) == {**undo, "undone": True}
    person.turns(undo, way="redo")
    assert person.undo_of(turn) == {**undo, "undone": False}


def test_the_next_turn_is_told_that_it_was_taken_back(user: User, table: int, person: Person) -> None:
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Zeppelin"}})), say("Added."), say("I see."))
    turn, _ = answered(user, script, asked("add Zeppelin", table=table))
    person.turns(person.undo_of(turn), way="undo")

    answered(user, script, asked("and now?", table=table, conversation_id=str(turn.conversation_id)))

    told = json.dumps(script.requests[-1]["messages"][-1])
    assert "create_row (Added row" in told
    assert "was undone by the user" in told
    assert script.problems == []


@pytest.mark.parametrize("way", ["undo", "redo"])
def test_open_pages_are_told_that_it_was_taken_back(
    user: User, table: int, person: Person, told: list[Json], way: str
) -> None:
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Zeppelin"}})), say("Added."))
    turn, _ = answered(user, script, asked("add Zeppelin", table=table))
    undo = person.undo_of(turn)
    if way == "redo":
        person.turns(undo, way="undo")
    told.clear()

    person.turns(undo, way=way)

    assert told == [{"type": "conversation_changed", "conversation_id": str(turn.conversation_id)}]


@pytest.mark.usefixtures("notes")
def test_what_is_taken_back_while_the_turn_still_runs_is_known_at_its_end(user: User) -> None:
    turn, undo = started(user, wish()), {"group": 7}
    record_tool_call(turn_id=turn.pk, index=0, tool="make_group", params={}, output="made north", undo=undo)
    set_tool_call_undone(turn_id=turn.pk, undo=undo, undone=True)

    history = [{"tool_name": "make_group", "input": {}, "output": "made north", "is_error": False, "undo": undo}]
    ending = Ending(state="complete", text="[[tool:0]]", tool_history=history, reported_tools=1)
    end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=timezone.now())

    assert [entry["undo"] for entry in answer_of(turn).tool_history] == [{"group": 7, "undone": True}]


@pytest.mark.usefixtures("notes")
def test_of_several_writes_only_the_one_is_marked(user: User) -> None:
    turn = started(user, wish())
    for index in (0, 1):
        record_tool_call(
            turn_id=turn.pk, index=index, tool="make_group", params={}, output=f"made {index}", undo={"group": index}
        )
    ending = Ending(state="complete", reported_tools=0)
    end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=timezone.now())

    set_tool_call_undone(turn_id=turn.pk, undo={"group": 1}, undone=True)
    set_tool_call_undone(turn_id=uuid4(), undo={"group": 0}, undone=True)

    history = answer_of(turn).tool_history
    assert [entry["undo"] for entry in history] == [{"group": 0}, {"group": 1, "undone": True}]
    assert answer_of(turn).notes[-1] == "make_group (made 1) was undone by the user."
