"""A conversation by keyboard only: nothing needs a pointer, and the focus is never lost."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.scripted_model import Gate, ScriptedModel, interrupted
from tests.scripted_model import say as reply

ANSWER = 'Two are open. SUGGESTED_VALUES: ["Show Acme", "Show Bolt"]'


def test_a_conversation_works_by_keyboard_from_first_message_to_another_version(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    composer, log = page.get_by_role("textbox", name="Message the assistant"), page.get_by_role("log")

    scripted.add(reply("This goes on.", sizes=(4,), gate=Gate(), gate_after=1))
    send_message(page, "Which are open?")
    expect(log).to_contain_text("This")
    page.keyboard.press("Escape")
    expect(log).to_contain_text("Stopped")
    expect(composer).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(composer).to_have_value("Which are open?")

    scripted.add(reply(ANSWER))
    page.keyboard.press("Enter")
    chip = log.get_by_role("button", name="Show Acme")
    chip.focus()
    scripted.add(interrupted("It begins, but then"))
    page.keyboard.press("Enter")
    again = log.get_by_role("alert").get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    expect(chip).to_be_focused()

    scripted.add(reply("Here is Acme."))
    versions = HeldRequests(page, re.compile(r"/messages/$"))
    again.focus()
    page.keyboard.press("Enter")
    expect(log).to_contain_text("Here is Acme.")
    expect(log.get_by_role("alert")).to_have_count(0)
    expect(log.get_by_text("Show Acme")).to_have_count(2)  # the suggestion, and the message sent with it
    expect(composer).to_be_focused()

    scripted.add(reply("Here is Crux."))
    edit_last_question(page, to="Show Crux", versions=versions)
    expect(log).to_contain_text("Here is Crux.")
    expect(composer).to_be_focused()
    before = log.get_by_role("button", name="Version before").first
    expect(before).to_be_enabled()
    before.focus()
    page.keyboard.press("Enter")
    expect(log).to_contain_text("Here is Acme.")
    expect(log.locator("[data-version] button:focus")).to_have_count(1)


def edit_last_question(page: Page, *, to: str, versions: HeldRequests) -> None:
    """Edit and send the last message; its versions, which are held back, arrive while its button has the focus."""
    log = page.get_by_role("log")
    edit = log.get_by_role("button", name="Edit and send again").last
    expect(edit).to_be_enabled()
    edit.focus()
    versions.wait_for_request()
    # The message is drawn again.
    versions.release()
    expect(edit).to_be_focused()
    page.keyboard.press("Enter")
    expect(log.get_by_role("textbox")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(to)
    page.keyboard.press("Enter")


def test_a_complete_answer_is_announced_once_and_a_failure_at_once(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log, announcement = page.get_by_role("log"), page.locator("[data-part=say]")
    gate = Gate()
    scripted.add(reply("Two are **open**.", sizes=(4,), gate=gate, gate_after=1))
    send_message(page, "Which are open?")
    expect(log).to_contain_text("Two")
    expect(log).to_have_attribute("aria-live", "off")
    expect(log).to_have_attribute("aria-busy", "true")
    expect(announcement).not_to_contain_text("Two")
    gate.open()
    expect(announcement).to_have_text("Two are open.")
    expect(log).to_have_attribute("aria-busy", "false")
    scripted.add(interrupted("It begins, but then"))
    send_message(page, "And which are not?")
    expect(log.get_by_role("alert")).to_be_visible()
    expect(announcement).not_to_contain_text("It begins")
