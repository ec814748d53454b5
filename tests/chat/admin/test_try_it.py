"""Trials: one turn with an unsaved draft, in a sandbox, without effects."""
from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.models import Conversation, Message, Override, Payload, TokenUse, ToolCall, Turn
from chat.signals import user_update
from chatproject.retention import delete_expired
from tables.models import Row, Table
from tests.chat.admin.editors import FORM, LIBRARIAN, TRY, Editor
from tests.chat.admin.forms import filled
from tests.chat.stream_client import STREAM, turn_body
from tests.scripted_model import Gate, Reply, ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]


def sent_text(script: ScriptedModel) -> str:
    """Return everything that the last call sent to the model."""
    return json.dumps(script.requests[-1], ensure_ascii=False)


def test_draft_answers_and_is_not_saved(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Shh."))
    events = edda.tries(draft=LIBRARIAN)
    assert events[-1]["payload"]["message"] == "Shh."
    assert "You are a careful librarian." in sent_text(script)
    assert not Override.objects.exists()
    script.add(say("Hello."))
    with edda.browser.open("POST", STREAM, turn_body(context={"current_page": "tables_list"})) as stream:
        list(stream)
    assert "careful librarian" not in sent_text(script)


def test_error_is_in_english_like_the_admin(edda: Editor, script: ScriptedModel) -> None:
    script.add(Reply())
    [*_, final] = edda.tries()
    joining = {"Accept-Language": "de"}
    with edda.browser.open("GET", f"/api/chat/turns/{Turn.objects.get().pk}/stream/", **joining) as stream:
        assert list(stream)[-1] == final
    assert final["payload"]["message"] == "The model gave no answer. Please try again."


@pytest.mark.parametrize(("limit", "status", "max_tokens"), [("777", 200, [777]), ("many", 422, [])])
def test_limits_of_the_draft_apply(
    edda: Editor, script: ScriptedModel, limit: str, status: int, max_tokens: list[int]
) -> None:
    engine = reverse("admin:chat_configuration_entry", args=["engine", "all"])
    form = {**filled(edda.pages, engine, **{"field-max_tokens": limit}), "message": "Hello", "where": "table_view"}
    sent = urlencode({**form, "client_turn_id": str(uuid4())}, doseq=True).encode()
    script.add(say("Hello."))
    with edda.browser.open("POST", engine.replace("/edit/", "/try/"), sent, **FORM) as stream:
        list(stream)
    assert stream.response.status == status
    assert [request["max_tokens"] for request in script.requests] == max_tokens


@pytest.mark.parametrize(
    ("draft", "error"),
    [
        pytest.param({"field-tools": ["get_stars"]}, "get_stars", id="unknown tool"),
        pytest.param({"field-identity": "x" * 40_001}, "40,000 characters", id="too long"),
    ],
)
def test_invalid_draft_is_refused_before_the_model_is_called(
    edda: Editor, script: ScriptedModel, draft: Json, error: str
) -> None:
    status, answer = edda.refused(draft=draft)
    assert status == 422
    assert error in json.dumps(answer, ensure_ascii=False)
    assert script.requests == []
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status", "error"),
    [
        pytest.param({"message": " "}, 400, "a text of", id="no message"),
        pytest.param({"client_turn_id": "1"}, 400, "UUID", id="invalid id"),
        pytest.param({"where": "no_page"}, 422, "no page, tab or subtab “no_page”", id="unknown page"),
        pytest.param({"draft": {"field-enabled": ""}}, 404, "turned off", id="page disabled by the draft"),
    ],
)
def test_invalid_trial_is_refused(
    edda: Editor, script: ScriptedModel, fields: Json, status: int, error: str
) -> None:
    answered, answer = edda.refused(**fields)
    assert (answered, error in answer["detail"]) == (status, True)
    assert script.requests == []


def test_tools_read_the_example_which_is_deleted_afterwards(edda: Editor, script: ScriptedModel) -> None:
    script.add(use(("get_rows", {"filter": {"and": [{"column": "Company", "op": "eq", "value": "Acme"}]}})))
    script.add(say("One."))
    history = edda.tries()[-1]["payload"]["tool_history"]
    rows = json.loads(history[0]["output"])["rows"]
    assert [row["data"]["Company"] for row in rows] == ["Acme"]
    assert f'"row_id":{rows[0]["row_id"]}' in script.requests[0]["messages"][0]["content"][0]["text"].replace(" ", "")
    assert (Table.objects.count(), Row.objects.count()) == (0, 0)


def test_writing_tool_writes_nothing_and_the_model_gets_an_error(
    vera: Editor, script: ScriptedModel, recipes: int
) -> None:
    script.add(use(("create_row", {"data": {"Dish": "Soup"}})), say("Done."))
    vera.tries(person="ada", object=str(recipes))
    assert "Nothing was written" in sent_text(script)
    assert (Row.objects.count(), ToolCall.objects.count()) == (0, 0)


def test_proposal_is_shown_and_cannot_be_applied(edda: Editor, script: ScriptedModel) -> None:
    operations = [{"action": "update", "where": {"column": "Company", "op": "eq", "value": "Umbrella"},
                   "changes": {"Status": "Declined"}}]  # fmt: skip
    script.add(say(f"Like this. DATA_PROPOSAL: {json.dumps({'operations': operations})}"))
    shown = edda.tries()[-1]["payload"]["custom_payload"]
    assert (shown["status"], shown["counts"]["update"]) == ("shown", 1)
    assert not Payload.objects.filter(status="pending").exists()
    everything = {"operations": "all"}
    for endpoint, body in (("apply", everything), ("preview", everything), ("dismiss", {})):
        assert edda.browser.request("POST", f"/api/chat/payloads/{shown['id']}/{endpoint}/", body)[0] == 404
    assert edda.browser.request("GET", f"/api/chat/payloads/{shown['id']}/")[0] == 404


def test_next_message_continues_the_conversation_with_its_proposals(
    vera: Editor, script: ScriptedModel, recipes: int
) -> None:
    real = {"person": "ada", "object": str(recipes)}
    proposal = {"operations": [{"action": "add", "data": {"Dish": "Soup"}}]}
    script.add(say(f"Soup? DATA_PROPOSAL: {json.dumps(proposal)}"))
    first = vera.tries("A dish", **real)[-1]["payload"]
    own = {"conversation_id": first["conversation_id"]}
    script.add(use(("get_payload", {"payload_id": first["custom_payload"]["id"]})), say("Shh."))
    second = vera.tries("And now?", draft=LIBRARIAN, **real, **own)[-1]["payload"]
    assert second["conversation_id"] == first["conversation_id"]
    assert json.loads(second["tool_history"][0]["output"])["data"] == proposal
    assert "A dish" in sent_text(script)
    assert "You are a careful librarian." in sent_text(script)
    # The example is no way to read what the model saw of a user's table.
    assert vera.refused(object="", person="", **own)[1]["error"] == "conversation_elsewhere"
    assert vera.refused(where="tables_list", **own)[0] == 400
    assert Conversation.objects.count() == 1


def test_saved_configuration_answers_beside_the_draft(edda: Editor, vera: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    events = edda.tries(draft=LIBRARIAN, side="saved")
    assert "careful librarian" not in sent_text(script)
    others = {"conversation_id": events[-1]["payload"]["conversation_id"]}
    assert vera.refused(**others)[0] == 404
    assert Conversation.objects.count() == 1


def test_sandbox_is_not_listed_among_conversations(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    final = edda.tries()[-1]["payload"]
    conversation_id, turn_id = final["conversation_id"], final["turn_id"]
    assert edda.browser.request("GET", "/api/chat/conversations/")[1]["conversations"] == []
    for path in (f"conversations/{conversation_id}/", f"conversations/{conversation_id}/messages/"):
        assert edda.browser.request("GET", f"/api/chat/{path}")[0] == 404
    here = {"current_page": "tables_list"}
    for going_on in ({"conversation_id": conversation_id}, {"retry_of": turn_id, "message": ""}):
        assert edda.browser.request("POST", STREAM, turn_body(context=here, **going_on))[0] == 404
    assert Turn.objects.count() == 1


@pytest.fixture
def page_events() -> Iterator[list[Json]]:
    """The events that are sent to open pages."""
    error: list[Json] = []

    def record(**sent_text: Any) -> None:
        error.append(sent_text["body"])

    user_update.connect(record)
    yield error
    user_update.disconnect(record)


def test_trial_sends_no_event_to_open_pages(edda: Editor, script: ScriptedModel, page_events: list[Json]) -> None:
    script.add(say("Hello."))
    edda.tries()
    assert page_events == []


def test_tokens_count_for_the_editor(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    edda.tries()
    assert TokenUse.objects.get().user == edda.user
    assert TokenUse.objects.get().tokens > 100


def test_budget_of_the_editor_applies(edda: Editor, script: ScriptedModel) -> None:
    TokenUse.objects.create(user=edda.user, day=timezone.now().date(), tokens=10**9)
    assert edda.tries()[-1]["code"] == "budget_exhausted"
    assert script.requests == []


def test_interrupted_stream_is_resumed(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    sent = edda.form()
    with edda.browser.open("POST", TRY, sent, **FORM) as stream:
        events = list(stream)
    with edda.browser.open("GET", f"/api/chat/turns/{events[0]['turn_id']}/stream/?after=1") as stream:
        assert list(stream) == events[1:]
    with edda.browser.open("POST", TRY, sent, **FORM) as stream:
        assert list(stream) == events
    assert len(script.requests) == 1


def test_trial_is_stopped_like_any_turn(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("One two three", sizes=(4,), gate=Gate(), gate_after=2))
    with edda.browser.open("POST", TRY, edda.form(), **FORM) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        edda.browser.request("POST", f"/api/chat/turns/{turn_id}/cancel/", {})
        assert [event["type"] for event in stream][-1] == "cancelled"


def test_trial_is_deleted_after_a_day(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."), say("Hello."))
    edda.tries()
    with edda.browser.open("POST", STREAM, turn_body(context={"current_page": "tables_list"})) as stream:
        list(stream)
    now = timezone.now()
    delete_expired(now=now + timedelta(hours=23), pause=lambda seconds: None)
    assert Conversation.objects.count() == 2
    delete_expired(now=now + timedelta(hours=25), pause=lambda seconds: None)
    assert [conversation.sandbox for conversation in Conversation.objects.all()] == [False]
    assert Message.objects.count() == 2
