"""Try it: one turn by a draft that is not saved, in a sandbox: as real as any, and nothing comes of it."""
from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Conversation, Message, Override, Payload, TokenUse, ToolCall, Turn
from chat.signals import news
from chatproject.retention import tidy
from tables.models import Row, Table
from tests.chat.admin.forms import filled
from tests.chat.browserlike import STREAM, Browser, wish
from tests.scripted import Gate, ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)

TRY = reverse("admin:chat_configuration_entry_try", args=["page", "table_view"])
EDIT = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
ANY = reverse("admin:chat_configuration_try")
LIBRARIAN = {"field-identity": "You are a careful librarian."}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/event-stream"}

Json = dict[str, Any]


def staff(name: str, *rights: str) -> User:
    person = User.objects.create(username=name, is_staff=True)
    person.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return person


class Editor:
    """Somebody at the admin's pages, in a browser at a real server."""

    def __init__(self, address: str, user: User) -> None:
        self.user = user
        self.browser = Browser(address, user)
        self.pages = Client()
        self.pages.force_login(user)

    def form(self, message: str = "Hello", *, draft: Json | None = None, **fields: Any) -> bytes:
        """What the page of the persona sends, with this typed there."""
        sent = {**filled(self.pages, EDIT, **(draft or {})), "message": message, "where": "table_view", **fields}
        return urlencode({"client_turn_id": str(uuid4()), **sent}, doseq=True).encode()

    def tries(self, message: str = "Hello", **fields: Any) -> list[Json]:
        """The events of a turn that was tried."""
        with self.browser.open("POST", TRY, self.form(message, **fields), **FORM) as stream:
            assert stream.response.status == 200
            return list(stream)

    def refused(self, message: str = "Hello", *, address: str = TRY, **fields: Any) -> tuple[int, Json]:
        status, answer, _ = self.browser.ask("POST", address, self.form(message, **fields), **FORM)
        return status, answer


@pytest.fixture
def edda(live_server_url: str) -> Editor:
    """May tune the assistant, and nothing else."""
    return Editor(live_server_url, staff("edda", "tune_assistant"))


@pytest.fixture
def vera(live_server_url: str) -> Editor:
    """May also look with anybody's tables."""
    return Editor(live_server_url, staff("vera", "tune_assistant", "view_any_table"))


@pytest.fixture
def recipes(user: User, api: Any) -> int:
    """A table of ada's."""
    table = api.post("/api/tables/", {"name": "Secret recipes", "columns": [{"name": "Dish", "type": "text"}]}).json()
    return int(table["id"])


def told(script: ScriptedModel) -> str:
    """All that the model was sent with the last call."""
    return json.dumps(script.requests[-1], ensure_ascii=False)


def test_the_draft_answers_and_is_saved_nowhere(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Shh."))
    events = edda.tries(draft=LIBRARIAN)
    assert events[-1]["payload"]["message"] == "Shh."
    assert "You are a careful librarian." in told(script)
    assert not Override.objects.exists()
    script.add(say("Hello."))
    with edda.browser.open("POST", STREAM, wish(context={"current_page": "tables_list"})) as stream:
        list(stream)
    assert "careful librarian" not in told(script)


@pytest.mark.parametrize(("limit", "status", "asked"), [("777", 200, [777]), ("many", 422, [])])
def test_limits_of_the_draft_hold_for_it(
    edda: Editor, script: ScriptedModel, limit: str, status: int, asked: list[int]
) -> None:
    engine = reverse("admin:chat_configuration_entry", args=["engine", "all"])
    form = {**filled(edda.pages, engine, **{"field-max_tokens": limit}), "message": "Hello", "where": "table_view"}
    sent = urlencode({**form, "client_turn_id": str(uuid4())}, doseq=True).encode()
    script.add(say("Hello."))
    with edda.browser.open("POST", engine.replace("/edit/", "/try/"), sent, **FORM) as stream:
        list(stream)
    assert stream.response.status == status
    assert [request["max_tokens"] for request in script.requests] == asked


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        pytest.param({"field-tools": ["get_stars"]}, "get_stars", id="a tool that is not there"),
        pytest.param({"field-identity": "x" * 40_001}, "40,000 characters", id="too long"),
    ],
)
def test_a_draft_that_could_not_be_saved_is_told_before_anything_is_asked(
    edda: Editor, script: ScriptedModel, draft: Json, said: str
) -> None:
    status, answer = edda.refused(draft=draft)
    assert status == 422
    assert said in json.dumps(answer, ensure_ascii=False)
    assert script.requests == []
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        pytest.param({"message": " "}, 400, "A message of", id="no message"),
        pytest.param({"client_turn_id": "1"}, 400, "UUID", id="no id"),
        pytest.param({"where": "no_page"}, 404, "There is no such page.", id="no such page"),
        pytest.param({"draft": {"field-enabled": ""}}, 404, "switched off", id="a page the draft switches off"),
    ],
)
def test_what_cannot_be_tried_is_said(
    edda: Editor, script: ScriptedModel, fields: Json, status: int, said: str
) -> None:
    answered, answer = edda.refused(**fields)
    assert (answered, said in answer["detail"]) == (status, True)
    assert script.requests == []


def test_tools_read_the_example_which_is_there_for_nobody_afterwards(edda: Editor, script: ScriptedModel) -> None:
    script.add(use(("get_rows", {"filter": {"and": [{"column": "Company", "op": "eq", "value": "Acme"}]}})))
    script.add(say("One."))
    history = edda.tries()[-1]["payload"]["tool_history"]
    rows = json.loads(history[0]["output"])["rows"]
    assert [row["data"]["Company"] for row in rows] == ["Acme"]
    assert f'"row_id":{rows[0]["row_id"]}' in script.requests[0]["messages"][0]["content"][0]["text"].replace(" ", "")
    assert (Table.objects.count(), Row.objects.count()) == (0, 0)


def test_a_tool_that_writes_writes_nothing_and_the_model_is_told(
    vera: Editor, script: ScriptedModel, recipes: int
) -> None:
    script.add(use(("create_row", {"data": {"Dish": "Soup"}})), say("Done."))
    vera.tries(person="ada", object=str(recipes))
    assert "Nothing was written" in told(script)
    assert (Row.objects.count(), ToolCall.objects.count()) == (0, 0)


def test_a_proposal_is_shown_and_cannot_be_applied(edda: Editor, script: ScriptedModel) -> None:
    operations = [{"action": "update", "where": {"column": "Company", "op": "eq", "value": "Umbrella"},
                   "changes": {"Status": "Declined"}}]  # fmt: skip
    script.add(say(f"Like this. DATA_PROPOSAL: {json.dumps({'operations': operations})}"))
    shown = edda.tries()[-1]["payload"]["custom_payload"]
    assert (shown["status"], shown["counts"]["update"]) == ("shown", 1)
    assert not Payload.objects.filter(status="pending").exists()
    everything = {"operations": "all"}
    for what, body in (("apply", everything), ("preview", everything), ("dismiss", {})):
        assert edda.browser.ask("POST", f"/api/chat/payloads/{shown['id']}/{what}/", body)[0] == 404
    assert edda.browser.ask("GET", f"/api/chat/payloads/{shown['id']}/")[0] == 404


def test_the_sandbox_is_not_among_the_persons_conversations(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    final = edda.tries()[-1]["payload"]
    conversation_id, turn_id = final["conversation_id"], final["turn_id"]
    assert edda.browser.ask("GET", "/api/chat/conversations/")[1]["conversations"] == []
    for path in (f"conversations/{conversation_id}/", f"conversations/{conversation_id}/messages/"):
        assert edda.browser.ask("GET", f"/api/chat/{path}")[0] == 404
    here = {"current_page": "tables_list"}
    for going_on in ({"conversation_id": conversation_id}, {"retry_of": turn_id, "message": ""}):
        assert edda.browser.ask("POST", STREAM, wish(context=here, **going_on))[0] == 404
    assert Turn.objects.count() == 1


@pytest.fixture
def heard() -> Iterator[list[Json]]:
    """What open pages are told."""
    said: list[Json] = []

    def hear(**told: Any) -> None:
        said.append(told["body"])

    news.connect(hear)
    yield said
    news.disconnect(hear)


def test_no_open_page_hears_of_it(edda: Editor, script: ScriptedModel, heard: list[Json]) -> None:
    script.add(say("Hello."))
    edda.tries()
    assert heard == []


def test_its_tokens_count_as_the_editors(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    edda.tries()
    assert TokenUse.objects.get().user == edda.user
    assert TokenUse.objects.get().tokens > 100


def test_the_editors_budget_bounds_it(edda: Editor, script: ScriptedModel) -> None:
    TokenUse.objects.create(user=edda.user, day=timezone.now().date(), tokens=10**9)
    assert edda.tries()[-1]["code"] == "budget_exhausted"
    assert script.requests == []


def test_its_trace_is_for_the_editor_alone_and_while_they_may_tune(
    edda: Editor, vera: Editor, script: ScriptedModel
) -> None:
    script.add(say("Hello."))
    turn_id = edda.tries(draft=LIBRARIAN)[-1]["payload"]["turn_id"]
    address = f"/api/chat/turns/{turn_id}/trace/"
    status, trace, _ = edda.browser.ask("GET", address)
    assert status == 200
    assert "careful librarian" in trace["sections"][1]["text"]
    assert vera.browser.ask("GET", address)[0] == 404
    edda.user.user_permissions.clear()
    assert edda.browser.ask("GET", address)[0] == 404
    assert edda.browser.ask("GET", f"/api/chat/turns/{turn_id}/stream/")[0] == 404


def test_a_stream_that_broke_is_joined_again(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."))
    sent = edda.form()
    with edda.browser.open("POST", TRY, sent, **FORM) as stream:
        events = list(stream)
    with edda.browser.open("GET", f"/api/chat/turns/{events[0]['turn_id']}/stream/?after=1") as stream:
        assert list(stream) == events[1:]
    with edda.browser.open("POST", TRY, sent, **FORM) as stream:
        assert list(stream) == events
    assert len(script.requests) == 1


def test_it_is_stopped_like_any_turn(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("One two three", sizes=(4,), gate=Gate(), gate_after=2))
    with edda.browser.open("POST", TRY, edda.form(), **FORM) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        edda.browser.ask("POST", f"/api/chat/turns/{turn_id}/cancel/", {})
        assert [event["type"] for event in stream][-1] == "cancelled"


def test_without_the_right_nobodys_data_is_asked_for(
    edda: Editor, script: ScriptedModel, recipes: int
) -> None:
    for fields in ({"person": "ada"}, {"object": str(recipes)}):
        assert edda.refused(**fields)[0] == 403
    assert script.requests == []
    assert not LogEntry.objects.exists()


def test_with_the_right_it_is_a_persons_own_table_and_recorded(
    vera: Editor, script: ScriptedModel, recipes: int
) -> None:
    script.add(use(("describe_table", {})), say("Recipes."))
    events = vera.tries(person="ada", object=str(recipes))
    assert "Secret recipes" in events[-1]["payload"]["tool_history"][0]["output"]
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_repr) == (vera.user, f"Prompt of table_view, {recipes} as ada")
    assert entry.change_message.startswith("Tried a draft")
    assert Conversation.objects.get().user == vera.user
    trace = f"/api/chat/turns/{events[0]['turn_id']}/trace/"
    assert vera.browser.ask("GET", trace)[0] == 200
    vera.user.user_permissions.remove(Permission.objects.get(codename="view_any_table"))
    assert vera.browser.ask("GET", trace)[0] == 404


def test_what_a_person_may_not_see_is_not_seen_as_them(vera: Editor, script: ScriptedModel, recipes: int) -> None:
    User.objects.create(username="otto")
    assert vera.refused(person="otto", object=str(recipes))[0] == 404
    assert vera.refused(person="nobody")[0] == 400
    assert script.requests == []


@pytest.mark.parametrize("who", ["staff without the right", "somebody with the right who is no staff"])
def test_nobody_else_tries_anything(live_server_url: str, edda: Editor, script: ScriptedModel, who: str) -> None:
    eve = staff("eve", *(["tune_assistant"] if "with the" in who else []))
    User.objects.filter(pk=eve.pk).update(is_staff="no staff" not in who)
    browser, sent = Browser(live_server_url, eve), edda.form()
    for address in (TRY, ANY):
        assert browser.ask("POST", address, sent, **FORM)[0] == 403
    assert Browser(live_server_url).ask("POST", TRY, sent, **FORM)[0] == 403
    assert script.requests == []


def test_a_foreign_page_cannot_make_an_editor_try(live_server_url: str, edda: Editor, script: ScriptedModel) -> None:
    with Browser(live_server_url, edda.user, csrf=False).open("POST", TRY, edda.form(), **FORM) as stream:
        assert stream.response.status == 403
    assert script.requests == []


def test_it_is_gone_after_a_day(edda: Editor, script: ScriptedModel) -> None:
    script.add(say("Hello."), say("Hello."))
    edda.tries()
    with edda.browser.open("POST", STREAM, wish(context={"current_page": "tables_list"})) as stream:
        list(stream)
    now = timezone.now()
    tidy(now=now + timedelta(hours=23), pause=lambda seconds: None)
    assert Conversation.objects.count() == 2
    tidy(now=now + timedelta(hours=25), pause=lambda seconds: None)
    assert [conversation.sandbox for conversation in Conversation.objects.all()] == [False]
    assert Message.objects.count() == 2
