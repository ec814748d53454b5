"""How much may be written directly in a turn, as a model meets it: five rows and one deletion, then proposals."""
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
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answer_of, answered
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]
OF_TABLES = [tool.name for tool in tools if tool.category == "tables"]


@pytest.fixture
def table(user: User) -> Any:
    columns = [{"name": "Company", "type": "text", "required": True}, {"name": "Salary", "type": "number"}]
    rows = [{"Company": name, "Salary": number} for number, name in enumerate(("Acme", "Bolt", "Crux"), start=1)]
    return create_table(user=user, name="Jobs", columns=columns, rows=rows, origin=Origin("api"))


def on(table: Any) -> TurnRequest:
    context = {"current_page": "table_view", "table_id": table.pk}
    return wish(page="table_view", object_id=str(table.pk), context=context)


def asked(user: User, table: Any, *calls: tuple[str, Json]) -> Turn:
    script = ScriptedModel(use(*calls), say("Done."))
    turn, _ = answered(user, script, on(table))
    assert script.problems == []
    return turn


def errors(turn: Turn) -> list[bool]:
    return [entry["is_error"] for entry in answer_of(turn).tool_history]


def companies(table: Any) -> list[str]:
    shape = table_shape(table)
    return [row.data[shape.columns[0].id] for row in read_rows(table, shape=shape, limit=200)]


def first_row(table: Any) -> int:
    return int(read_rows(table, shape=table_shape(table), limit=1)[0].id)


def created(*names: str) -> list[tuple[str, Json]]:
    return [("create_row", {"data": {"Company": name}}) for name in names]


def test_five_rows_are_created_or_changed_in_a_turn_together(user: User, table: Any) -> None:
    change = ("update_row", {"row_id": first_row(table), "changes": {"Company": "Acme Corp"}})

    turn = asked(user, table, *created("Dome", "Echo", "Fizz"), change, *created("Gala", "Hive"))

    assert errors(turn) == [False] * 5 + [True]
    assert "DATA_PROPOSAL" in answer_of(turn).tool_history[-1]["output"]
    assert companies(table) == ["Acme Corp", "Bolt", "Crux", "Dome", "Echo", "Fizz", "Gala"]


def test_a_deletion_is_counted_for_itself(user: User, table: Any) -> None:
    ids = [row.id for row in read_rows(table, shape=table_shape(table), limit=3)]
    deletions = [("delete_row", {"row_id": row_id}) for row_id in ids[:2]]

    turn = asked(user, table, *created(*"DEFGH"), *deletions)

    assert errors(turn) == [False] * 6 + [True]
    assert "DATA_PROPOSAL" in answer_of(turn).tool_history[-1]["output"]
    assert companies(table) == ["Bolt", "Crux", *"DEFGH"]


def test_what_was_refused_is_not_counted(user: User, table: Any) -> None:
    refused = [("create_row", {"data": {"Salary": 1}}), ("update_row", {"row_id": 999_999, "changes": {"Salary": 1}})]

    turn = asked(user, table, *refused, *created(*"DEFGH"))

    assert errors(turn) == [True] * 2 + [False] * 5


def test_the_next_turn_counts_anew(user: User, table: Any) -> None:
    asked(user, table, *created(*"DEFGH"))

    assert errors(asked(user, table, *created("I"))) == [False]


def test_each_write_is_taken_back_for_itself(user: User, table: Any, client: Client) -> None:
    client.force_login(user)
    first = first_row(table)
    turn = asked(
        user, table,
        ("update_row", {"row_id": first, "changes": {"Company": "Acme Corp"}}),
        *created("Dome"),
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
def test_the_table_is_the_conversations_and_never_said_by_the_model(user: User, table: Any, name: str) -> None:
    tool = tools.get(name)
    assert tool is not None
    assert tool.input_schema["additionalProperties"] is False
    assert not [field for field in tool.input_schema["properties"] if "table" in field]

    assert errors(asked(user, table, (name, {"table_id": table.pk}))) == [True]
