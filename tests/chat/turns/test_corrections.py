"""Faulty proposals for a real table: the correction request, what the user sees, and what can
be applied."""
from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Payload
from chat.services import TurnRequest
from tests.chat.pages.page_contexts import make_table
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, run_turn
from tests.scripted_model import Reply, ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
MISSING_ID = 999_999

STRUCTURAL = {
    "not JSON": ("{'operations': []}", "not valid JSON"),
    "never closes": ('{"operations": [{"action": "add", "data": {"Company": "Acme"}}]', "not valid JSON"),
    "schema": ({"operations": [{"action": "move", "row_id": 1}]}, "operations[0].action"),
    "unknown column": ({"operations": [{"action": "add", "data": {"Colour": "red"}}]}, "operations[0].data.Colour"),
    "empty where": ({"operations": [{"action": "delete", "where": {"and": []}}]}, "operations[0].where"),
    "no operations": ({"operations": []}, "operations"),
}
# What the user reads if the JSON itself is valid.
USER_MESSAGES = {
    "unknown column": "nothing has changed. There is no column “Colour”.",
    "empty where": "My proposal is not valid, so nothing has changed.",
}
OF_ONE_OPERATION = {
    "bad value": ({"action": "add", "data": {"Status": "Hired"}}, "operations[1].data.Status"),
    "missing row": ({"action": "update", "row_id": MISSING_ID, "changes": {"Status": "Offer"}}, "operations[1].row_id"),
    "overlap": ({"action": "delete", "row_id": "the first"}, "operations[1]"),
}


def on_table(table: str) -> TurnRequest:
    return turn_request(page="table_view", object_id=table, context={"current_page": "table_view", "table_id": table})


def rows_of(api: Any, table: str) -> list[Json]:
    rows: list[Json] = api.get(f"/api/tables/{table}/rows/").json()["rows"]
    return rows


def proposal(content: Json | str, text: str = "Here.") -> Reply:
    return say(f"{text} DATA_PROPOSAL: {content if isinstance(content, str) else json.dumps(content)}")


def correction_request(script: ScriptedModel) -> str:
    """Return the text of the application at the end of the last request to the model."""
    text: str = script.requests[-1]["messages"][-1]["content"][-1]["text"]
    return text


def first_and(operation: Json, *, row: int) -> Json:
    """Return a valid change of the first row, then the operation; "the first" stands for that row."""
    second = {**operation, **({"row_id": row} if operation.get("row_id") == "the first" else {})}
    return {"operations": [{"action": "update", "row_id": row, "changes": {"Status": "Applied"}}, second]}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_unreadable_proposal_is_corrected(user: User, name: str) -> None:
    content, path = STRUCTURAL[name]
    good = {"operations": [{"action": "add", "data": {"Company": "Acme"}}]}
    script = ScriptedModel(proposal(content), proposal(good, "Sorry."))
    turn, events = run_turn(user, script, on_table(make_table(user)))

    assert path in correction_request(script)
    assert "<data token=" in correction_request(script)
    assert [event["message"] for event in events if event["type"] == "status"][-1] == "Correcting the proposal…"
    shown = events[-1]["payload"]
    assert (shown["message"], shown["custom_payload"]["data"]) == ("Here.", good)
    assert Payload.objects.get(turn=turn).status == "pending"


@pytest.mark.parametrize("name", STRUCTURAL)
def test_proposal_that_stays_unreadable_is_reported_and_offered(user: User, api: Any, name: str) -> None:
    content, _ = STRUCTURAL[name]
    script = ScriptedModel(proposal(content), proposal(content))
    turn, events = run_turn(user, script, on_table(make_table(user)))

    shown = events[-1]["payload"]
    raw = content if isinstance(content, str) else json.dumps(content)
    assert USER_MESSAGES.get(name, "could not be read") in shown["message"]
    assert shown["unreadable"] == answer_of(turn).unreadable == raw
    messages = api.get(f"/api/chat/conversations/{turn.conversation_id}/messages/").json()["messages"]
    assert messages[-1]["unreadable"] == raw
    assert not Payload.objects.exists()


@pytest.mark.parametrize("name", OF_ONE_OPERATION)
def test_errors_of_single_operations_are_corrected(user: User, api: Any, name: str) -> None:
    operation, path = OF_ONE_OPERATION[name]
    table = make_table(user)
    row = rows_of(api, table)[0]["id"]
    good = {"operations": [{"action": "add", "data": {"Company": "Acme"}}]}
    script = ScriptedModel(proposal(first_and(operation, row=row)), proposal(good))
    _, events = run_turn(user, script, on_table(table))

    assert path in correction_request(script)
    assert "operations[0]" not in correction_request(script)
    assert events[-1]["payload"]["custom_payload"]["data"] == good


@pytest.mark.parametrize("name", OF_ONE_OPERATION)
def test_operation_that_stays_faulty_cannot_be_applied(user: User, api: Any, name: str) -> None:
    operation, _ = OF_ONE_OPERATION[name]
    table = make_table(user)
    row = rows_of(api, table)[0]["id"]
    content = first_and(operation, row=row)
    turn, events = run_turn(user, ScriptedModel(proposal(content), proposal(content)), on_table(table))

    shown = events[-1]["payload"]["custom_payload"]
    url = f"/api/chat/payloads/{shown['id']}"
    preview = api.post(f"{url}/preview/", {"operations": "all"}).json()
    assert [each["state"] for each in preview["operations"]] == ["ok", "error"]
    assert api.post(f"{url}/apply/", {"operations": "all"}).status_code == 422
    assert rows_of(api, table)[0]["version"] == 1
    assert api.post(f"{url}/apply/", {"operations": [0]}).status_code == 200
    assert "cannot be applied until they are edited" in answer_of(turn).notes[0]


def test_faulty_value_can_be_applied_after_an_edit(user: User, api: Any) -> None:
    table = make_table(user)
    content = {"operations": [{"action": "add", "data": {"Company": "Acme", "Status": "Hired"}}]}
    _, events = run_turn(user, ScriptedModel(proposal(content), proposal(content)), on_table(table))

    url = f"/api/chat/payloads/{events[-1]['payload']['custom_payload']['id']}/apply/"
    assert api.post(url, {"operations": "all"}).status_code == 422
    assert api.post(url, {"operations": "all", "edits": {"0": {"Status": "Offer"}}}).status_code == 200


def test_proposal_of_the_wrong_mode_is_corrected(user: User) -> None:
    column = {"action": "add", "column": {"name": "Notes", "type": "text"}}
    create = {"mode": "create", "table_name": "T", "table_description": "D", "operations": [column], "sample_rows": []}
    texts = [f"SCHEMA_PROPOSAL: {json.dumps(each)}" for each in (create, {"mode": "update", "operations": [column]})]
    script = ScriptedModel(*[say(text) for text in texts])
    _, events = run_turn(user, script, on_table(make_table(user)))

    assert 'mode \\"update\\"' in correction_request(script)
    assert events[-1]["payload"]["custom_payload"]["data"]["mode"] == "update"


def test_change_of_columns_without_an_open_table_is_corrected(user: User) -> None:
    column = {"action": "add", "column": {"name": "Notes", "type": "text"}}
    create = {"mode": "create", "table_name": "T", "table_description": "D", "operations": [column], "sample_rows": []}
    change = {"mode": "update", "operations": [column]}
    script = ScriptedModel(*[say(f"Here. SCHEMA_PROPOSAL: {json.dumps(each)}") for each in (change, create)])
    nowhere = turn_request(page="tables_list", object_id="", context={"current_page": "tables_list"})
    _, events = run_turn(user, script, nowhere)

    assert 'mode \\"create\\"' in correction_request(script)
    assert events[-1]["payload"]["custom_payload"]["data"]["mode"] == "create"


def test_condition_without_matches_is_reported_without_a_correction(user: User) -> None:
    nothing = {"column": "Company", "op": "eq", "value": "Nobody"}
    script = ScriptedModel(proposal({"operations": [{"action": "delete", "where": nothing}]}))
    _, events = run_turn(user, script, on_table(make_table(user)))

    assert "There is nothing to change" in events[-1]["payload"]["message"]
    assert "unreadable" not in events[-1]["payload"]
    assert len(script.requests) == 1


def test_rows_are_sent_once_while_they_arrive(user: User) -> None:
    operations = [{"action": "add", "data": {"Company": f"Company {n}"}} for n in range(20)]
    text = f"Here. DATA_PROPOSAL: {json.dumps({'operations': operations})}"
    _, events = run_turn(user, ScriptedModel(say(text, sizes=(3, 1, 4))), on_table(make_table(user)))

    progress = [event for event in events if event["type"] == "payload_progress"]
    assert [each for event in progress for each in event["operations"]] == operations
    assert len([event for event in progress if event["operations"]]) == 20
    assert progress[-1]["count"] == 20
