"""Stored tests of prompts: adding, editing and deleting them, and storing one from a trial."""
from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from chat.models import PromptTest
from chat.services.configuration.prompt_tests import MAX_TESTS_OF_A_PAGE
from tests.chat.admin.editors import staff
from tests.retention_clock import tidy_after

pytestmark = pytest.mark.django_db

DATA = reverse("admin:chat_configuration_test_data")
LIST = reverse("admin:chat_configuration_tests")
ADD = reverse("admin:chat_configuration_test_add")
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
    assert tests[1]["where"] == "table_view"
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
    assert {"title", "messages", "position"} <= set(refused.context["faults"])
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


def test_tests_require_the_permission_to_configure(client: Client) -> None:
    client.force_login(staff("olaf", "view_figures"))
    assert [client.get(address).status_code for address in (LIST, ADD, DATA)] == [403, 403, 403]
    assert store(client).status_code == 403
