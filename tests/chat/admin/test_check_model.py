"""`manage.py check_model` prints and stores what each server supports; the admin shows the stored result."""
from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse

from chat.models import ModelCheck
from chat.turns.model_clients import use_transport
from tests.capable_model import capable_model
from tests.chat.turns.turn_runs import run_turn
from tests.local_servers import LocalServer
from tests.scripted_model import say

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "sk-secret-of-this-site"


@pytest.fixture(autouse=True)
def local() -> Iterator[None]:
    address = f"http://user:{KEY}@127.0.0.1:8080/"
    with override_settings(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=address, CHAT_MODEL="qwen3"):
        yield


def checked(name: str, **model: Any) -> tuple[str, ModelCheck, str]:
    """Return what the command prints, the stored check, and the error output."""
    script = LocalServer(name)
    script.add(*[capable_model(script, **model)] * 30)
    out, failed = io.StringIO(), ""
    with use_transport(script.transport()):
        try:
            call_command("check_model", stdout=out)
        except CommandError as error:
            failed = str(error)
    return out.getvalue(), ModelCheck.objects.get(), failed


@pytest.mark.parametrize(
    ("name", "cannot", "lacks"),
    [
        ("ollama", {"Forced tools", "No tools", "Token counts", "Prompt cache"}, ["tool_choice"]),
        ("llama_cpp", set(), []),
        ("vllm", {"No tools", "Prompt cache"}, ["tool_choice"]),
        (
            "litellm",
            {"Forced tools", "No tools", "Token counts", "Usage", "Prompt cache"},
            ["cache_control", "tool_choice", "usage"],
        ),
    ],
)
def test_abilities_of_each_server_are_found(name: str, cannot: set[str], lacks: list[str]) -> None:
    printed, check, failed = checked(name)

    assert {finding["name"] for finding in check.findings if not finding["works"]} == cannot
    assert (check.server, check.model, check.lacks) == ("http://127.0.0.1:8080", "qwen3", lacks)
    assert "The assistant works with qwen3." in printed
    assert failed == ""


def test_model_without_proposals_is_reported_as_unusable() -> None:
    printed, check, failed = checked("llama_cpp", proposal="I set it to Done.")

    assert failed == "The assistant does not work with qwen3."
    assert "Proposals      NO   Does not write a proposal when asked to." in printed
    assert check.checked_at is not None


def test_key_and_password_of_the_url_are_neither_printed_nor_stored(editor: Client) -> None:
    script = LocalServer("litellm")
    script.add(script.refuse(401, f"invalid key {KEY}"))
    out = io.StringIO()
    with use_transport(script.transport()), pytest.raises(CommandError):
        call_command("check_model", stdout=out)

    page = editor.get(reverse("admin:chat_override_changelist")).content.decode()
    assert "API key or account" in page
    assert KEY not in out.getvalue() + page + str(ModelCheck.objects.get().findings)


def test_administrators_see_the_stored_check_and_its_time(editor: Client) -> None:
    page = reverse("admin:chat_override_changelist")
    assert "Not checked yet" in editor.get(page).content.decode()

    _, check, _ = checked("ollama")

    shown = editor.get(page).content.decode()
    assert f"Checked on {check.checked_at:%Y-%m-%d %H:%M}" in shown
    assert "Features the server lacks: tool_choice." in shown


@pytest.mark.usefixtures("notes")
def test_abilities_found_in_a_turn_are_stored_for_other_processes_and_shown(user: User, editor: Client) -> None:
    first = LocalServer("litellm", say("Hello."))
    run_turn(user, first)

    second = LocalServer("litellm", say("Hello again."))
    run_turn(user, second)

    assert len(first.requests) > 1
    assert len(second.requests) == 1
    shown = editor.get(reverse("admin:chat_override_changelist")).content.decode()
    assert "Features the server lacks: cache_control, tool_choice, usage." in shown


def test_demo_model_needs_no_check() -> None:
    with override_settings(ANTHROPIC_API_KEY="", ANTHROPIC_BASE_URL=""), pytest.raises(CommandError, match="demo"):
        call_command("check_model")
