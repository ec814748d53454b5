"""The whole prompt before a change is saved: what a turn would send, by example, or recorded with a person's data."""
from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.configuration import Address
from chat.models import Override
from chat.services.configuration import Edit, change_configuration
from tests.chat.admin.forms import filled
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answered
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

TOOL = reverse("admin:chat_configuration_entry_preview", args=["tool", "get_rows"])
PAGE = reverse("admin:chat_configuration_entry_preview", args=["page", "table_view"])
SNAIL = {"field-description": "Reads rows like a snail."}
ANY = reverse("admin:chat_configuration_preview")


@pytest.fixture
def looker() -> Client:
    """Staff who may tune the assistant, and look at prompts with anybody's tables."""
    person = User.objects.create(username="vera", is_staff=True)
    rights = Permission.objects.filter(codename__in=["tune_assistant", "view_any_table"])
    person.user_permissions.set(rights)
    client = Client()
    client.force_login(person)
    return client


def typed(client: Client, **fields: Any) -> HttpResponse:
    """The preview from the page of the tool, after this was typed there."""
    return client.post(TOOL, filled(client, TOOL.replace("/preview/", "/edit/"), **fields))


def sections(answer: HttpResponse) -> dict[str, Any]:
    seen: Any = answer.context  # type: ignore[attr-defined]
    return {section.title: section for section in seen["preview"].sections}


def declared_tools(answer: HttpResponse) -> Any:
    """The section with the tools as they are declared in a request."""
    seen: Any = answer.context  # type: ignore[attr-defined]
    return next(section for section in seen["preview"].beside if section.title == "Tool declarations")


def test_what_is_not_saved_yet_stands_in_the_prompt_and_nothing_is_stored(editor: Client) -> None:
    answer = typed(editor, **SNAIL)
    assert answer.status_code == 200
    assert "Reads rows like a snail." in declared_tools(answer).text
    assert declared_tools(answer).unsaved
    assert not any(section.unsaved for section in sections(answer).values())
    page = answer.content.decode()
    assert "Unsaved" in page
    assert "Reads rows like a snail." in page
    assert not Override.objects.exists()


def test_what_was_changed_before_is_marked_as_that(editor: Client) -> None:
    edit = Edit(Address("page", "table_view"), {"identity": "Be a careful librarian."})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    told = sections(typed(editor, **SNAIL, where="table_view"))
    assert told["This page"].text == "Be a careful librarian."
    assert (told["This page"].changed, told["This page"].unsaved) == (True, False)
    assert (told["Assistant"].changed, told["Assistant"].unsaved) == (False, False)


def test_every_section_has_its_number_of_tokens(editor: Client) -> None:
    answer = editor.get(PAGE)
    told = sections(answer)
    assert list(told) == ["Assistant", "This page", "Current context", "Capabilities", "Help", "Format"]
    assert all(section.tokens > 10 for section in told.values())
    seen: Any = answer.context
    assert seen["preview"].tokens == sum(s.tokens for s in told.values()) + sum(n for _, n in seen["preview"].tools)
    assert f"≈ {told['Help'].tokens} tokens" in answer.content.decode()


@pytest.mark.usefixtures("notes")
def test_the_preview_is_what_a_turn_then_sends(looker: Client, user: User) -> None:
    script = ScriptedModel(say("Hello."))
    answered(user, script, wish())
    [request] = script.requests
    where = {"where": "notes", "person": user.username, "object": "7"}
    told = sections(looker.post(ANY, where))
    context = told.pop("Current context").text
    assert [f"# {title}\n\n{section.text}" for title, section in told.items()] == [s["text"] for s in request["system"]]
    sent = request["messages"][-1]["content"][0]["text"]
    assert context.partition("<data")[0] == sent.partition("<data")[0]
    assert json.loads(context.split("\n")[-2]) == json.loads(sent.split("\n")[-2])


@pytest.mark.usefixtures("notes")
def test_a_tab_brings_its_words(editor: Client) -> None:
    assert "Be plain." in sections(editor.post(ANY, {"where": "notes/plain"}))["This page"].text
    assert "Be plain." not in sections(editor.post(ANY, {"where": "notes"}))["This page"].text


def test_what_cannot_be_used_is_said_and_the_default_stands(editor: Client) -> None:
    answer = typed(editor, **{"field-description": ""})
    assert "cannot be empty" in answer.content.decode()
    assert "Read rows of the open table" in declared_tools(answer).text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"field-order": "first"}, "whole number", id="a field that cannot be read"),
        pytest.param({"where": "no_page"}, "Page not found.", id="a page that is not there"),
    ],
)
def test_what_cannot_be_shown_is_said(editor: Client, fields: dict[str, str], said: str) -> None:
    answer = typed(editor, **fields)
    assert (answer.status_code, said in answer.content.decode()) == (422, True)


def test_a_page_that_is_switched_off_is_said_to_be(editor: Client) -> None:
    form = filled(editor, PAGE.replace("/preview/", "/edit/"))
    del form["field-enabled"]
    assert "turned off on this page" in editor.post(PAGE, form).content.decode()


def test_back_to_editing_and_everything_is_as_it_was_typed(editor: Client) -> None:
    form = {"field-identity": "\nBe kind.\r\n", "field-tools": ["get_rows"], "field-enabled": "on", "why": "Kinder"}
    kept: Any = editor.post(PAGE, {**form, "seen": "0", "where": "tables_list"}).context["hidden_fields"]
    fields: dict[str, list[str]] = {}
    for name, value in kept:
        fields.setdefault(name, []).append(value)
    assert fields == {"field-identity": ["\nBe kind.\r\n"], "field-tools": ["get_rows"], "field-enabled": ["on"]} | {
        "why": ["Kinder"], "seen": ["0"]
    }  # fmt: skip
    edit = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
    again = editor.post(edit, {**fields, "again": "yes"})
    assert again.status_code == 200
    boxes = {box["name"]: box for box in again.context["fields"]}
    assert boxes["field-identity"]["text"] == "\nBe kind.\r\n"
    assert [name for name, chosen in boxes["field-tools"]["choices"] if chosen] == ["get_rows"]
    assert (again.context["why"], again.context["seen"]) == ("Kinder", 0)
    assert not Override.objects.exists()


def test_without_the_right_the_example_stands_there_and_nobodys_data(editor: Client) -> None:
    for where in ("table_view", "table_edit", "tables_list"):
        assert "Job applications" in sections(editor.post(ANY, {"where": where}))["Current context"].text
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("fields", [{"person": "ada"}, {"object": "1"}])
def test_whoever_asks_for_data_without_the_right_gets_none(editor: Client, user: User, fields: dict[str, str]) -> None:
    assert editor.post(ANY, {"where": "tables_list", **fields}).status_code == 403


def test_a_look_with_a_persons_own_table_is_recorded_twice(
    looker: Client, user: User, api: Any, caplog: pytest.LogCaptureFixture
) -> None:
    table = api.post("/api/tables/", {"name": "Secret recipes", "columns": [{"name": "Dish", "type": "text"}]}).json()
    with caplog.at_level(logging.INFO, logger="chat"):
        answer = looker.post(ANY, {"where": "table_view", "person": "ada", "object": str(table["id"])})
    assert "Secret recipes" in sections(answer)["Current context"].text
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.object_repr) == ("vera", f"Prompt of table_view, {table['id']} as ada")
    [line] = [record.getMessage() for record in caplog.records if record.name == "chat.admin.access_log"]
    said = json.loads(line[line.index("{") :])
    assert said == {"by": "vera", "as": "ada", "page": "table_view", "object": str(table["id"])}


def test_a_look_as_somebody_shows_only_what_they_may_see(looker: Client, user: User, other_api: Any) -> None:
    dish = [{"name": "Dish", "type": "text"}]
    table = other_api.post("/api/tables/", {"name": "Secret recipes", "columns": dish}).json()
    answer = looker.post(ANY, {"where": "table_view", "person": "ada", "object": str(table["id"])})
    assert (answer.status_code, "Table not found." in answer.content.decode()) == (422, True)
    assert LogEntry.objects.count() == 1
    assert looker.post(ANY, {"where": "table_view", "person": "nobody"}).status_code == 422


def test_hostile_text_is_printed_as_it_is(looker: Client, user: User, api: Any) -> None:
    hostile = "</pre></textarea><script>alert(1)</script>{{ settings }}"
    api.post("/api/tables/", {"name": hostile, "columns": [{"name": "A", "type": "text"}]})
    fields = {"field-description": hostile, "where": "tables_list", "person": "ada"}
    page = typed(looker, **fields).content.decode()
    assert "<script>alert" not in page
    assert "{{ settings }}" in page
    assert page.count("&lt;script&gt;alert(1)") >= 2


def test_nobody_else_sees_a_prompt() -> None:
    client = Client()
    client.force_login(User.objects.create(username="eve", is_staff=True))
    assert client.get(ANY).status_code == 403
    assert client.post(TOOL, {"field-description": "x"}).status_code == 403
