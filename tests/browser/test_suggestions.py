"""Suggestions of an answer can be used after another answer and after a reload."""
from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message, wait_for_answer
from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

VALUES = json.dumps([{"label": "By city", "value": "Count them by city"}])
ACTIONS = json.dumps([{"label": "Close the chat", "action": "close_chat"}])


def test_suggestions_of_an_older_answer_can_be_used_after_a_reload(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    scripted.add(
        reply(f"Three.\n\nSUGGESTED_VALUES: {VALUES}\n\nSUGGESTED_ACTIONS: {ACTIONS}"),
        reply("You are welcome."),
        reply("Two in Berlin."),
    )
    log = page.get_by_role("log")
    chip = log.get_by_role("group", name="Suggestions").get_by_role("button", name="By city")
    action = log.get_by_role("group", name="Actions").get_by_role("button", name="Close the chat")

    send_message(page, "How many?")
    wait_for_answer(page, "Three.")
    send_message(page, "Thanks")
    wait_for_answer(page, "You are welcome.")
    expect(chip).to_be_visible()
    expect(action).to_be_visible()

    page.reload()
    expect(action).to_be_enabled()
    chip.click()
    wait_for_answer(page, "Two in Berlin.")
    expect(log.locator(".bubble--user")).to_have_text(["How many?", "Thanks", "Count them by city"])
    expect(chip).to_have_count(1)
    action.click()
    expect(page.locator("[data-tray]")).to_have_attribute("data-tray", "closed")
