"""What an administrator changes at one server process is what the next turn of every process goes by, with Redis or
without."""
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
from chat.overrides import current_version
from tests.chat.admin.forms import filled
from tests.chat.stream_client import STREAM, Browser, wish
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
    """What the Messages API of all processes says."""
    return ScriptedModel()


@pytest.fixture(
    scope="module",
    params=[
        # Each with one of the databases: the same is written to both. Redis comes with several machines.
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
    """The addresses of the process where the configuration is changed and of another one."""
    here, there, redis = request.param
    with ExitStack() as stack:
        url = stack.enter_context(script.serve())
        environment = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "a-key-for-tests"}
        if redis:
            environment["REDIS_URL"] = stack.enter_context(redis_server())
        both = ServerProcess(here, **environment), ServerProcess(there, **environment)
        for server in both:
            stack.callback(server.kill)
        yield both[0].wait().address, both[1].wait().address


@pytest.fixture
def both(addresses: tuple[str, str]) -> tuple[Browser, Browser]:
    """The browsers of an editor: at the process where the configuration is changed, and at the other one."""
    person = User.objects.create(username="edda", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    return Browser(addresses[0], person), Browser(addresses[1], person)


def asked() -> Json:
    return wish(context={"current_page": "tables_list"})


def saved(browser: Browser, address: str, form: Json) -> None:
    """Sends a form of the admin, as its page does."""
    with browser.open("POST", address, urlencode(form, doseq=True).encode(), **FORM) as sent:
        assert sent.response.status == 302


def new_persona(browser: Browser) -> None:
    """Somebody writes another persona and saves it."""
    pages = Client()
    pages.force_login(User.objects.get(username="edda"))
    saved(browser, PERSONA, filled(pages, PERSONA, **{"field-identity": LIBRARIAN}))


def told_by(browser: Browser, script: ScriptedModel) -> tuple[bool, int]:
    """Of a turn there: whether the model was told the new persona, and the version that its answer was made with."""
    script.add(say("Hello."))
    with browser.open("POST", STREAM, asked()) as stream:
        message_id = list(stream)[-1]["payload"]["message_id"]
    system = "".join(block["text"] for block in script.requests[-1]["system"])
    return LIBRARIAN in system, Message.objects.get(pk=message_id).configuration


def test_a_new_persona_is_in_the_next_request_of_both_and_restoring_takes_it_out_again(
    both: tuple[Browser, Browser], script: ScriptedModel
) -> None:
    here, there = both
    assert [told_by(browser, script) for browser in both] == [(False, 0), (False, 0)]
    new_persona(here)
    assert [told_by(browser, script) for browser in (there, here)] == [(True, 1), (True, 1)]
    saved(there, RESTORE, {"version": "0", "seen": "1", "confirm": "Restore"})
    assert not Override.objects.exists()
    assert [told_by(browser, script) for browser in (here, there)] == [(False, 2), (False, 2)]


def test_a_turn_that_runs_keeps_to_what_it_began_with(both: tuple[Browser, Browser], script: ScriptedModel) -> None:
    here, there = both
    gate = Gate()
    script.add(use(("list_tables", {}), gate=gate), say("None."))
    with there.open("POST", STREAM, asked()) as stream:
        stream.until("status")
        assert gate.reached.wait(120)
        new_persona(here)
        assert current_version() == 1
        gate.open()
        final = list(stream)[-1]["payload"]
    first, second = script.requests[-2:]
    assert first["system"] == second["system"]
    assert LIBRARIAN not in str(second["system"])
    assert Message.objects.get(pk=final["message_id"]).configuration == 0
    assert told_by(there, script) == (True, 1)
