"""Models and limits that cannot work are refused at their fields."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from django.core.cache import cache
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse

from chat.models import ModelCheck, Override
from chat.turns.model_clients import use_transport
from tests.chat.admin.forms import confirmed, filled

pytestmark = pytest.mark.django_db

ENGINE = reverse("admin:chat_configuration_entry", args=["engine", "all"])
MODELS = reverse("admin:chat_configuration_models")
IMPORT = reverse("admin:chat_configuration_import")
LISTED = {"data": [{"type": "model", "id": "plum-1", "display_name": "", "created_at": "2026-01-01T00:00:00Z"}]}
FILE = '{"format": 1, "entries": [{"kind": "engine", "name": "all", "field": "model", "value": "banana-1"}]}'


@pytest.fixture(autouse=True)
def provider() -> Iterator[None]:
    with override_settings(ANTHROPIC_API_KEY="sk-of-the-site"):
        yield


def lists(status: int = 200) -> Any:
    """A server that lists one model and knows it as `opus` too."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v1/models":
            return httpx2.Response(status, json={**LISTED, "has_more": False})
        known = request.url.path == "/v1/models/opus"
        return httpx2.Response(200 if known else 404, json=LISTED["data"][0] if known else {})

    return use_transport(httpx2.MockTransport(answer))


def save(client: Client, **fields: Any) -> Any:
    page = client.post(ENGINE, filled(client, ENGINE, **fields), follow=True)
    faults = {box["field"].name: box["faults"] for box in page.context["fields"] if box["faults"]}
    return faults, [str(message) for message in page.context["messages"]]


def test_model_that_the_server_does_not_have_is_refused(editor: Client) -> None:
    with lists():
        faults, _ = save(editor, **{"field-model": "banana-1"})
        imported = editor.post(IMPORT, {"content": FILE, "mode": "named"})
    [fault] = faults["model"]
    assert fault == (
        "https://api.anthropic.com has no model “banana-1”. It has, for example: plum-1."
    )
    assert fault in imported.content.decode()
    assert not Override.objects.exists()


@pytest.mark.parametrize("name", ["plum-1", "opus"], ids=["listed", "another name"])
def test_model_that_the_server_has_is_saved(editor: Client, name: str) -> None:
    with lists():
        faults, [shown] = save(editor, **{"field-model": name})
    assert (faults, shown.partition(" <")[0]) == ({}, "Saved. Applies from the next message.")
    assert Override.objects.get().value == name


def test_model_of_a_server_without_a_list_is_saved_with_a_warning(editor: Client) -> None:
    with lists(status=501):
        faults, shown = save(editor, **{"field-model": "qwen3"})
    assert faults == {}
    assert "“qwen3” could not be checked: https://api.anthropic.com does not list its models." in shown[0]
    assert Override.objects.get().value == "qwen3"


def test_known_models_are_suggested_at_once_and_those_of_the_server_by_a_cached_request(editor: Client) -> None:
    ModelCheck.objects.create(server="https://api.anthropic.com", model="pear-2")
    # Requests of the page itself would fail: no transport answers them.
    [field] = [box for box in editor.get(ENGINE).context["fields"] if box["field"].name == "model"]
    assert "pear-2" in field["suggested_models"]
    with lists(status=503):
        assert editor.get(MODELS).json() == {"models": []}
    cache.clear()
    with lists():
        assert editor.get(MODELS).json()["models"] == ["plum-1"]
    with lists(status=503):
        assert editor.get(MODELS).json()["models"] == ["plum-1"]


def test_contradicting_limits_are_refused_at_both_fields(editor: Client) -> None:
    faults, _ = save(editor, **{"field-call_seconds": "500", "field-turn_seconds": "10"})
    assert faults == {
        "call_seconds": ["Model call timeout (seconds) cannot be greater than Turn timeout (seconds), which is 10."],
        "turn_seconds": [
            "Turn timeout (seconds) cannot be less than Model call timeout (seconds), which is 500."
        ],
    }
    assert save(editor, **{"field-call_seconds": "500", "field-turn_seconds": "600"})[0] == {}
    # The default of 300 would be shorter than the call.
    page = editor.post(ENGINE, filled(editor, ENGINE, **{"reset-turn_seconds": "on"}))
    assert (page.status_code, Override.objects.count()) == (422, 2)
    both = {"reset-turn_seconds": "on", "reset-call_seconds": "on"}
    assert confirmed(editor, editor.post(ENGINE, filled(editor, ENGINE, **both))).status_code == 302
