"""Provider failures in the browser: one message with an action, and a chat that works afterwards.

The message of each failure is tested in tests/chat/turns/test_failures.py.
"""
from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel, refuse
from tests.scripted_model import say as reply

OVERLOADED = {"type": "overloaded_error", "message": "sk-secret at 10.0.0.1 is overloaded"}
CASES = {
    "a key that is refused": ([refuse(401, kind="authentication_error", message="sk-secret")], "key"),
    "overloaded in the middle": ([reply("Half", ending="error", error=OVERLOADED)], "Half"),
    "a refusal": ([reply("I will n", stop_reason="refusal")], "declined"),
    "a flood": ([reply("word " * 60_000, sizes=(4_000,))], "word word"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_provider_failure_shows_one_message_and_the_chat_works_afterwards(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page], name: str
) -> None:
    replies, message = CASES[name]
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(*replies)
    send_message(page, "tell me")

    expect(log).to_contain_text(re.compile(re.escape(message)))
    expect(log).to_have_attribute("aria-busy", "false")
    for secret in ("sk-secret", "10.0.0.1", "Traceback"):
        expect(log).not_to_contain_text(secret)
    assert log.get_by_role("alert").count() <= 1

    scripted.add(reply("Still here."))
    send_message(page, "and now?")
    expect(log).to_contain_text("Still here.")
    assert scripted.problems == []
