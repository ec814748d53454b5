"""Provider failures in the browser: one message with an action, and a chat that works afterwards.

The message of each failure is tested in tests/chat/turns/test_failures.py.
"""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message, wait_for_answer
from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel, refuse
from tests.scripted_model import say as reply

OVERLOADED = {"type": "overloaded_error", "message": "sk-secret at 10.0.0.1 is overloaded"}
FAILURES = (
    (refuse(401, kind="authentication_error", message="sk-secret"), "key"),
    (reply("Half", ending="error", error=OVERLOADED), "Half"),
    (reply("I will n", stop_reason="refusal"), "declined"),
    (reply("word " * 60_000, sizes=(4_000,)), "word word"),
)


def test_a_provider_failure_shows_one_message_and_the_chat_works_afterwards(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    for number, (failure, message) in enumerate(FAILURES, start=1):
        scripted.add(failure)
        send_message(page, "tell me")
        expect(log).to_contain_text(message)
        expect(log).to_have_attribute("aria-busy", "false")
        for secret in ("sk-secret", "10.0.0.1", "Traceback"):
            expect(log).not_to_contain_text(secret)
        assert log.get_by_role("alert").count() <= number

        scripted.add(reply(f"Still here: {number}."))
        send_message(page, "and now?")
        wait_for_answer(page, f"Still here: {number}.")
    assert scripted.problems == []
