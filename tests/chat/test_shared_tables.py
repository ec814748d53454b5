"""The chat of a shared table: the assistant has the rights of the user, and losing access hides the conversations."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.agent.tools import ToolContext, tools
from chat.exceptions import ToolFailure
from chat.models import Payload
from chat.proposals import ProposalContext
from chat.services import TurnRequest
from chat.turns.answering.answer import check_payload
from tests.captured_queries import CapturedQueries
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.chat.turns.turn_runs import run_turn, text_of
from tests.conftest import Api
from tests.scripted_model import ScriptedModel, say, use
from tests.tables.shared_table import make_table, share

pytestmark = pytest.mark.django_db

DATA = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}
ALL = {"operations": "all"}


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def turn_request(table: str, message: str = "Add one") -> TurnRequest:
    number = table.split("/")[-2]
    context = {"current_page": "table_view", "table_id": int(number)}
    return TurnRequest(
        client_turn_id=uuid4(), page="table_view", object_id=number, context=context, message=message
    )


@pytest.fixture
def pending_proposal(api: Api, other_api: Api, other_user: User, table: str) -> Payload:
    """A pending proposal of an editor."""
    share(api, table, other_api, role="editor")
    turn = running_turn(other_user, turn_request(table))
    context = ProposalContext(user=other_user, page="table_view", object_id=turn.conversation.object_id)
    outcome = check_payload({"type": "data_proposal", "data": DATA}, source="llm", context=context)
    assert outcome.record is not None, outcome.fault
    finish_turn(turn, payloads=(outcome.record,))
    return Payload.objects.get()


def test_editor_applies_a_proposal(other_api: Api, table: str, pending_proposal: Payload) -> None:
    assert other_api.post(f"/api/chat/payloads/{pending_proposal.pk}/preview/", ALL).status_code == 200
    assert other_api.post(f"/api/chat/payloads/{pending_proposal.pk}/apply/", ALL).status_code == 200
    assert other_api.get(f"{table}rows/").json()["count"]["value"] == 3
    assert other_api.get(f"{table}changes/").json()["changes"][0]["actor"] == "grace"


@pytest.mark.parametrize("entry", ["preview", "apply"])
def test_viewer_cannot_apply_a_proposal(
    api: Api, other_api: Api, table: str, pending_proposal: Payload, entry: str
) -> None:
    share(api, table, other_api, role="viewer")
    answer = other_api.post(f"/api/chat/payloads/{pending_proposal.pk}/{entry}/", ALL)
    assert (answer.status_code, answer.json()["detail"]) == (403, "You can view this table, but not change it.")
    assert api.get(f"{table}rows/").json()["count"]["value"] == 2
    pending_proposal.refresh_from_db()
    assert pending_proposal.status == "pending"
    assert other_api.post(f"/api/chat/payloads/{pending_proposal.pk}/dismiss/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_assistant_of_a_viewer_has_no_writing_tools(
    api: Api, other_api: Api, other_user: User, table: str
) -> None:
    share(api, table, other_api, role="viewer")
    script = ScriptedModel(say(f"One more.\n\nDATA_PROPOSAL: {json.dumps(DATA)}"))
    _, events = run_turn(other_user, script, turn_request(table))
    request = script.requests[0]
    offered = {tool["name"] for tool in request["tools"]}
    assert {"get_rows", "search_rows"} <= offered
    assert not {"create_row", "update_row", "delete_row"} & offered
    assert "DATA_PROPOSAL: {" not in str(request["system"])
    assert "shared with the user for reading only" in str(request["messages"])
    assert events[-1].get("custom_payload") is None
    assert not Payload.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_unavailable_tool_writes_nothing_for_a_viewer(
    api: Api, other_api: Api, other_user: User, table: str
) -> None:
    share(api, table, other_api, role="viewer")
    script = ScriptedModel(use(("create_row", {"data": {"Company": "Crux"}})), say("I may not."))
    _, events = run_turn(other_user, script, turn_request(table))
    assert text_of(events).endswith("I may not.")
    assert api.get(f"{table}rows/").json()["count"]["value"] == 2


@pytest.mark.parametrize("role", ["viewer", None])
def test_tools_lose_a_right_that_ends_during_a_turn(
    api: Api, other_api: Api, other_user: User, table: str, role: str | None
) -> None:
    share(api, table, other_api, role="editor")
    context = ToolContext(page="table_view", object_id=table.split("/")[-2])
    tool = tools.get("create_row")
    assert tool is not None
    tool.executor({"data": {"Company": "Crux"}}, user=other_user, context=context)
    if role:
        share(api, table, other_api, role=role)
    else:
        api.delete(f"{table}members/grace/")
    with pytest.raises(ToolFailure, match="not change it" if role else "Table not found"):
        tool.executor({"data": {"Company": "Dune"}}, user=other_user, context=context)
    assert api.get(f"{table}rows/").json()["count"]["value"] == 3


def test_page_offers_no_proposals_to_a_viewer(api: Api, other_api: Api, table: str) -> None:
    number = table.split("/")[-2]
    page = "/api/chat/pages/table_view/"
    assert [other_api.get(page, **{name: number}).status_code for name in ("object_id", "table")] == [404, 404]
    share(api, table, other_api, role="viewer")
    offered = other_api.get(page, table=number).json()
    assert [kind for kind in offered["payload_types"] if kind["is_proposal"]] == []
    assert api.get(page, table=number).json()["payload_types"] != []


ENTRIES: dict[str, Callable[[Api, Payload], Any]] = {
    "conversation": lambda api, payload: api.get(f"/api/chat/conversations/{payload.conversation_id}/"),
    "messages": lambda api, payload: api.get(f"/api/chat/conversations/{payload.conversation_id}/messages/"),
    "rename": lambda api, payload: api.patch(f"/api/chat/conversations/{payload.conversation_id}/", {"title": "x"}),
    "turn": lambda api, payload: api.get(f"/api/chat/turns/{payload.turn_id}/"),
    "payload": lambda api, payload: api.get(f"/api/chat/payloads/{payload.pk}/"),
    "operations": lambda api, payload: api.get(f"/api/chat/payloads/{payload.pk}/operations/"),
    "apply": lambda api, payload: api.post(f"/api/chat/payloads/{payload.pk}/apply/", ALL),
    "dismiss": lambda api, payload: api.post(f"/api/chat/payloads/{payload.pk}/dismiss/"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_user_without_access_finds_no_part_of_the_conversation(
    api: Api, other_api: Api, table: str, pending_proposal: Payload, entry: str
) -> None:
    assert ENTRIES[entry](other_api, pending_proposal).status_code == 200
    pending_proposal.status = "pending"
    pending_proposal.save()
    api.delete(f"{table}members/grace/")
    assert ENTRIES[entry](other_api, pending_proposal).status_code == 404


def test_conversations_are_listed_only_while_the_table_is_accessible(
    api: Api, other_api: Api, table: str, pending_proposal: Payload
) -> None:
    def listed() -> list[str]:
        return [each["id"] for each in other_api.get("/api/chat/conversations/").json()["conversations"]]

    assert listed() == [str(pending_proposal.conversation_id)]
    api.delete(f"{table}members/grace/")
    assert listed() == []
    share(api, table, other_api, role="viewer")
    assert listed() == [str(pending_proposal.conversation_id)]


def test_members_do_not_see_conversations_of_others(api: Api, table: str, pending_proposal: Payload) -> None:
    assert api.get("/api/chat/conversations/").json()["conversations"] == []
    assert api.get(f"/api/chat/payloads/{pending_proposal.pk}/").status_code == 404


def test_table_in_the_trash_keeps_the_conversations_of_its_owner(api: Api, user: User, table: str) -> None:
    turn = running_turn(user, turn_request(table))
    api.delete(table)
    assert api.get(f"/api/chat/conversations/{turn.conversation_id}/").status_code == 200


def test_list_has_constant_queries(
    api: Api, other_api: Api, other_user: User, table: str, pending_proposal: Payload
) -> None:
    with CapturedQueries() as one:
        other_api.get("/api/chat/conversations/")
    for number in range(3):
        more = make_table(api, name=f"Table {number}")
        share(api, more, other_api, role="viewer")
        running_turn(other_user, turn_request(more))
    with CapturedQueries() as many:
        assert len(other_api.get("/api/chat/conversations/").json()["conversations"]) == 4
    assert len(many) == len(one)
