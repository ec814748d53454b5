"""A table that is deleted or no longer shared during an answer: the user gets the reason."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Payload
from tests.chat.stream_client import STREAM, Browser
from tests.conftest import Api
from tests.scripted_model import Gate, Reply, ScriptedModel, say, use
from tests.tables.shared_table import make_table, share

pytestmark = pytest.mark.django_db(transaction=True)

TABLE_DELETED = "This table was deleted or is no longer shared with you. Nothing has changed."
READ_ONLY = "You can view this table, but not change it. Nothing is proposed."
ROWS = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}
COLUMNS = {"mode": "update", "operations": [{"action": "add", "column": {"name": "Due", "type": "date"}}]}
PROPOSALS = {"rows": f"DATA_PROPOSAL: {json.dumps(ROWS)}", "columns": f"SCHEMA_PROPOSAL: {json.dumps(COLUMNS)}"}

Json = dict[str, Any]


def turn_body(table: str, **fields: Any) -> Json:
    number = int(table.split("/")[-2])
    return {"message": "Go on", "context": {"current_page": "table_view", "table_id": number}, **fields}


def run_turn(browser: Browser, body: Json) -> list[Json]:
    with browser.open("POST", STREAM, body) as stream:
        return list(stream)


def run_turn_while(
    browser: Browser, body: Json, *, script: ScriptedModel, reply: Reply, lose: Callable[[], Any]
) -> Any:
    """Return the `complete` event of a turn during which this happens after the first text of the model."""
    gate = Gate()
    script.add(reply.but(sizes=(3,), gate=gate, gate_after=1))
    with browser.open("POST", STREAM, body) as stream:
        stream.until("text_delta")
        lose()
        gate.open()
        final = list(stream)[-1]
    assert final["type"] == "complete"
    return final["payload"]


@pytest.mark.parametrize("kind", PROPOSALS)
def test_proposal_for_a_table_in_the_trash_ends_with_the_reason(
    browser: Browser, api: Api, script: ScriptedModel, kind: str
) -> None:
    table = make_table(api)

    reply = say(f"Here.\n\n{PROPOSALS[kind]}")
    shown = run_turn_while(browser, turn_body(table), script=script, reply=reply, lose=lambda: api.delete(table))

    assert shown["message"] == f"Here.\n\n{TABLE_DELETED}"
    assert not {"custom_payload", "unreadable", "warning"} & set(shown)
    assert not Payload.objects.exists()
    # No correction was requested, because none is possible.
    assert len(script.requests) == 1


def test_conversation_goes_on_after_the_table_is_restored(browser: Browser, api: Api, script: ScriptedModel) -> None:
    table = make_table(api)
    reply = say(f"Here.\n\n{PROPOSALS['rows']}")
    details = run_turn_while(browser, turn_body(table), script=script, reply=reply, lose=lambda: api.delete(table))
    more = turn_body(table, conversation_id=details["conversation_id"])

    status, refused, _ = browser.request("POST", STREAM, more)
    api.post(f"{table}restore/")
    script.add(say(f"Again.\n\n{PROPOSALS['rows']}"))
    final = run_turn(browser, more)[-1]["payload"]

    assert (status, refused["error"]) == (404, "not_found")
    assert final["custom_payload"]["status"] == "pending"
    assert "The DATA_PROPOSAL you wrote was not shown:" in json.dumps(script.requests[-1]["messages"])
    assert script.problems == []


@pytest.mark.parametrize(("role", "sentence"), [(None, TABLE_DELETED), ("viewer", READ_ONLY)])
def test_proposal_of_a_user_without_the_right_ends_with_the_reason(
    live_server_url: str,
    api: Api,
    other_api: Api,
    other_user: User,
    script: ScriptedModel,
    role: str | None,
    sentence: str,
) -> None:
    table = make_table(api)
    share(api, table, other_api, role="editor")

    def lose() -> None:
        if role is None:
            api.delete(f"{table}members/grace/")
        else:
            share(api, table, other_api, role=role)

    browser = Browser(live_server_url, other_user)
    reply = say(f"Here.\n\n{PROPOSALS['rows']}")
    shown = run_turn_while(browser, turn_body(table), script=script, reply=reply, lose=lose)

    assert shown["message"] == f"Here.\n\n{sentence}"
    assert not Payload.objects.exists()
    messages = f"/api/chat/conversations/{shown['conversation_id']}/messages/"
    assert other_api.get(messages).status_code == (200 if role else 404)


@pytest.mark.parametrize("tool", ["get_rows", "create_row"])
def test_tool_without_a_table_fails_and_the_model_answers(
    browser: Browser, api: Api, script: ScriptedModel, tool: str
) -> None:
    table = make_table(api)
    params = {"data": {"Company": "Crux"}} if tool == "create_row" else {}

    gate = Gate()
    script.add(use((tool, params), text="Let me see. ", gate=gate, gate_after=1), say("The table is gone."))
    with browser.open("POST", STREAM, turn_body(table)) as stream:
        stream.until("text_delta")
        api.delete(table)
        gate.open()
        final = list(stream)[-1]["payload"]

    (called,) = final["tool_history"]
    assert (called["is_error"], called["output"]) == (True, "Table not found.")
    assert final["message"].endswith("The table is gone.")
    api.post(f"{table}restore/")
    assert api.get(f"{table}rows/").json()["count"]["value"] == 2
    assert script.problems == []
