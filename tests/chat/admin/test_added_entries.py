"""What administrators add without code: a form that begins right, a page that can be saved as it is, a place to go."""
from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from chat.models import Override
from chat.overrides import current_catalogue, current_version
from tests.chat.admin.forms import filled

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
CHART = {"field-description": "A chart", "field-parse_marker": "CHART_SPEC:", "field-schema": '{"type": "object"}'}
ACTION = {"field-description": "Opens the report.", "field-enabled": "on"}


def add(client: Client, kind: str, *, name: str, **fields: str) -> str:
    """Adds the entry; the address of its page."""
    answer = client.post(reverse("admin:chat_configuration_add", args=[kind]), {"name": name, **fields})
    assert answer.status_code == 302
    return reverse("admin:chat_configuration_entry", args=[kind, name])


@pytest.mark.parametrize("kind", ["client_action", "payload_type", "help_topic"])
def test_a_new_entry_begins_switched_on_and_says_what_a_name_looks_like(editor: Client, kind: str) -> None:
    answer = editor.get(reverse("admin:chat_configuration_add", args=[kind]))
    assert [box["value"] for box in answer.context["fields"] if box["field"].name == "enabled"] == [True]
    assert "for example " in answer.content.decode()


def test_its_page_sent_as_it_is_changes_nothing(editor: Client) -> None:
    page = add(editor, "payload_type", name="chart_spec", **CHART, **{"field-enabled": "on"})
    version = current_version()
    form = filled(editor, page)
    # A browser would not send a width of 0 where 200 is the least.
    assert (form["field-panel_width"], form["field-order"]) == ("", "")
    assert editor.post(page, form).status_code == 302
    assert current_version() == version


def test_an_empty_number_goes_back_to_the_default(editor: Client) -> None:
    wide = {"field-enabled": "on", "field-panel_width": "640"}
    page = add(editor, "payload_type", name="chart_spec", **CHART, **wide)
    assert current_catalogue().payload_types.get("chart_spec").frontend_config["panel_width"] == "640"  # type: ignore[union-attr]
    assert editor.post(page, filled(editor, page, **{"field-panel_width": ""})).status_code == 302
    assert not Override.objects.filter(field="panel_width").exists()


def test_there_is_no_default_to_go_back_to(editor: Client) -> None:
    page = editor.get(add(editor, "client_action", name="open_report", **ACTION)).content.decode()
    assert "Reset to default" not in page
    assert "Difference from the default" not in page


def test_a_page_can_choose_it(editor: Client) -> None:
    add(editor, "client_action", name="open_report", **ACTION)
    add(editor, "payload_type", name="chart_spec", **CHART, **{"field-enabled": "on"})
    boxes = {box["field"].name: box for box in editor.get(PAGE).context["fields"]}
    assert ("open_report", False) in boxes["client_actions"]["choices"]
    assert ("chart_spec", False) in boxes["payloads"]["choices"]
    chosen = {"field-client_actions": ["open_report"], "field-payloads": ["data_proposal", "chart_spec"]}
    assert editor.post(PAGE, filled(editor, PAGE, **chosen)).status_code == 302
    reach = current_catalogue().resolve("table_view")
    assert reach is not None
    assert "open_report" in [action.name for action in reach.client_actions]
    assert "chart_spec" in [kind.name for kind in reach.payload_types]


def test_what_is_on_every_page_is_told_and_not_offered_as_if_it_were_missing(editor: Client) -> None:
    add(editor, "client_action", name="open_report", **ACTION, **{"field-is_global": "on"})
    boxes = {box["field"].name: box for box in editor.get(PAGE).context["fields"]}
    assert boxes["client_actions"]["everywhere"] == ["close_chat", "open_report"]
    assert not {"close_chat", "open_report"} & {name for name, _ in boxes["client_actions"]["choices"]}
    assert "get_help" not in dict(boxes["tools"]["choices"])
    assert "Always available on all pages: close_chat, open_report." in editor.get(PAGE).content.decode()
