"""Concurrent changes of one entry by two editors: conflicts are reported by field, and nothing is lost."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
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


def shown(response: HttpResponse) -> Form:
    """Return what a browser submits from the page that reports a conflict."""
    context: Any = response.context  # type: ignore[attr-defined]
    form: Form = {"seen": context["seen"], "conflict_base": context["conflict_base"], "conflict": []}
    for box in context["fields"]:
        if box["field"].form != "flag" or box["value"]:
            form[box["name"]] = box["value"] if box["field"].form == "names" else box["text"] or "on"
        if box["conflict"]:
            name = box["field"].name
            form["conflict"].append(name)
            form |= {f"mine-{name}": box["conflict"]["mine"], f"resolve-{name}": box["conflict"]["choice"]}
    return form


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
    again = erik.post(PAGE, shown(answer))
    assert (again.status_code, "choose what to save" in again.content.decode()) == (422, True)
    assert persona() == "You are a librarian."
    theirs = {**shown(again), "resolve-identity": "theirs"}
    assert erik.post(PAGE, theirs).status_code == 302
    assert persona() == "You are a librarian."


def test_own_value_is_saved_by_choice_without_other_fields(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    editor.post(PAGE, without(filled(editor, PAGE, **{"field-identity": "You are a librarian."}), "delete_row"))
    page = shown(erik.post(PAGE, before))
    marked = erik.post(PAGE, {**page, "resolve-identity": "merge"})
    assert (marked.status_code, "remove the marks" in marked.content.decode()) == (422, True)
    assert erik.post(PAGE, {**shown(marked), "resolve-identity": "mine"}).status_code == 302
    assert (persona(), "delete_row" in tools()) == ("You are a pirate.", False)


def test_changes_that_do_not_overlap_are_merged(editor: Client, erik: Client) -> None:
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "One.\nTwo.\nThree."}))
    before = filled(erik, PAGE, **{"field-identity": "1.\nTwo.\nThree."})
    before = {**before, "field-tools": ["get_rows", "update_row"]}
    editor.post(PAGE, {**filled(editor, PAGE, **{"field-identity": "One.\nTwo.\n3."}), "field-tools": ["search_rows"]})
    page = shown(erik.post(PAGE, before))
    assert (page["resolve-identity"], page["resolve-tools"]) == ("merge", "merge")
    assert erik.post(PAGE, page).status_code == 302
    assert (persona(), tools()) == ("1.\nTwo.\n3.", ())


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
