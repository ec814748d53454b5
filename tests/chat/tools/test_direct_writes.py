"""Undo of a row written by a tool: in the record of the answer, in events and in the next prompt."""
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
from chat.signals import user_update
from tables.operations import Origin
from tables.services import create_table
from tests.chat.stored_conversations import running_turn, turn_request
from tests.chat.turns.turn_runs import answer_of, run_turn
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]


@pytest.fixture
def table(user: User) -> int:
    columns = [{"name": "Company", "type": "text"}]
    return int(create_table(user=user, name="Jobs", columns=columns, rows=[], origin=Origin("api")).pk)


@pytest.fixture
def page_events() -> Iterator[list[Json]]:
    """The events for open pages of this user."""
    events: list[Json] = []

    def record(sender: Any, *, body: Json, **_: Any) -> None:
        events.append(body)

    user_update.connect(record)
    yield events
    user_update.disconnect(record)


def write_request(message: str, *, table: int, **fields: Any) -> TurnRequest:
    context = {"current_page": "table_view", "table_id": table}
    return TurnRequest(
        client_turn_id=uuid4(), page="table_view", object_id=str(table), context=context, message=message, **fields
    )


class UndoClient:
    """A user who reads the conversation and undoes the tool's change."""

    def __init__(self, client: Client, *, user: User) -> None:
        client.force_login(user)
        self._client = client

    def toggle(self, undo: Json, *, way: str) -> None:
        address = f"/api/tables/{undo['table_id']}/changes/{undo['change_id']}/{way}/"
        assert self._client.post(address, {}, content_type="application/json").status_code == 200

    def undo_of(self, turn: Turn) -> Json:
        """Return the undo entry of its first tool in the record."""
        read = self._client.get(f"/api/chat/conversations/{turn.conversation_id}/messages/").json()
        undo: Json = read["messages"][1]["tool_history"][0]["undo"]
        return undo


@pytest.fixture
def undo_client(client: Client, user: User) -> UndoClient:
    return UndoClient(client, user=user)


def test_record_has_the_undo_and_redo(user: User, table: int, undo_client: UndoClient) -> None:
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Zeppelin"}})), say("Added."))
    turn, _ = run_turn(user, script, write_request("add Zeppelin", table=table))
    undo = undo_client.undo_of(turn)
    assert set(undo) == {"table_id", "change_id"}

    undo_client.toggle(undo, way="undo")
    assert undo_client.undo_of(turn) == {**undo, "undone": True}
    undo_client.toggle(undo, way="redo")
    assert undo_client.undo_of(turn) == {**undo, "undone": False}


def test_next_turn_reports_the_undo(user: User, table: int, undo_client: UndoClient) -> None:
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Zeppelin"}})), say("Added."), say("I see."))
    turn, _ = run_turn(user, script, write_request("add Zeppelin", table=table))
    undo_client.toggle(undo_client.undo_of(turn), way="undo")

    run_turn(user, script, write_request("and now?", table=table, conversation_id=str(turn.conversation_id)))

    message = json.dumps(script.requests[-1]["messages"][-1])
    assert "create_row (Added row" in message
    assert "was undone by the user" in message
    assert script.problems == []


@pytest.mark.parametrize("way", ["undo", "redo"])
def test_open_pages_get_the_undo(
    user: User, table: int, undo_client: UndoClient, page_events: list[Json], way: str
) -> None:
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Zeppelin"}})), say("Added."))
    turn, _ = run_turn(user, script, write_request("add Zeppelin", table=table))
    undo = undo_client.undo_of(turn)
    if way == "redo":
        undo_client.toggle(undo, way="undo")
    page_events.clear()

    undo_client.toggle(undo, way=way)

    assert page_events == [{"type": "conversation_changed", "conversation_id": str(turn.conversation_id)}]


@pytest.mark.usefixtures("notes")
def test_undo_during_the_turn_is_in_its_final_event(user: User) -> None:
    turn, undo = running_turn(user, turn_request()), {"group": 7}
    record_tool_call(turn_id=turn.pk, index=0, tool="make_group", params={}, output="made north", undo=undo)
    set_tool_call_undone(turn_id=turn.pk, undo=undo, undone=True)

    history = [{"tool_name": "make_group", "input": {}, "output": "made north", "is_error": False, "undo": undo}]
    ending = Ending(state="complete", text="[[tool:0]]", tool_history=history, reported_tools=1)
    end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=timezone.now())

    assert [entry["undo"] for entry in answer_of(turn).tool_history] == [{"group": 7, "undone": True}]


@pytest.mark.usefixtures("notes")
def test_only_the_undone_write_is_marked(user: User) -> None:
    turn = running_turn(user, turn_request())
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
