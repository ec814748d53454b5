"""Concurrent changes of one entry by two editors: conflicts are reported by field, and nothing is lost."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import current_catalogue, current_version
from tests.chat.admin.forms import filled

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
ENGINE = reverse("admin:chat_configuration_entry", args=["engine", "all"])

Form = dict[str, Any]


@pytest.fixture
def erik(db: None) -> Client:
    """Another editor."""
    user = User.objects.create(username="erik", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    client = Client()
    client.force_login(user)
    return client


def without(form: Form, tool: str) -> Form:
    """Return the form with this tool unticked."""
    return {**form, "field-tools": [name for name in form["field-tools"] if name != tool]}


def persona() -> str:
    page = current_catalogue().pages.get("table_view")
    assert page is not None
    return page.identity


def tools() -> tuple[str, ...]:
    page = current_catalogue().pages.get("table_view")
    assert page is not None
    return page.tools


def test_conflict_names_the_other_editor_and_the_current_value(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "You are a librarian."}))
    answer = erik.post(PAGE, before)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "edda changed “Persona and workflow” while you were editing it." in page
    assert '− You are a <b class="word">librarian</b>.' in page
    assert '+ You are a <b class="word">pirate</b>.' in page
    assert persona() == "You are a librarian."


def test_submitting_again_overwrites_only_the_changed_fields(
    editor: Client, erik: Client
) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    other_form = without(filled(editor, PAGE, **{"field-identity": "You are a librarian."}), "delete_row")
    editor.post(PAGE, other_form)
    response = erik.post(PAGE, before)
    boxes = {box["field"].name: box for box in response.context["fields"]}
    assert boxes["identity"]["value"] == "You are a pirate."
    assert "delete_row" not in boxes["tools"]["value"]
    again = {**before, "field-tools": boxes["tools"]["value"], "seen": response.context["seen"]}
    assert erik.post(PAGE, again).status_code == 302
    assert persona() == "You are a pirate."
    assert "delete_row" not in tools()


def test_change_of_another_field_is_no_conflict_and_is_preserved(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    editor.post(PAGE, without(filled(editor, PAGE), "delete_row"))
    assert erik.post(PAGE, before).status_code == 302
    assert (persona(), "delete_row" in tools()) == ("You are a pirate.", False)
    assert ConfigurationChange.objects.count() == 2


def test_change_that_was_reverted_is_a_conflict(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    for identity in ("You are a librarian.", "You are a gardener."):
        editor.post(PAGE, filled(editor, PAGE, **{"field-identity": identity}))
    assert erik.post(PAGE, before).status_code == 409
    assert persona() == "You are a gardener."


def test_form_with_an_error_does_not_hide_a_conflict(editor: Client, erik: Client) -> None:
    before = filled(erik, ENGINE, **{"field-model": "mine", "field-max_iterations": "many"})
    editor.post(ENGINE, filled(editor, ENGINE, **{"field-model": "theirs"}))
    response = erik.post(ENGINE, before)
    assert response.status_code == 422
    again = {**before, "field-max_iterations": "5", "seen": response.context["seen"]}
    assert erik.post(ENGINE, again).status_code == 409
    assert current_catalogue().engine.model == "theirs"


def test_reset_of_the_entry_reports_conflicts(editor: Client, erik: Client) -> None:
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "You are a librarian."}))
    seen = current_version()
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "You are a gardener."}))
    response = erik.post(PAGE, {**filled(erik, PAGE), "seen": seen, "remove": "yes"})
    assert response.status_code == 409
    assert {box["field"].name: box for box in response.context["fields"]}["identity"]["value"] == "You are a gardener."
    assert Override.objects.count() == 1
