"""The preview of the prompt before a change is saved, with example data or, recorded, with a user's data."""
from __future__ import annotations

import json
import logging
import re
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
from chat.services.configuration.changes import Edit, change_configuration
from tests.chat.admin.forms import filled
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import run_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

TOOL = reverse("admin:chat_configuration_entry_preview", args=["tool", "get_rows"])
PAGE = reverse("admin:chat_configuration_entry_preview", args=["page", "table_view"])
SNAIL = {"field-description": "Reads rows like a snail."}
ANY = reverse("admin:chat_configuration_preview")
HEADINGS = re.compile(r'<h2 id="section-[0-9]+">([0-9]+\. [^<]+?) <')


@pytest.fixture
def viewer() -> Client:
    """A staff user who may configure the assistant and preview with data of other users."""
    user = User.objects.create(username="vera", is_staff=True)
    rights = Permission.objects.filter(codename__in=["tune_assistant", "view_any_table"])
    user.user_permissions.set(rights)
    client = Client()
    client.force_login(user)
    return client


def preview(client: Client, **fields: Any) -> HttpResponse:
    """Return the preview from the page of the tool, with these fields changed."""
    return client.post(TOOL, filled(client, TOOL.replace("/preview/", "/edit/"), **fields))


def sections(answer: HttpResponse) -> dict[str, Any]:
    seen: Any = answer.context  # type: ignore[attr-defined]
    return {section.title: section for section in seen["preview"].sections}


def declared_tools(answer: HttpResponse) -> Any:
    """Return the section with the tools as declared in a request."""
    seen: Any = answer.context  # type: ignore[attr-defined]
    return next(section for section in seen["preview"].settings if section.title == "Tool declarations")


def test_unsaved_change_is_in_the_prompt_and_nothing_is_stored(editor: Client) -> None:
    answer = preview(editor, **SNAIL)
    assert answer.status_code == 200
    assert "Reads rows like a snail." in declared_tools(answer).text
    assert declared_tools(answer).unsaved
    # The preview opens at the first changed section.
    assert f'id="changed" aria-labelledby="section-{declared_tools(answer).number}"' in answer.content.decode()
    assert not any(section.unsaved for section in sections(answer).values())
    page = answer.content.decode()
    assert "Unsaved" in page
    assert "Reads rows like a snail." in page
    assert not Override.objects.exists()


def test_what_was_changed_before_is_marked_as_that(editor: Client) -> None:
    edit = Edit(Address("page", "table_view"), {"identity": "Be a careful librarian."})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    shown = sections(preview(editor, **SNAIL, where="table_view"))
    assert shown["This page"].text == "Be a careful librarian."
    assert (shown["This page"].changed, shown["This page"].unsaved) == (True, False)
    assert (shown["Assistant"].changed, shown["Assistant"].unsaved) == (False, False)


def test_sections_are_numbered_without_gaps_and_have_their_numbers_of_tokens(editor: Client) -> None:
    answer = editor.get(PAGE)
    shown = sections(answer)
    assert list(shown) == ["Assistant", "This page", "Current context", "Capabilities", "Help", "Format"]
    assert all(section.tokens > 10 for section in shown.values())
    assert HEADINGS.findall(answer.content.decode()) == [f"{at}. {title}" for at, title in enumerate(shown, start=1)]
    seen: Any = answer.context
    assert seen["preview"].tokens == sum(s.tokens for s in shown.values()) + sum(n for _, n in seen["preview"].tools)
    assert f'<span data-number="{seen["preview"].tokens}">{seen["preview"].tokens:,}</span>' in answer.content.decode()


@pytest.mark.usefixtures("notes")
def test_preview_equals_the_prompt_of_a_turn(viewer: Client, user: User) -> None:
    script = ScriptedModel(say("Hello."))
    run_turn(user, script, turn_request())
    [request] = script.requests
    where = {"where": "notes", "person": user.username, "object": "7"}
    shown = sections(viewer.post(ANY, where))
    context = shown.pop("Current context").text
    texts = [f"# {title}\n\n{section.text}" for title, section in shown.items()]
    assert texts == [section["text"] for section in request["system"]]
    sent = request["messages"][-1]["content"][0]["text"]
    assert context.partition("<data")[0] == sent.partition("<data")[0]
    assert json.loads(context.split("\n")[-2]) == json.loads(sent.split("\n")[-2])


@pytest.mark.usefixtures("notes")
def test_tab_adds_its_instructions(editor: Client) -> None:
    assert "Be plain." in sections(editor.post(ANY, {"where": "notes/plain"}))["This page"].text
    assert "Be plain." not in sections(editor.post(ANY, {"where": "notes"}))["This page"].text


def test_unusable_value_is_reported_and_the_default_is_used(editor: Client) -> None:
    answer = preview(editor, **{"field-description": ""})
    assert "cannot be empty" in answer.content.decode()
    assert "Read rows of the open table" in declared_tools(answer).text


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"field-order": "first"}, "whole number", id="invalid field"),
        pytest.param({"where": "table_viev"}, "Did you mean “table_view”?", id="unknown page"),
        pytest.param({"where": "table_view/stamps"}, "no page, tab or subtab “table_view/stamps”", id="unknown tab"),
    ],
)
def test_invalid_preview_is_refused(editor: Client, fields: dict[str, str], error: str) -> None:
    answer = preview(editor, **fields)
    assert (answer.status_code, error in answer.content.decode()) == (422, True)


@pytest.mark.usefixtures("notes")
def test_link_selects_a_page(editor: Client) -> None:
    assert "Be plain." in sections(editor.get(ANY, {"where": "notes/plain"}))["This page"].text

    unknown = editor.get(ANY, {"where": "invoices"})
    assert (unknown.status_code, "no page, tab or subtab “invoices”" in unknown.content.decode()) == (422, True)


@pytest.mark.usefixtures("notes")
def test_object_of_each_page_is_named_by_its_label(viewer: Client) -> None:
    page = viewer.get(ANY).content.decode()
    assert '<label for="object">Table ID or Object ID</label>' in page
    assert "Table ID on: Table settings, Table. Object ID on: Notes. Not used on other pages." in page


def test_disabled_page_is_reported(editor: Client) -> None:
    form = filled(editor, PAGE.replace("/preview/", "/edit/"))
    del form["field-enabled"]
    assert "turned off on this page" in editor.post(PAGE, form).content.decode()


def test_back_to_editing_restores_the_input(editor: Client) -> None:
    form = {"field-identity": "\nBe kind.\r\n", "field-tools": ["get_rows"], "field-enabled": "on", "why": "Kinder"}
    hidden_fields: Any = editor.post(PAGE, {**form, "seen": "0", "where": "tables_list"}).context["hidden_fields"]
    fields: dict[str, list[str]] = {}
    for name, value in hidden_fields:
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


def test_preview_without_the_permission_shows_the_example(editor: Client) -> None:
    for where in ("table_view", "table_edit", "tables_list"):
        assert "Job applications" in sections(editor.post(ANY, {"where": where}))["Current context"].text
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("fields", [{"person": "ada"}, {"object": "1"}])
def test_data_without_the_permission_is_refused(editor: Client, user: User, fields: dict[str, str]) -> None:
    assert editor.post(ANY, {"where": "tables_list", **fields}).status_code == 403


def test_preview_with_a_users_table_is_recorded_twice(
    viewer: Client, user: User, api: Any, caplog: pytest.LogCaptureFixture
) -> None:
    table = api.post("/api/tables/", {"name": "Secret recipes", "columns": [{"name": "Dish", "type": "text"}]}).json()
    with caplog.at_level(logging.INFO, logger="chat"):
        answer = viewer.post(ANY, {"where": "table_view", "person": "ada", "object": str(table["id"])})
    assert "Secret recipes" in sections(answer)["Current context"].text
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.object_repr) == ("vera", f"Prompt of table_view, {table['id']} as ada")
    [line] = [record.getMessage() for record in caplog.records if record.name == "chat.admin.access_log"]
    error = json.loads(line[line.index("{") :])
    assert error == {"by": "vera", "as": "ada", "page": "table_view", "object": str(table["id"])}


def test_preview_for_a_user_shows_only_what_the_user_may_see(viewer: Client, user: User, other_api: Any) -> None:
    dish = [{"name": "Dish", "type": "text"}]
    table = other_api.post("/api/tables/", {"name": "Secret recipes", "columns": dish}).json()
    answer = viewer.post(ANY, {"where": "table_view", "person": "ada", "object": str(table["id"])})
    assert (answer.status_code, "Table not found." in answer.content.decode()) == (422, True)
    assert LogEntry.objects.count() == 1
    assert viewer.post(ANY, {"where": "table_view", "person": "nobody"}).status_code == 422


def test_hostile_text_is_escaped(viewer: Client, user: User, api: Any) -> None:
    hostile = "</pre></textarea><script>alert(1)</script>{{ settings }}"
    api.post("/api/tables/", {"name": hostile, "columns": [{"name": "A", "type": "text"}]})
    fields = {"field-description": hostile, "where": "tables_list", "person": "ada"}
    page = preview(viewer, **fields).content.decode()
    assert "<script>alert" not in page
    assert "{{ settings }}" in page
    assert page.count("&lt;script&gt;alert(1)") >= 2


def test_other_users_see_no_prompt() -> None:
    client = Client()
    client.force_login(User.objects.create(username="eve", is_staff=True))
    assert client.get(ANY).status_code == 403
    assert client.post(TOOL, {"field-description": "x"}).status_code == 403
