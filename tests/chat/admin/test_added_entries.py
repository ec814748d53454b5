"""Entries added in the admin without code: the form for a new entry, its page, and where it can be chosen."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Conversation, Override, Payload
from chat.selectors.configuration.catalogue import current_catalogue, current_version
from chat.services.configuration.import_export import export_configuration, import_configuration
from tests.chat.admin.forms import confirmed, filled

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
CHART = {"field-description": "A chart", "field-parse_marker": "CHART_SPEC:", "field-schema": '{"type": "object"}'}
ACTION = {"field-description": "Opens the report.", "field-enabled": "on"}


def add(client: Client, kind: str, *, name: str, **fields: str) -> str:
    """Add the entry and return the URL of its page."""
    answer = client.post(reverse("admin:chat_configuration_add", args=[kind]), {"name": name, **fields})
    assert answer.status_code == 302
    return reverse("admin:chat_configuration_entry", args=[kind, name])


@pytest.mark.parametrize("kind", ["client_action", "payload_type", "help_topic"])
def test_new_entry_is_enabled_and_its_form_explains_names(editor: Client, kind: str) -> None:
    answer = editor.get(reverse("admin:chat_configuration_add", args=[kind]))
    assert [box["value"] for box in answer.context["fields"] if box["field"].name == "enabled"] == [True]
    assert "for example " in answer.content.decode()


def test_saving_the_unchanged_page_changes_nothing(editor: Client) -> None:
    page = add(editor, "payload_type", name="chart_spec", **CHART, **{"field-enabled": "on"})
    version = current_version()
    form = filled(editor, page)
    # A browser would not submit a width of 0, because the minimum is 200.
    assert (form["field-panel_width"], form["field-order"]) == ("", "")
    assert editor.post(page, form).status_code == 302
    assert current_version() == version


def test_empty_number_is_reset_to_the_default(editor: Client) -> None:
    wide = {"field-enabled": "on", "field-panel_width": "640"}
    page = add(editor, "payload_type", name="chart_spec", **CHART, **wide)
    assert current_catalogue().payload_types.get("chart_spec").frontend_config["panel_width"] == "640"  # type: ignore[union-attr]
    assert editor.post(page, filled(editor, page, **{"field-panel_width": ""})).status_code == 302
    assert not Override.objects.filter(field="panel_width").exists()


def test_added_entry_has_no_default_to_reset_to(editor: Client) -> None:
    page = editor.get(add(editor, "client_action", name="open_report", **ACTION)).content.decode()
    assert "Reset to default" not in page
    assert "Difference from the default" not in page


def test_added_entry_can_be_chosen_by_a_page(editor: Client) -> None:
    add(editor, "client_action", name="open_report", **ACTION)
    add(editor, "payload_type", name="chart_spec", **CHART, **{"field-enabled": "on"})
    page = editor.get(PAGE)
    undo = 'pages that should have it. <button type="submit" class="undo" form="undo" name="version" value="2">'
    assert undo in page.content.decode()
    boxes = {box["field"].name: box for box in page.context["fields"]}
    assert ("open_report", False) in boxes["client_actions"]["choices"]
    assert ("chart_spec", False) in boxes["payloads"]["choices"]
    chosen = {"field-client_actions": ["open_report"], "field-payloads": ["data_proposal", "chart_spec"]}
    assert editor.post(PAGE, filled(editor, PAGE, **chosen)).status_code == 302
    page_entries = current_catalogue().resolve("table_view")
    assert page_entries is not None
    assert "open_report" in [action.name for action in page_entries.client_actions]
    assert "chart_spec" in [kind.name for kind in page_entries.payload_types]


def test_entry_of_every_page_is_not_offered_as_missing(editor: Client) -> None:
    add(editor, "client_action", name="open_report", **ACTION, **{"field-is_global": "on"})
    boxes = {box["field"].name: box for box in editor.get(PAGE).context["fields"]}
    assert boxes["client_actions"]["everywhere"] == ["close_chat", "open_report"]
    assert not {"close_chat", "open_report"} & {name for name, _ in boxes["client_actions"]["choices"]}
    assert "get_help" not in dict(boxes["tools"]["choices"])
    assert "Always available on all pages: close_chat, open_report." in editor.get(PAGE).content.decode()


def test_deletion_shows_the_use_of_an_entry_and_is_undone_in_one_click(editor: Client, user: User) -> None:
    chart = add(editor, "payload_type", name="chart_spec", **CHART, **{"field-enabled": "on"})
    chosen = {"field-payloads": [*filled(editor, PAGE)["field-payloads"], "chart_spec"]}
    assert editor.post(PAGE, filled(editor, PAGE, **chosen)).status_code == 302
    talk = Conversation.objects.create(user=user, page="table_view")
    waiting = {"type": "chart_spec", "source": "llm", "data": {}, "status": "pending"}
    Payload.objects.bulk_create([Payload(user=user, conversation=talk, **waiting) for _ in range(2)])
    page = editor.post(chart, {"remove": "yes", "seen": current_version()})
    text = page.content.decode()
    assert "Used on: Table (table_view)." in text
    assert "1 conversation, 2 pending proposals." in text
    assert confirmed(editor, page).status_code == 302
    assert not Override.objects.exists()
    assert current_catalogue().faults == ()
    history = reverse("admin:chat_configuration_entry_history", args=["payload_type", "chart_spec"])
    assert 'aria-label="Restore Payload types: Chart spec (chart_spec)"' in editor.get(history).content.decode()
    back = {"version": current_version(), "of_kind": "payload_type", "of_name": "chart_spec"}
    assert editor.post(reverse("admin:chat_configuration_undo"), back).status_code == 302
    page_entries = current_catalogue().resolve("table_view")
    assert page_entries is not None
    assert "chart_spec" in [kind.name for kind in page_entries.payload_types]


def test_tab_and_subtab_are_added_used_exported_and_deleted_together(editor: Client) -> None:
    texts = {"field-enabled": "on", "field-instructions": "Sums are shown.", "field-starters": "Sum it up"}
    tab = add(editor, "tab", name="table_view/sums", **texts, **{"field-tools": "get_rows"})
    add(editor, "subtab", name="table_view/sums/monthly", **{**texts, "field-instructions": "Sums by month."})
    resolved = current_catalogue().resolve("table_view", tab="sums", subtab="monthly")
    assert resolved is not None
    assert resolved.instructions[-2:] == ("Sums are shown.", "Sums by month.")
    assert resolved.starters == ("Sum it up",)
    offer = editor.get("/api/chat/pages/table_view/", {"tab": "sums"}).json()
    assert offer["tabs"] == [{"name": "sums", "subtabs": ["monthly"]}]
    assert offer["starters"] == ["Sum it up"]
    assert "table_view/sums/monthly" in dict(editor.get(tab).context["places"])
    assert editor.get(tab).context["where"] == "table_view/sums"
    exported = export_configuration()

    page = editor.post(tab, {"remove": "yes", "seen": current_version()})
    shown = page.content.decode()
    assert all(f"Table, Sums{name}" in shown for name in (" (table_view/sums)", ", Monthly (table_view/sums/monthly)"))
    assert "Used on" not in shown
    assert confirmed(editor, page).status_code == 302
    assert not Override.objects.exists()
    # The subtab alone could not be restored.
    back = {"version": current_version(), "of_kind": "subtab", "of_name": "table_view/sums/monthly"}
    for _ in range(2):
        assert editor.post(reverse("admin:chat_configuration_undo"), back).status_code == 302
    assert current_catalogue().resolve("table_view", tab="sums", subtab="monthly") == resolved
    import_configuration(exported, user=None, replace=True, now=timezone.now())
    assert current_catalogue().resolve("table_view", tab="sums", subtab="monthly") == resolved


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [
        ("tab", "table_vew/sums", "There is no page &#x27;table_vew&#x27;. Did you mean table_view?"),
        ("tab", "table_view/monthly sums", "is not a valid name. Use page/tab"),
        ("subtab", "table_view/sums/monthly", "There is no tab &#x27;table_view/sums&#x27;."),
        ("tab", "table_view/taken", "The tab table_view/taken already exists."),
    ],
)
def test_tab_needs_a_page_and_a_new_name(editor: Client, kind: str, name: str, error: str) -> None:
    add(editor, "tab", name="table_view/taken")
    answer = editor.post(reverse("admin:chat_configuration_add", args=[kind]), {"name": name})
    assert (answer.status_code, error in answer.content.decode()) == (422, True)
