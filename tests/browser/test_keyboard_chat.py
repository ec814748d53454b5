"""A conversation led by keys alone: nothing needs a pointer, and the keyboard is never left nowhere."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import say
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import Held
from tests.browser.small_table import made_table
from tests.scripted_model import Gate, ScriptedModel, interrupted, use
from tests.scripted_model import say as reply

OFFER = 'Two are open. SUGGESTED_VALUES: ["Show Acme", "Show Bolt"]'


def test_a_conversation_goes_by_keys_from_the_first_word_to_another_version(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    composer, log = page.get_by_role("textbox", name="Message the assistant"), page.get_by_role("log")

    scripted.add(reply("This goes on.", sizes=(4,), gate=Gate(), gate_after=1))
    say(page, "Which are open?")
    expect(log).to_contain_text("This")
    page.keyboard.press("Escape")
    expect(log).to_contain_text("Stopped")
    expect(composer).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(composer).to_have_value("Which are open?")

    scripted.add(reply(OFFER))
    page.keyboard.press("Enter")
    chip = log.get_by_role("button", name="Show Acme")
    chip.focus()
    scripted.add(interrupted("It begins, but then"))
    page.keyboard.press("Enter")
    again = log.get_by_role("alert").get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    expect(chip).to_be_focused()

    scripted.add(reply("Here is Acme."))
    versions = Held(page, re.compile(r"/messages/$"))
    again.focus()
    page.keyboard.press("Enter")
    expect(log).to_contain_text("Here is Acme.")
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


def edit_last_question(page: Page, *, to: str, versions: Held) -> None:
    """Send it in other words; its versions, which are held back, arrive while the keyboard is on its button."""
    log = page.get_by_role("log")
    edit = log.get_by_role("button", name="Edit and send again").last
    expect(edit).to_be_enabled()
    edit.focus()
    versions.asked()
    # The question is drawn again.
    versions.let_go()
    expect(edit).to_be_focused()
    page.keyboard.press("Enter")
    expect(log.get_by_role("textbox")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(to)
    page.keyboard.press("Enter")


def test_an_answer_is_heard_once_when_it_is_whole_and_a_failure_at_once(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log, said = page.get_by_role("log"), page.locator("[data-part=say]")
    gate = Gate()
    scripted.add(reply("Two are **open**.", sizes=(4,), gate=gate, gate_after=1))
    say(page, "Which are open?")
    expect(log).to_contain_text("Two")
    expect(log).to_have_attribute("aria-live", "off")
    expect(log).to_have_attribute("aria-busy", "true")
    expect(said).not_to_contain_text("Two")
    gate.open()
    expect(said).to_have_text("Two are open.")
    expect(log).to_have_attribute("aria-busy", "false")
    scripted.add(interrupted("It begins, but then"))
    say(page, "And which are not?")
    expect(log.get_by_role("alert")).to_be_visible()
    expect(said).not_to_contain_text("It begins")


def test_what_a_tool_wrote_is_looked_at_and_taken_back_by_keys(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=scripted_app.link_for_new_user())
    page.goto(made_table(page, scripted_app))
    log = page.get_by_role("log")
    scripted.add(use(("create_row", {"data": {"Company": "Zeppelin"}})), reply("Added."))
    say(page, "Add Zeppelin")
    expect(log).to_contain_text("Added.")
    card = log.locator(".toolrow")
    undo = card.get_by_role("button", name="Undo")
    undo.focus()
    page.keyboard.press("Enter")
    expect(card.get_by_role("button", name="Redo")).to_be_focused()
