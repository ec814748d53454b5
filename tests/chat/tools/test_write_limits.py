"""Limits of direct writes in a turn: five rows and one deletion."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.agent.tools import tools
from chat.models import Turn
from chat.services import TurnRequest
from tables.operations import Origin
from tables.selectors import read_rows, table_shape
from tables.services import create_table
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, run_turn
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]
OF_TABLES = [tool.name for tool in tools if tool.category == "tables"]


@pytest.fixture
def table(user: User) -> Any:
    columns = [{"name": "Company", "type": "text", "required": True}, {"name": "Salary", "type": "number"}]
    rows = [{"Company": name, "Salary": number} for number, name in enumerate(("Acme", "Bolt", "Crux"), start=1)]
    return create_table(user=user, name="Jobs", columns=columns, rows=rows, origin=Origin("api"))


def request_on(table: Any) -> TurnRequest:
    context = {"current_page": "table_view", "table_id": table.pk}
    return turn_request(page="table_view", object_id=str(table.pk), context=context)


def run_calls(user: User, table: Any, *calls: tuple[str, Json]) -> Turn:
    script = ScriptedModel(use(*calls), say("Done."))
    turn, _ = run_turn(user, script, request_on(table))
    assert script.problems == []
    return turn


def errors(turn: Turn) -> list[bool]:
    return [entry["is_error"] for entry in answer_of(turn).tool_history]


def companies(table: Any) -> list[str]:
    shape = table_shape(table)
    return [row.data[shape.columns[0].id] for row in read_rows(table, shape=shape, limit=200)]


def first_row(table: Any) -> int:
    return int(read_rows(table, shape=table_shape(table), limit=1)[0].id)


def create_calls(*names: str) -> list[tuple[str, Json]]:
    return [("create_row", {"data": {"Company": name}}) for name in names]


def test_turn_creates_or_changes_five_rows(user: User, table: Any) -> None:
    change = ("update_row", {"row_id": first_row(table), "changes": {"Company": "Acme Corp"}})

    turn = run_calls(user, table, *create_calls("Dome", "Echo", "Fizz"), change, *create_calls("Gala", "Hive"))

    assert errors(turn) == [False] * 5 + [True]
    assert "DATA_PROPOSAL" in answer_of(turn).tool_history[-1]["output"]
    assert companies(table) == ["Acme Corp", "Bolt", "Crux", "Dome", "Echo", "Fizz", "Gala"]


def test_deletion_has_its_own_limit(user: User, table: Any) -> None:
    ids = [row.id for row in read_rows(table, shape=table_shape(table), limit=3)]
    deletions = [("delete_row", {"row_id": row_id}) for row_id in ids[:2]]

    turn = run_calls(user, table, *create_calls(*"DEFGH"), *deletions)

    assert errors(turn) == [False] * 6 + [True]
    assert "DATA_PROPOSAL" in answer_of(turn).tool_history[-1]["output"]
    assert companies(table) == ["Bolt", "Crux", *"DEFGH"]


def test_refused_writes_are_not_counted(user: User, table: Any) -> None:
    refused = [("create_row", {"data": {"Salary": 1}}), ("update_row", {"row_id": 999_999, "changes": {"Salary": 1}})]

    turn = run_calls(user, table, *refused, *create_calls(*"DEFGH"))

    assert errors(turn) == [True] * 2 + [False] * 5


def test_next_turn_has_new_limits(user: User, table: Any) -> None:
    run_calls(user, table, *create_calls(*"DEFGH"))

    assert errors(run_calls(user, table, *create_calls("I"))) == [False]


def test_each_write_is_undone_separately(user: User, table: Any, client: Client) -> None:
    client.force_login(user)
    first = first_row(table)
    turn = run_calls(
        user, table,
        ("update_row", {"row_id": first, "changes": {"Company": "Acme Corp"}}),
        *create_calls("Dome"),
        ("delete_row", {"row_id": first}),
    )  # fmt: skip
    assert companies(table) == ["Bolt", "Crux", "Dome"]

    for entry, left in zip(
        reversed(answer_of(turn).tool_history),
        (["Acme Corp", "Bolt", "Crux", "Dome"], ["Acme Corp", "Bolt", "Crux"], ["Acme", "Bolt", "Crux"]),
        strict=True,
    ):
        undo = entry["undo"]
        address = f"/api/tables/{undo['table_id']}/changes/{undo['change_id']}/undo/"
        assert client.post(address, {}, content_type="application/json").status_code == 200
        assert companies(table) == left


@pytest.mark.parametrize("name", OF_TABLES)
def test_table_is_that_of_the_conversation_and_no_parameter(user: User, table: Any, name: str) -> None:
    tool = tools.get(name)
    assert tool is not None
    assert tool.input_schema["additionalProperties"] is False
    assert not [field for field in tool.input_schema["properties"] if "table" in field]

    assert errors(run_calls(user, table, (name, {"table_id": table.pk}))) == [True]
