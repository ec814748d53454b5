"""Drafts of the configuration: stored for one user and entry, offered again, removed when saved or discarded."""
from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from chat.models import ConfigurationDraft, PromptTest
from tests.chat.admin.editors import staff
from tests.chat.admin.forms import filled
from tests.retention_clock import tidy_after

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
STORE = reverse("admin:chat_configuration_entry_draft", args=["page", "table_view"])
PREVIEW = reverse("admin:chat_configuration_entry_preview", args=["page", "table_view"])
LIST = reverse("admin:chat_override_changelist")
ADD = reverse("admin:chat_configuration_add", args=["help_topic"])
STORE_NEW = reverse("admin:chat_configuration_add_draft", args=["help_topic"])
PIRATE = {"field-identity": "You are a pirate."}


def context(client: Client, address: str) -> dict[str, Any]:
    """Return what the page shows, with the hidden fields that its form sends about drafts."""
    shown: Any = client.get(address).context
    source = {"draft_token": shown["source"].token, "draft_revision": shown["source"].revision}
    return {"offered": shown["offered"], "why": shown.get("why"), "fields": shown.get("fields"), "source": source}


def store(client: Client, *, source: dict[str, Any], **fields: Any) -> HttpResponse:
    return client.post(STORE, {**filled(client, PAGE, **fields), **source})


def test_draft_is_offered_to_its_user_only_until_it_is_saved(editor: Client) -> None:
    source = context(editor, PAGE)["source"]
    answer = store(editor, source=source, why="Ahoy", **PIRATE).json()
    assert answer["revision"] == 1
    assert answer["tokens"]["field-identity"] == 6

    offered = context(editor, PAGE)["offered"]
    [(label, lines)] = offered["differences"]
    assert (label, ("+", "You are a pirate.") in lines) == ("Persona and workflow", True)
    assert f"{PAGE}?draft=continue" in editor.get(LIST).content.decode()
    other = Client()
    other.force_login(staff("erik", "tune_assistant"))
    assert context(other, PAGE)["offered"] is None
    assert f"{PAGE}?draft=continue" not in other.get(LIST).content.decode()

    continued = context(editor, f"{PAGE}?draft=continue")
    identity = next(box["text"] for box in continued["fields"] if box["field"].name == "identity")
    assert (identity, continued["why"], continued["offered"]) == ("You are a pirate.", "Ahoy", None)
    assert editor.post(PAGE, {**filled(editor, PAGE, **PIRATE), **continued["source"]}).status_code == 302
    assert not ConfigurationDraft.objects.exists()


def test_another_tab_neither_replaces_nor_deletes_a_draft(editor: Client) -> None:
    first, second = (context(editor, PAGE)["source"] for _ in range(2))
    store(editor, source=first, **PIRATE)
    refused = store(editor, source=second, **{"field-identity": "You are a librarian."})
    assert (refused.status_code, "other unsaved changes" in refused.json()["message"]) == (409, True)
    store(editor, source=second)
    editor.post(PAGE, {**filled(editor, PAGE, **{"field-model": "m"}), **second})
    assert ConfigurationDraft.objects.get().form["field-identity"] == ["You are a pirate."]
    assert store(editor, source={**first, "draft_revision": 1}).json()["revision"] == 0
    assert not ConfigurationDraft.objects.exists()


def test_preview_stores_the_input(editor: Client) -> None:
    form = {**filled(editor, PAGE, **PIRATE), **context(editor, PAGE)["source"]}
    preview: Any = editor.post(PREVIEW, form).context
    assert preview["source"].revision == ConfigurationDraft.objects.get().revision == 1


def test_draft_of_a_new_entry_is_offered_and_can_be_discarded(editor: Client) -> None:
    source = context(editor, ADD)["source"]
    unchanged = {**source, "field-enabled": "on"}
    assert editor.post(STORE_NEW, unchanged).json()["revision"] == 0
    editor.post(STORE_NEW, {**unchanged, "name": "a/b", "field-title": "Moons"})
    assert [label for label, _ in context(editor, ADD)["offered"]["differences"]] == ["Name", "Title"]
    assert editor.get(f"{ADD}?draft=continue").context["name"] == "a/b"
    discarded = editor.post(f"{STORE_NEW}?list", {"discard": "yes"}, follow=True)
    assert context(editor, ADD)["offered"] is None
    [first] = ConfigurationDraft.objects.all()
    page = discarded.content.decode()
    assert f'form="undo" formaction="{STORE_NEW}?list" name="restore" value="{first.pk}">Undo' in page
    assert "Discarded 20" in page

    # Restoring it discards a newer draft, which can be restored in turn.
    newer = {**context(editor, ADD)["source"], "name": "a/c"}
    editor.post(STORE_NEW, newer)
    restored = editor.post(STORE_NEW, {"restore": first.pk}, follow=True)
    assert restored.redirect_chain == [(ADD, 302)]
    assert restored.context["offered"]["differences"][0] == ("Name", [("+", "a/b")])
    second = ConfigurationDraft.objects.exclude(pk=first.pk).get()
    assert f'name="restore" value="{second.pk}">Undo' in restored.content.decode()
    other = Client()
    other.force_login(staff("erik", "tune_assistant"))
    assert "no longer exist" in other.post(STORE_NEW, {"restore": second.pk}, follow=True).content.decode()
    second.refresh_from_db()
    assert second.discarded_at is not None
    tidy_after(days=8)
    assert ConfigurationDraft.objects.get() == first


def test_form_of_a_stored_test_has_a_draft(editor: Client) -> None:
    test = PromptTest.objects.create(page="table_view", title="Count", messages=["How many rows?"], position=1)
    page = reverse("admin:chat_configuration_test", args=[test.pk])
    source = context(editor, page)["source"]
    assert all(hook in editor.get(page).content.decode() for hook in (f'data-draft="{page}draft/"', "data-save"))
    form = {**source, "field-title": "Count", "field-where": "table_view", "field-message": ["How many rows?", ""],
            "field-position": "1"}  # fmt: skip
    assert editor.post(f"{page}draft/", form).json()["revision"] == 0
    assert editor.post(f"{page}draft/", {**form, "field-message": ["How many?", "And now?"]}).json()["revision"] == 1
    [(label, lines)] = context(editor, page)["offered"]["differences"]
    assert (label, ("+", "And now?") in lines) == ("Messages", True)
    assert f"{page}?draft=continue" in editor.get(LIST).content.decode()
    continued = editor.get(f"{page}?draft=continue").context
    assert continued["boxes"][:2] == ["How many?", "And now?"]
    assert editor.post(page, {**form, "draft_token": continued["source"].token}).headers["Location"] == page
    assert not ConfigurationDraft.objects.exists()

    new = reverse("admin:chat_configuration_test_add")
    assert editor.post(f"{new}draft/", {**source, "field-where": "table_view"}).json()["revision"] == 0
    editor.post(f"{new}draft/", {**source, "field-where": "table_view", "field-title": "New"})
    assert "New stored test" in editor.get(LIST).content.decode()
    assert editor.get(f"{new}?draft=continue").context["test"].title == "New"


def test_draft_has_a_size_limit(editor: Client) -> None:
    source = context(editor, PAGE)["source"]
    answer = store(editor, source=source, **{"field-identity": "x" * 400_001})
    assert (answer.status_code, "longer than 400000" in answer.json()["message"]) == (422, True)
    assert not ConfigurationDraft.objects.exists()
