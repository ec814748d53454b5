"""A configuration change in one server process is effective in the next turn of every process,
with Redis or without."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from chat.models import Message, Override
from chat.selectors.configuration.catalogue import current_version
from tests.chat.admin.forms import filled
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.redis_server import redis_server
from tests.scripted_model import Gate, ScriptedModel, say, use
from tests.tables.concurrency.processes import ServerProcess

pytestmark = pytest.mark.django_db(transaction=True)

PERSONA = reverse("admin:chat_configuration_entry", args=["page", "tables_list"])
RESTORE = reverse("admin:chat_configuration_restore")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LIBRARIAN = "You are a careful librarian."

Json = dict[str, Any]


@pytest.fixture(scope="module")
def script() -> ScriptedModel:
    """The Messages API of all processes."""
    return ScriptedModel()


@pytest.fixture(
    scope="module",
    params=[
        # One parameter per database, because both store the same. Several machines need Redis.
        pytest.param(
            ("daphne", "uvicorn", "Redis"), id="changed at Daphne, with Redis", marks=pytest.mark.postgres_only
        ),
        pytest.param(
            ("uvicorn", "daphne", None), id="changed at uvicorn, without Redis", marks=pytest.mark.sqlite_only
        ),
    ],
)
def addresses(
    request: pytest.FixtureRequest, django_db_setup: None, script: ScriptedModel
) -> Iterator[tuple[str, str]]:
    """The URLs of the process where the configuration is changed, and of another one."""
    changed, other, redis = request.param
    with ExitStack() as stack:
        url = stack.enter_context(script.serve())
        environment = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "a-key-for-tests"}
        if redis:
            environment["REDIS_URL"] = stack.enter_context(redis_server())
        both = ServerProcess(changed, **environment), ServerProcess(other, **environment)
        for server in both:
            stack.callback(server.kill)
        yield both[0].wait().address, both[1].wait().address


@pytest.fixture
def both(addresses: tuple[str, str]) -> tuple[Browser, Browser]:
    """The browsers of an editor: at the process where the configuration is changed, and at the other one."""
    user = User.objects.create(username="edda", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    return Browser(addresses[0], user), Browser(addresses[1], user)


def list_body() -> Json:
    return turn_body(context={"current_page": "tables_list"})


def save(browser: Browser, address: str, form: Json) -> None:
    """Submit a form of the admin, as its page does."""
    with browser.open("POST", address, urlencode(form, doseq=True).encode(), **FORM) as sent:
        assert sent.response.status == 302


def save_persona(browser: Browser) -> None:
    """Change the persona and save it."""
    pages = Client()
    pages.force_login(User.objects.get(username="edda"))
    save(browser, PERSONA, filled(pages, PERSONA, **{"field-identity": LIBRARIAN}))


def read_persona(browser: Browser, script: ScriptedModel) -> tuple[bool, int]:
    """Run a turn; return whether the model was sent the new persona, and the version of the configuration."""
    script.add(say("Hello."))
    with browser.open("POST", STREAM, list_body()) as stream:
        message_id = list(stream)[-1]["payload"]["message_id"]
    system = "".join(block["text"] for block in script.requests[-1]["system"])
    return LIBRARIAN in system, Message.objects.get(pk=message_id).configuration


def test_new_persona_is_in_the_next_request_of_both_until_it_is_restored(
    both: tuple[Browser, Browser], script: ScriptedModel
) -> None:
    changed, other = both
    assert [read_persona(browser, script) for browser in both] == [(False, 0), (False, 0)]
    save_persona(changed)
    assert [read_persona(browser, script) for browser in (other, changed)] == [(True, 1), (True, 1)]
    save(other, RESTORE, {"version": "0", "shown": "1", "confirm": "Restore"})
    assert not Override.objects.exists()
    assert [read_persona(browser, script) for browser in (changed, other)] == [(False, 2), (False, 2)]


def test_running_turn_keeps_its_configuration(both: tuple[Browser, Browser], script: ScriptedModel) -> None:
    changed, other = both
    gate = Gate()
    script.add(use(("list_tables", {}), gate=gate), say("None."))
    with other.open("POST", STREAM, list_body()) as stream:
        stream.until("status")
        assert gate.reached.wait(120)
        save_persona(changed)
        assert current_version() == 1
        gate.open()
        final = list(stream)[-1]["payload"]
    first, second = script.requests[-2:]
    assert first["system"] == second["system"]
    assert LIBRARIAN not in str(second["system"])
    assert Message.objects.get(pk=final["message_id"]).configuration == 0
    assert read_persona(other, script) == (True, 1)
