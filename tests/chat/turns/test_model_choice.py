"""Several models: selection by page, user and administrator, and the recorded model."""
from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse
from django.utils import timezone

from chat.configuration import Address
from chat.exceptions import Malformed
from chat.provider.chat_models import ChatModel, Prices
from chat.selectors import trace_view
from chat.selectors.configuration.catalogue import current_catalogue
from chat.selectors.figures import TurnSelection, statistics
from chat.services.configuration.changes import Edit, change_configuration
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import run_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
BIG = ChatModel("big", "Claude", "claude-big", "", "sk-big", Prices(Decimal(1_000), Decimal(1_000)))
SMALL = ChatModel("small", "Qwen, local", "qwen3", "http://127.0.0.1:11434")


@pytest.fixture(autouse=True)
def two_models() -> Iterator[None]:
    with override_settings(CHAT_MODELS=(BIG, SMALL), CHAT_MODEL="big"):
        yield


def configure(user: User, *, kind: str = "page", name: str = "notes", **values: Any) -> None:
    change_configuration(user=user, edits=[Edit(Address(kind, name), values)], now=timezone.now())


def run(user: User, **fields: Any) -> tuple[str, str]:
    """Run a turn; return the model that was called, as its server names it, and the recorded name."""
    script = ScriptedModel(say("Hello."))
    turn, _ = run_turn(user, script, turn_request(**fields))
    return script.requests[0]["model"], turn.model


def test_first_model_is_the_default(user: User) -> None:
    assert run(user) == ("claude-big", "big")


def test_page_has_its_own_model(user: User) -> None:
    configure(user, model="small")

    assert run(user) == ("qwen3", "small")


def test_users_choose_where_they_may(user: User) -> None:
    configure(user, allow_model_choice=True)

    assert run(user, model="small") == ("qwen3", "small")


@pytest.mark.parametrize(
    ("allowed", "model", "code"),
    [(False, "small", "model_not_allowed"), (True, "huge", "unknown_model"), (True, "qwen3", "unknown_model")],
)
def test_other_choices_are_refused(user: User, allowed: bool, model: str, code: str) -> None:
    configure(user, allow_model_choice=allowed)
    with pytest.raises(Malformed) as caught:
        run(user, model=model)
    assert (caught.value.code, caught.value.path) == (code, "model")


def test_api_accepts_and_lists_the_models_of_the_page(user: User, api: Any) -> None:
    body = {"message": "Hi", "context": {"current_page": "notes", "note_id": "7"}, "model": "small"}
    assert api.get("/api/chat/pages/notes/").json()["models"] == []
    refused = api.post("/api/chat/stream/", body)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "model")

    configure(user, allow_model_choice=True, model="small")

    assert api.get("/api/chat/pages/notes/").json()["models"] == [
        {"name": "big", "label": "Claude", "default": False},
        {"name": "small", "label": "Qwen, local", "default": True},
    ]
    turn, _ = run_turn(user, ScriptedModel(say("Hello.")))
    messages = api.get(f"/api/chat/conversations/{turn.conversation_id}/messages/").json()["messages"]
    assert [message["model"] for message in messages] == ["", "small"]
    assert api.get(f"/api/chat/turns/{turn.pk}/").json()["model"] == "small"


def test_trace_and_figures_have_the_model_that_answered(user: User) -> None:
    turn, _ = run_turn(user, ScriptedModel(say("Hello.")))
    configure(user, model="small")
    other, _ = run_turn(user, ScriptedModel(say("Hello.")))

    views = [trace_view(each) or {} for each in (turn, other)]
    assert [view["model"] for view in views] == ["big", "small"]
    assert ["cost" in view for view in views] == [True, False]
    assert statistics(TurnSelection(), days=1, now=timezone.now()).total.cost == Decimal(views[0]["cost"])


@pytest.mark.parametrize(("kind", "name"), [("page", "notes"), ("engine", "all")])
def test_administrators_choose_among_configured_models(user: User, kind: str, name: str) -> None:
    with pytest.raises(Malformed, match="CHAT_MODELS has big, small"):
        configure(user, kind=kind, name=name, model="huge")

    configure(user, kind=kind, name=name, model="small")

    assert run(user) == ("qwen3", "small")
    with override_settings(CHAT_MODELS=(BIG,)):
        assert "There is no model 'small'" in " ".join(current_catalogue().faults)
        assert run(user) == ("claude-big", "big")


def test_admin_page_lists_the_models(admin_client: Client) -> None:
    page = admin_client.get(reverse("admin:chat_configuration_entry", args=["page", "notes"])).content.decode()

    assert '<option value="small">small</option>' in page
    assert '<option value="" selected>Default model</option>' in page
    index = admin_client.get(reverse("admin:chat_override_changelist")).content.decode()
    assert "Qwen, local" in index
    assert "sk-big" not in page + index
