"""Two people edit one entry at once: nobody's words are lost, and nobody is told of what does not concern them."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from chat.models import ConfigurationChange, Override
from chat.overrides import current_catalogue, current_version
from tests.chat.admin.forms import filled

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
ENGINE = reverse("admin:chat_configuration_entry", args=["engine", "all"])

Form = dict[str, Any]


@pytest.fixture
def erik(db: None) -> Client:
    """Another who may tune the assistant."""
    person = User.objects.create(username="erik", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    client = Client()
    client.force_login(person)
    return client


def without(form: Form, tool: str) -> Form:
    """The form with this tool unticked."""
    return {**form, "field-tools": [name for name in form["field-tools"] if name != tool]}


def persona() -> str:
    page = current_catalogue().pages.get("table_view")
    assert page is not None
    return page.identity


def tools() -> tuple[str, ...]:
    page = current_catalogue().pages.get("table_view")
    assert page is not None
    return page.tools


def test_who_was_overtaken_is_told_by_whom_and_sees_what_stands_there_now(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "You are a librarian."}))
    answer = erik.post(PAGE, before)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "edda changed “Persona and workflow” while you were editing it." in page
    assert "− You are a librarian." in page
    assert "+ You are a pirate." in page
    assert persona() == "You are a librarian."


def test_who_sends_it_again_after_that_changes_what_they_touched_and_nothing_else(
    editor: Client, erik: Client
) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    theirs = without(filled(editor, PAGE, **{"field-identity": "You are a librarian."}), "delete_row")
    editor.post(PAGE, theirs)
    told = erik.post(PAGE, before)
    boxes = {box["field"].name: box for box in told.context["fields"]}
    assert boxes["identity"]["value"] == "You are a pirate."
    assert "delete_row" not in boxes["tools"]["value"]
    again = {**before, "field-tools": boxes["tools"]["value"], "seen": told.context["seen"]}
    assert erik.post(PAGE, again).status_code == 302
    assert persona() == "You are a pirate."
    assert "delete_row" not in tools()


def test_who_touched_another_field_is_told_nothing_and_takes_nothing_back(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    editor.post(PAGE, without(filled(editor, PAGE), "delete_row"))
    assert erik.post(PAGE, before).status_code == 302
    assert (persona(), "delete_row" in tools()) == ("You are a pirate.", False)
    assert ConfigurationChange.objects.count() == 2


def test_who_went_back_and_forth_meanwhile_overtakes_all_the_same(editor: Client, erik: Client) -> None:
    before = filled(erik, PAGE, **{"field-identity": "You are a pirate."})
    for words in ("You are a librarian.", "You are a gardener."):
        editor.post(PAGE, filled(editor, PAGE, **{"field-identity": words}))
    assert erik.post(PAGE, before).status_code == 409
    assert persona() == "You are a gardener."


def test_who_is_told_of_a_fault_has_not_yet_seen_what_somebody_did_meanwhile(editor: Client, erik: Client) -> None:
    before = filled(erik, ENGINE, **{"field-model": "mine", "field-max_iterations": "many"})
    editor.post(ENGINE, filled(editor, ENGINE, **{"field-model": "theirs"}))
    told = erik.post(ENGINE, before)
    assert told.status_code == 422
    again = {**before, "field-max_iterations": "5", "seen": told.context["seen"]}
    assert erik.post(ENGINE, again).status_code == 409
    assert current_catalogue().engine.model == "theirs"


def test_who_takes_everything_back_is_told_as_well(editor: Client, erik: Client) -> None:
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "You are a librarian."}))
    seen = current_version()
    editor.post(PAGE, filled(editor, PAGE, **{"field-identity": "You are a gardener."}))
    told = erik.post(PAGE, {**filled(erik, PAGE), "seen": seen, "remove": "yes"})
    assert told.status_code == 409
    assert {box["field"].name: box for box in told.context["fields"]}["identity"]["value"] == "You are a gardener."
    assert Override.objects.count() == 1
