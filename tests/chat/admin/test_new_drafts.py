"""Previews and trials of a new entry before it is saved, as if a page had chosen it."""
from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.configuration import ADDED, Address
from chat.models import Configuration, ConfigurationChange, Override, Payload, Turn
from chat.services.configuration.changes import Edit, change_configuration
from tests.chat.admin.editors import FORM, Editor, staff
from tests.chat.admin.forms import filled
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]

ACTION = {"name": "open_report", "field-description": "Opens the report.", "field-enabled": "on"}
TOPIC = {"name": "tables/moons", "field-title": "Moons", "field-summary": "About moons.",
         "field-body": "Moons are round.", "field-enabled": "on"}  # fmt: skip
CHART = {"name": "chart_spec", "field-description": "A chart", "field-parse_marker": "CHART_SPEC:",
         "field-schema": '{"type": "object", "required": ["bars"]}', "field-llm_instructions": "CHART_SPEC: draw bars.",
         "field-enabled": "on"}  # fmt: skip
NEW = {"client_action": ACTION, "help_topic": TOPIC, "payload_type": CHART}
BARS = 'Look. CHART_SPEC: {"bars": [1, 2]}'


def preview(client: Client, kind: str, **fields: str) -> HttpResponse:
    """Return the preview from the form for a new entry, with these fields filled in."""
    address = reverse("admin:chat_configuration_add_preview", args=[kind])
    return client.post(address, {**NEW[kind], "where": "table_view", **fields})


def sections(answer: HttpResponse) -> dict[str, Any]:
    seen: Any = answer.context  # type: ignore[attr-defined]
    return {section.title: section for section in [*seen["preview"].sections, *seen["preview"].settings]}


def is_unchanged() -> bool:
    return not (Override.objects.exists() or ConfigurationChange.objects.exists() or Configuration.objects.exists())


@pytest.mark.parametrize(
    ("kind", "title", "error"),
    [
        ("client_action", "Capabilities", "open_report: Opens the report."),
        ("help_topic", "Help", "About moons."),
        ("help_topic", "Help topics", "Moons are round."),
        ("payload_type", "Capabilities", "CHART_SPEC: draw bars."),
        ("payload_type", "Schemas of structured responses", '"bars"'),
    ],
)
def test_unsaved_entry_is_in_the_prompt(editor: Client, kind: str, title: str, error: str) -> None:
    answer = preview(editor, kind)
    assert answer.status_code == 200
    section = sections(answer)[title]
    assert error in section.text
    assert error not in section.stored
    assert section.unsaved
    assert is_unchanged()


@pytest.mark.parametrize("kind", ["client_action", "payload_type"])
def test_preview_says_where_the_entry_has_to_be_chosen(editor: Client, kind: str) -> None:
    page = preview(editor, kind).content.decode()
    assert "Previewed as if selected on table_view" in page
    assert reverse("admin:chat_configuration_entry", args=["page", "table_view"]) in page
    assert "Previewed as if selected on tables_list" in preview(editor, kind, where="tables_list").content.decode()
    for fields in ({"field-is_global": "on"}, {"field-enabled": ""}):
        assert "Previewed as if" not in preview(editor, kind, **fields).content.decode()
    assert "Previewed as if" not in preview(editor, "help_topic").content.decode()


def test_unchosen_entry_has_the_same_preview(editor: Client) -> None:
    created = Address("client_action", "open_report")
    edit = Edit(created, {ADDED: True, "description": "Opens the report.", "enabled": True})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    page = reverse("admin:chat_configuration_entry", args=created)
    form = filled(editor, page, **{"field-description": "Opens it wide.", "where": "table_view"})
    answer = editor.post(page.replace("/edit/", "/preview/"), form)
    assert "open_report: Opens it wide." in sections(answer)["Capabilities"].text
    assert "It is not available there yet. Select it on" in answer.content.decode()
    edit = Edit(Address("page", "table_view"), {"client_actions": ["open_report"]})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    again = editor.post(page.replace("/edit/", "/preview/"), form).content.decode()
    assert "Previewed as if" not in again


@pytest.mark.parametrize(
    ("kind", "fields", "error"),
    [
        pytest.param("client_action", {"name": ""}, "Enter a name: lowercase letters", id="no name"),
        pytest.param("client_action", {"name": "Open Report"}, "is not a valid name", id="invalid name"),
        pytest.param("client_action", {"name": "a\x00b"}, "is not a valid name", id="NUL in the name"),
        pytest.param("client_action", {"name": "close_chat"}, "already", id="taken name"),
        pytest.param("client_action", {"field-order": "first"}, "whole number", id="text for a number"),
        pytest.param("payload_type", {"field-schema": "{"}, "is not valid JSON", id="invalid JSON"),
    ],
)
def test_invalid_entry_is_refused_in_the_preview(editor: Client, kind: str, fields: dict[str, str], error: str) -> None:
    answer = preview(editor, kind, **fields)
    assert (answer.status_code, error in answer.content.decode()) == (422, True)
    assert is_unchanged()


def test_incomplete_entry_is_left_out_of_the_prompt_with_a_message(editor: Client) -> None:
    answer = preview(editor, "payload_type", **{"field-parse_marker": ""})
    assert "payload_type chart_spec: Marker is required." in answer.content.decode()
    assert "draw bars" not in sections(answer)["Capabilities"].text


def test_back_to_editing_restores_the_input(editor: Client) -> None:
    response: Any = preview(editor, "payload_type", why="Bars are nice")
    hidden = dict(response.context["hidden_fields"])
    again = editor.post(reverse("admin:chat_configuration_add", args=["payload_type"]), {**hidden, "again": "yes"})
    assert again.status_code == 200
    boxes = {box["name"]: box["text"] for box in again.context["fields"]}
    assert (again.context["name"], again.context["why"]) == ("chart_spec", "Bars are nice")
    assert boxes["field-schema"] == CHART["field-schema"]
    assert 'class="errorlist"' not in again.content.decode()
    assert is_unchanged()


@pytest.mark.parametrize("kind", ["tool", "page", "nothing"])
def test_kinds_without_added_entries_have_no_preview_and_no_trial(edda: Editor, kind: str) -> None:
    preview = reverse("admin:chat_configuration_add_preview", args=[kind])
    assert edda.pages.post(preview, {"name": "x"}).status_code == 404
    assert refused(edda, kind, {"name": "x"})[0] == 404


def test_users_without_the_permission_have_no_preview_and_no_trial(live_server_url: str, script: ScriptedModel) -> None:
    eve = Editor(live_server_url, staff("eve"))
    preview = reverse("admin:chat_configuration_add_preview", args=["client_action"])
    assert eve.pages.post(preview, ACTION).status_code == 403
    assert refused(eve, "client_action", ACTION)[0] == 403
    assert script.requests == []


def trial(fields: Json, *, message: str = "Hello") -> bytes:
    return urlencode({"client_turn_id": str(uuid4()), "message": message, "where": "table_view", **fields}).encode()


def tries(editor: Editor, kind: str, fields: Json) -> list[Json]:
    address = reverse("admin:chat_configuration_add_try", args=[kind])
    with editor.browser.open("POST", address, trial(fields), **FORM) as stream:
        assert stream.response.status == 200
        return list(stream)


def refused(editor: Editor, kind: str, fields: Json) -> tuple[int, Json]:
    address = reverse("admin:chat_configuration_add_try", args=[kind])
    status, answer, _ = editor.browser.request("POST", address, trial(fields), **FORM)
    return status, answer


def test_payload_type_is_written_and_shown_before_it_is_added(edda: Editor, script: ScriptedModel) -> None:
    script.add(say(BARS))
    final = tries(edda, "payload_type", CHART)[-1]["payload"]
    assert "CHART_SPEC: draw bars." in json.dumps(script.requests[-1])
    assert final["message"] == "Look."
    assert (final["custom_payload"]["type"], final["custom_payload"]["data"]) == ("chart_spec", {"bars": [1, 2]})
    assert not Payload.objects.filter(status="pending").exists()
    assert is_unchanged()


def test_action_is_suggested_and_topic_is_read_before_they_are_added(edda: Editor, script: ScriptedModel) -> None:
    script.add(say('Done. SUGGESTED_ACTIONS: [{"label": "Open it", "action": "open_report"}]'))
    [action] = tries(edda, "client_action", ACTION)[-1]["payload"]["suggested_actions"]
    assert action["action"] == "open_report"
    script.add(say("Round."))
    tries(edda, "help_topic", TOPIC)
    assert "About moons." in json.dumps(script.requests[-1])
    assert is_unchanged()


@pytest.mark.parametrize(
    ("fields", "path", "error"),
    [
        pytest.param({"name": ""}, "name", "Enter a name", id="no name"),
        pytest.param({"name": "data_proposal"}, "name", "already", id="taken name"),
        pytest.param({"field-parse_marker": ""}, None, "Marker is required.", id="incomplete"),
        pytest.param({"field-parse_marker": "DATA_PROPOSAL:"}, None, "is already used", id="taken marker"),
        pytest.param({"field-schema": '{"$ref": "http://evil.example/"}'}, None, "Copy the schema", id="remote"),
    ],
)
def test_invalid_draft_is_refused_before_the_model_is_called(
    edda: Editor, script: ScriptedModel, fields: Json, path: str | None, error: str
) -> None:
    status, answer = refused(edda, "payload_type", {**CHART, **fields})
    assert status == 422
    assert error in json.dumps(answer, ensure_ascii=False)
    assert path is None or answer["errors"][0]["path"] == path
    assert script.requests == []
    assert not Turn.objects.exists()
    assert is_unchanged()


def test_added_entry_links_to_where_it_is_chosen(editor: Client) -> None:
    for kind, error in (("client_action", "select it on the pages"), ("help_topic", "Applies from the next message.")):
        answer = editor.post(reverse("admin:chat_configuration_add", args=[kind]), NEW[kind], follow=True)
        assert error in answer.content.decode()
