"""The assistant's configuration in the admin: entries, defaults and overrides, for users with the permission."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from chat.agent.tools import ToolConfig, tools
from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import current_catalogue, current_version, default_catalogue
from tests.chat.admin.forms import confirmed, filled

pytestmark = pytest.mark.django_db

INDEX = reverse("admin:chat_override_changelist")
PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
TOOL = reverse("admin:chat_configuration_entry", args=["tool", "get_rows"])


def submit(client: Client, address: str = TOOL, **fields: Any) -> HttpResponse:
    """Submit the form of an entry as its page shows it, with these fields changed."""
    return client.post(address, filled(client, address, **fields))


def test_every_entry_of_the_code_is_listed(editor: Client) -> None:
    entry = ToolConfig(
        name="count_stars", description="Counts.", input_schema={"type": "object"}, executor=str, category="astronomy"
    )
    with tools.registered(entry):
        listed = editor.get(INDEX).content.decode()
        assert ("count_stars" in listed, "astronomy" in listed) == (True, True)
        address = reverse("admin:chat_configuration_entry", args=["tool", "count_stars"])
        assert "Counts." in editor.get(address).content.decode()


def test_pages_link_to_each_other(editor: Client) -> None:
    index = editor.get(INDEX).content.decode()
    for name in ("history", "preview", "export", "import"):
        assert f'href="{reverse(f"admin:chat_configuration_{name}")}"' in index
    page = editor.get(PAGE).content.decode()
    for name in ("entry_history", "entry_preview"):
        assert reverse(f"admin:chat_configuration_{name}", args=["page", "table_view"]) in page


def test_saving_the_unchanged_page_changes_nothing(editor: Client) -> None:
    for address in (PAGE, TOOL, reverse("admin:chat_configuration_entry", args=["engine", "all"])):
        assert submit(editor, address).status_code == 302
    assert not Override.objects.exists()


def test_override_is_effective_and_shown_with_its_default_and_difference(editor: Client) -> None:
    assert submit(editor, **{"field-description": "Reads rows, slowly.", "why": "Slower"}).status_code == 302
    assert current_catalogue().tools.get("get_rows").description == "Reads rows, slowly."  # type: ignore[union-attr]
    page = editor.get(TOOL).content.decode()
    assert "+ Reads rows, slowly." in page
    assert "− Read rows of the open table" in page
    assert "Slower" in page
    change = ConfigurationChange.objects.get()
    assert (change.user.username, change.why) == ("edda", "Slower")  # type: ignore[union-attr]


def test_default_is_shown_for_every_field(editor: Client) -> None:
    for address in (TOOL, PAGE, reverse("admin:chat_configuration_entry", args=["engine", "all"])):
        answer = editor.get(address)
        shown = [box for box in answer.context["fields"] if f'name="{box["name"]}"' in answer.content.decode()]
        assert len(shown) > 2
        assert answer.content.decode().count("Default") >= len(shown), address


def test_reset_asks_first_and_is_undone_from_the_history(editor: Client) -> None:
    submit(editor, **{"field-description": "Reads rows, slowly.", "field-label": "Slowly"})
    page = submit(editor, **{"reset-description": "on"})
    assert "− Reads rows, slowly." in page.content.decode()
    assert current_version() == 1
    assert 'form="undo" name="version" value="2"' in editor.get(confirmed(editor, page)["Location"]).content.decode()
    assert Override.objects.get().field == "label"
    confirmed(editor, editor.post(TOOL, {"remove": "yes", "seen": current_version()}))
    assert not Override.objects.exists()
    editor.post(reverse("admin:chat_configuration_undo"), {"version": "3"})
    assert Override.objects.get().value == "Slowly"


def test_confirmation_of_an_older_version_shows_what_changed(editor: Client) -> None:
    submit(editor, **{"field-description": "Reads rows, slowly."})
    page = editor.post(TOOL, {"remove": "yes", "seen": current_version()})
    submit(editor, PAGE, **{"field-identity": "You are a librarian."})
    again = confirmed(editor, page)
    assert (again.status_code, "Check what would change now." in again.content.decode()) == (409, True)
    assert Override.objects.count() == 2
    assert confirmed(editor, again).status_code == 302
    assert Override.objects.get().field == "identity"


def test_tool_unticked_and_ticked_again_follows_the_code_again(editor: Client) -> None:
    tools_of_page = list(filled(editor, PAGE)["field-tools"])
    submit(editor, PAGE, **{"field-tools": tools_of_page[1:]})
    offered = [name for name, _ in _box(editor, "tools")["choices"]]
    assert offered[: len(tools_of_page)] == tools_of_page
    submit(editor, PAGE, **{"field-tools": [name for name in offered if name in tools_of_page]})
    assert not Override.objects.exists()


def test_changed_order_is_saved(editor: Client) -> None:
    turned = list(reversed(filled(editor, PAGE)["field-tools"]))
    submit(editor, PAGE, **{"field-tools": turned})
    assert [name for name, chosen in _box(editor, "tools")["choices"] if chosen] == turned


def _box(client: Client, name: str) -> dict[str, Any]:
    return {box["field"].name: box for box in client.get(PAGE).context["fields"]}[name]


def test_changed_default_is_reported(editor: Client) -> None:
    submit(editor, **{"field-description": "Reads rows, slowly."})
    Override.objects.update(base="Reads rows as it did before the upgrade.")
    assert "The default has changed since" in editor.get(TOOL).content.decode()
    assert "1 default changed since" in editor.get(INDEX).content.decode()


def test_unusable_value_shows_its_error_at_the_field(editor: Client) -> None:
    Override.objects.create(kind="engine", name="all", field="max_iterations", value=1_000, base=5)
    page = editor.get(reverse("admin:chat_configuration_entry", args=["engine", "all"])).content.decode()
    assert "This value is invalid and is ignored. Model calls per turn must be a whole number from 1 to 20." in page


def test_tool_is_switched_off_and_a_page_gets_other_tools(editor: Client) -> None:
    page = submit(editor, **{"field-enabled": ""})
    assert "Used on: " in page.content.decode()
    confirmed(editor, page)
    submit(editor, PAGE, **{"field-tools": ["search_rows", "get_rows"]})
    page_entries = current_catalogue().resolve("table_view")
    assert page_entries is not None
    assert [tool.name for tool in page_entries.tools if not tool.is_global] == ["search_rows"]


def test_all_errors_are_listed_with_their_fields_and_the_input_is_shown_again(editor: Client) -> None:
    answer: Any = submit(editor, **{"field-order": "first", "field-description": "", "field-label": "Reading along"})
    assert answer.status_code == 422
    page = answer.content.decode()
    for field, error in (("order", "whole number"), ("description", "cannot be empty")):
        assert any(anchor == f"field-{field}" and error in text for anchor, text in answer.context["errors"])
        assert f'href="#field-{field}"' in page
        assert f'aria-describedby="fault-field-{field}' in page
    assert "Reading along" in page
    add = reverse("admin:chat_configuration_add", args=["payload_type"])
    new: Any = editor.post(add, {"name": "A Chart", "field-schema": "x", "field-panel_width": "wide"})
    anchors = [anchor for anchor, _ in new.context["errors"]]
    assert anchors == ["name", "field-description", "field-parse_marker", "field-schema", "field-panel_width"]
    assert not Override.objects.exists()


def test_action_is_added_and_deleted(editor: Client) -> None:
    add = reverse("admin:chat_configuration_add", args=["client_action"])
    fields = {"field-description": "Opens the report.", "field-parameters": "month\nyear", "field-is_global": "on"}
    assert editor.post(add, {"name": "open_report", **fields, "field-enabled": "on"}).status_code == 302
    action = current_catalogue().client_actions.get("open_report")
    assert action is not None
    assert action.parameters == ("month", "year")
    page = reverse("admin:chat_configuration_entry", args=["client_action", "open_report"])
    assert editor.get(page).status_code == 200
    confirmed(editor, editor.post(page, {"remove": "yes"}))
    assert "open_report" not in current_catalogue().client_actions
    assert editor.get(page).status_code == 404


def test_added_entry_cannot_lose_a_required_field(editor: Client) -> None:
    add = reverse("admin:chat_configuration_add", args=["payload_type"])
    needed = {"field-description": "A chart", "field-parse_marker": "CHART_SPEC:", "field-schema": '{"type": "object"}'}
    assert editor.post(add, {"name": "chart_spec", "field-enabled": "on", **needed}).status_code == 302
    assert current_catalogue().faults == ()
    page = reverse("admin:chat_configuration_entry", args=["payload_type", "chart_spec"])
    answer = submit(editor, page, **{"reset-description": "on"})
    assert answer.status_code == 422
    assert '<a href="#field-description">Description is required.</a>' in answer.content.decode()
    assert submit(editor, page, **{"field-schema": '{"type": "object", "required": ["bars"]}'}).status_code == 302
    assert submit(editor, page, **needed).status_code == 302
    assert current_catalogue().faults == ()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"name": "Open Report"}, "is not a valid name", id="a name with a space"),
        pytest.param({"name": "close_chat"}, "already", id="taken name"),
        pytest.param({"name": "open_report", "field-description": ""}, "is required", id="no description"),
    ],
)
def test_invalid_new_entry_is_refused(editor: Client, fields: dict[str, str], error: str) -> None:
    add = reverse("admin:chat_configuration_add", args=["client_action"])
    answer = editor.post(add, {"field-description": "Opens.", "field-enabled": "on", **fields})
    assert answer.status_code == 422
    assert error in answer.content.decode()
    assert not Override.objects.exists()


def test_history_shows_every_change_and_restores_any_version(editor: Client) -> None:
    submit(editor, **{"field-description": "One."})
    submit(editor, **{"field-description": "Two."})
    history = editor.get(reverse("admin:chat_configuration_history")).content.decode()
    assert "− One." in history
    assert "+ Two." in history
    back = {"version": "1"}
    preview = editor.post(reverse("admin:chat_configuration_restore"), back)
    assert "− Two." in preview.content.decode()
    assert Override.objects.get().value == "Two."
    editor.post(reverse("admin:chat_configuration_restore"), {**back, "shown": "2", "confirm": "yes"})
    assert Override.objects.get().value == "One."


def test_text_is_escaped(editor: Client) -> None:
    hostile = "</textarea><script>alert(1)</script>{{ settings.SECRET_KEY }}{% load x %}"
    submit(editor, **{"field-description": hostile})
    for address in (TOOL, reverse("admin:chat_configuration_history")):
        page = editor.get(address).content.decode()
        assert "<script>alert" not in page
        assert "{{ settings.SECRET_KEY }}" in page


@pytest.mark.parametrize("rights", [{}, {"is_staff": True}], ids=["user", "staff without the permission"])
def test_other_users_are_refused(rights: dict[str, Any]) -> None:
    client = Client()
    client.force_login(User.objects.create(username="eve", **rights))
    for address in (INDEX, PAGE, reverse("admin:chat_configuration_history")):
        assert client.get(address).status_code in {302, 403}
        assert client.post(address, {"field-identity": "x"}).status_code in {302, 403}
    assert not Override.objects.exists()


def test_editor_sees_no_tables_conversations_or_tokens(editor: Client) -> None:
    home = editor.get(reverse("admin:index")).content.decode()
    assert "/admin/chat/override/" in home
    for other in ("conversation", "trace", "turn", "payload"):
        refused = editor.get(reverse(f"admin:chat_{other}_changelist"))
        assert refused.status_code == 403
        assert "Ask an administrator for access." in refused.content.decode()
    assert default_catalogue().version == 0
