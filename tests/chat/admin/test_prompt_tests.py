"""Stored tests of prompts: adding, editing and deleting them, and storing one from a trial."""
from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.exceptions import Settled
from chat.models import PromptTest
from chat.services.configuration.prompt_tests import MAX_TESTS_OF_A_PAGE, save_prompt_test
from tests.chat.admin.editors import staff
from tests.retention_clock import tidy_after

pytestmark = pytest.mark.django_db

DATA = reverse("admin:chat_configuration_test_data")
LIST = reverse("admin:chat_configuration_tests")
ADD = reverse("admin:chat_configuration_test_add")
FAULTY = ("title", "message-1", "position")
STORED = {"where": "table_view", "title": "", "messages": ["How many\nrows?", "And now?"]}


def store(client: Client, **fields: Any) -> HttpResponse:
    return client.post(DATA, json.dumps({**STORED, **fields}), content_type="application/json")


def test_trial_is_stored_as_the_last_test_of_its_page(editor: Client) -> None:
    PromptTest.objects.create(page="table_view", title="Earlier", messages=["Hello"], position=7)
    answer = store(editor)
    test = PromptTest.objects.get(title="How many rows?")
    assert (answer.status_code, test.position, test.messages) == (201, 8, STORED["messages"])
    assert test.updated_by is not None
    tests = editor.get(DATA, {"page": "table_view"}).json()["tests"]
    assert [each["title"] for each in tests] == ["Earlier", "How many rows?"]
    assert (tests[1]["where"], tests[1]["place"]) == ("table_view", "Table (table_view)")
    empty = editor.get(DATA, {"page": "tables_list"}, headers={"accept-language": "de"}).json()
    assert (empty["page"], empty["tests"]) == ("Tables", [])
    # The admin is in English in all browsers.
    assert "Read rows (get_rows)" in [tool["label"] for tool in empty["tools"]]


def test_invalid_test_is_not_stored(editor: Client) -> None:
    faulty: list[dict[str, Any]] = [
        {"where": "no_page"}, {"where": 1}, {"title": "x" * 121}, {"messages": []}, {"messages": [" "]},
        {"messages": [1]}, {"messages": ["Hello"] * 21}, {"messages": ["x" * 32_001]},
    ]  # fmt: skip
    assert [store(editor, **fields).status_code for fields in faulty] == [422] * len(faulty)
    assert not PromptTest.objects.exists()
    full = [PromptTest(page="table_view", title="Full", messages=["Hello"]) for _ in range(MAX_TESTS_OF_A_PAGE)]
    PromptTest.objects.bulk_create(full)
    assert "Delete one first" in store(editor).json()["detail"]


def test_test_is_edited_deleted_after_confirmation_and_restored(editor: Client) -> None:
    form = {"field-title": "Count", "field-where": "tables_list", "field-message": ["First\r\nline", "", "Second"],
            "field-position": "3"}  # fmt: skip
    assert editor.post(ADD, form).status_code == 302
    test = PromptTest.objects.get()
    assert (test.page, test.messages, test.position) == ("tables_list", ["First\nline", "Second"], 3)
    address = reverse("admin:chat_configuration_test", args=[test.pk])
    refused = editor.post(address, {**form, "field-message": "", "field-position": "x", "field-title": "t" * 121})
    assert refused.status_code == 422
    page = refused.content.decode()
    summary = re.findall(r'<li><a href="#([\w-]+)">', page)
    assert (summary, re.findall('class="errorlist" id="fault-([^"]+)"', page)) == ([*FAULTY], [*FAULTY])
    assert all(re.search(f'id="{name}"[^>]* aria-describedby="fault-{name}\\b', page) for name in FAULTY)
    assert editor.post(address, {**form, "field-message": "<b>Only</b>", "field-position": ""}).status_code == 302
    assert "Count" in editor.get(LIST).content.decode()
    deletion = reverse("admin:chat_configuration_test_deletion", args=[test.pk])
    assert "&lt;b&gt;Only&lt;/b&gt;" in editor.get(deletion).content.decode()
    assert PromptTest.objects.exists()
    restore = reverse("admin:chat_configuration_test_restore", args=[test.pk])
    assert f'formaction="{restore}"' in editor.post(deletion, follow=True).content.decode()
    assert (editor.get(address).status_code, editor.get(DATA, {"page": "tables_list"}).json()["tests"]) == (404, [])
    assert editor.post(restore).status_code == 302
    assert editor.get(address).status_code == 200
    assert editor.post(restore).status_code == 404
    editor.post(deletion)
    tidy_after(days=179)
    assert PromptTest.objects.exists()
    tidy_after(days=181)
    assert not PromptTest.objects.exists()


def shown(response: Any) -> dict[str, Any]:
    """Return what a browser submits from the form of a test."""
    context = response.context
    test, position, conflicts = context["test"], context["position"], context["conflicts"]
    form = {"field-title": test.title, "field-where": test.place, "field-position": position}
    form["field-message"] = test.messages
    form |= {f"base-{name}": texts for name, texts in context["base"].items()}
    form |= {f"mine-{name}": each["conflict"]["mine"] for name, each in conflicts.items()}
    return {**form, "conflict": list(conflicts)}


def test_test_changed_by_another_editor_is_not_replaced_silently(editor: Client) -> None:
    erik = Client()
    erik.force_login(staff("erik", "tune_assistant"))
    test = PromptTest.objects.create(page="table_view", title="Count", messages=["First", "Second"], position=1)
    address = reverse("admin:chat_configuration_test", args=[test.pk])
    before = shown(erik.get(address))
    editor.post(address, {**before, "field-message": ["First", "Theirs"], "field-title": "Number"})
    mine = {**before, "field-message": ["First", "Mine"], "field-position": "5"}
    conflict = erik.post(address, mine)
    page = conflict.content.decode()
    assert (conflict.status_code, "edda changed “Messages” while you were editing it." in page) == (409, True)
    assert ("− Theirs" in page, "+ Mine" in page) == (True, True)
    assert "changed “Title”" not in page
    unresolved = erik.post(address, shown(conflict))
    assert "Messages: choose what to save." in unresolved.content.decode()
    assert PromptTest.objects.get().messages == ["First", "Theirs"]
    # The draft of the same input shows the conflict, too.
    erik.post(reverse("admin:chat_configuration_test_draft", args=[test.pk]), mine)
    continued = erik.get(address, {"draft": "continue"})
    assert (list(continued.context["conflicts"]), continued.context["test"].title) == (["message"], "Number")
    # Another change before the choice is a conflict again; equal values and those of other fields are none.
    editor.post(address, {**shown(editor.get(address)), "field-message": ["Third"]})
    again = erik.post(address, {**shown(unresolved), "resolve-message": "mine"})
    assert (again.status_code, again.context["conflicts"]["message"]["conflict"]["mine"]) == (409, ["First", "Mine"])
    merged = {**shown(again), "resolve-message": "merge", "field-message": ["Third", "Mine"]}
    assert erik.post(address, merged).status_code == 302
    stored = PromptTest.objects.get()
    assert (stored.title, stored.messages, stored.position) == ("Number", ["Third", "Mine"], 5)
    for choice, expected in (("theirs", ["Third", "Mine"]), ("mine", ["First", "Mine"])):
        conflict = erik.post(address, mine)
        assert erik.post(address, {**shown(conflict), "resolve-message": choice}).status_code == 302
        assert PromptTest.objects.get().messages == expected
    stored.title = "Late"
    with pytest.raises(Settled):
        save_prompt_test(stored, user=None, now=timezone.now())


def test_tests_require_the_permission_to_configure(client: Client) -> None:
    client.force_login(staff("olaf", "view_figures"))
    assert [client.get(address).status_code for address in (LIST, ADD, DATA)] == [403, 403, 403]
    assert store(client).status_code == 403
