"""Conversations of a page: found by words, named, deleted and brought back; and thumbs for answers."""
from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import answered, opened_and_listening, say
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import Held
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

OpenPage = Callable[..., Page]


@pytest.fixture
def page(scripted_app: RunningApp, open_page: OpenPage, scripted: ScriptedModel) -> Page:
    """A page with two conversations, of which the second is open."""
    page = open_page(scripted_app.link_for_new_user())
    for asked, words in (("What about Berlin?", "It is large."), ("What about Paris?", "It is old.")):
        scripted.add(reply(words))
        page.get_by_role("button", name="New conversation").last.click()
        say(page, asked)
        answered(page, words)
    return page


def menu(page: Page) -> Locator:
    """The list of conversations, open."""
    listed = page.locator("#chat-conversations")
    if not listed.is_visible():
        page.locator("[data-part=title]").click()
    expect(listed.get_by_text("Conversations here")).to_be_visible()
    return listed


def test_words_of_an_answer_find_its_conversation(page: Page) -> None:
    menu(page).get_by_role("searchbox", name="Search conversations").fill("LARGE berlin")
    expect(menu_lines(page)).to_have_text(["What about Berlin?"])
    expect(page.locator("#chat-conversations [role=status]")).to_have_text("1 found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("It is large.")
    expect(page.locator("[data-part=title]")).to_have_text("What about Berlin?")


def menu_lines(page: Page) -> Locator:
    return page.locator("#chat-conversations .convo__open b")


def test_a_conversation_gets_another_title_by_keyboard(page: Page) -> None:
    listed = menu(page)
    page.keyboard.press("Escape")
    # Opened once more, it shows the conversations that it knows while it reads them again.
    read = Held(page, re.compile(r"/conversations/\?"))
    page.locator("[data-part=title]").click()
    rename = listed.get_by_role("button", name="Rename What about Paris?")
    rename.focus()
    read.asked()
    read.let_go()
    expect(rename).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("Cities")
    page.keyboard.press("Enter")
    expect(menu_lines(page)).to_have_text(["Cities", "What about Berlin?"])
    expect(page.locator("[data-part=title]")).to_have_text("Cities")
    expect(listed.get_by_role("button", name="Rename Cities")).to_be_focused()
    page.reload()
    expect(page.locator("[data-part=title]")).to_have_text("Cities")


def opened_again(page: Page) -> Held:
    """The list is closed and opened once more; what is read for it is held back."""
    page.locator("[data-part=title]").click()
    expect(page.locator("#chat-conversations")).to_be_hidden()
    held = Held(page, re.compile(r"/chat/conversations/\?"))
    with page.expect_request(held.address):
        page.locator("[data-part=title]").click()
    return held


def test_what_is_done_on_a_line_while_the_list_is_read_again_stays(page: Page) -> None:
    listed = menu(page)
    held = opened_again(page)
    listed.get_by_role("button", name="Rename What about Paris?").click()
    page.keyboard.type("Ci")
    held.let_go()
    page.keyboard.type("ties")
    page.keyboard.press("Enter")
    expect(menu_lines(page)).to_have_text(["Cities", "What about Berlin?"])
    held = opened_again(page)
    listed.get_by_role("button", name="Delete What about Berlin?").click()
    undo = listed.get_by_role("button", name="Undo: What about Berlin?")
    expect(undo).to_be_focused()
    held.let_go()
    expect(undo).to_be_focused()


def test_escape_leaves_the_title_as_it_was_and_the_list_open(page: Page) -> None:
    listed = menu(page)
    listed.get_by_role("button", name="Rename What about Paris?").click()
    page.keyboard.type("Cities")
    page.keyboard.press("Escape")
    expect(menu_lines(page)).to_have_text(["What about Paris?", "What about Berlin?"])


def test_a_deleted_conversation_comes_back_with_undo(page: Page) -> None:
    listed = menu(page)
    listed.get_by_role("button", name="Delete What about Paris?").click()
    undo = listed.get_by_role("button", name="Undo: What about Paris?")
    expect(undo).to_be_focused()
    expect(page.get_by_role("log")).not_to_contain_text("It is old.")
    expect(page.locator("[data-part=title]")).to_have_text("New conversation")
    page.keyboard.press("Enter")
    expect(menu_lines(page)).to_have_text(["What about Paris?", "What about Berlin?"])
    expect(page.get_by_role("log")).to_contain_text("It is old.")


def test_what_was_deleted_can_be_restored_later(page: Page) -> None:
    menu(page).get_by_role("button", name="Delete What about Berlin?").click()
    expect(page.get_by_role("button", name="Undo: What about Berlin?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("It is old.")
    expect(menu_lines(page)).to_have_count(0)
    listed = menu(page)
    expect(menu_lines(page)).to_have_text(["What about Paris?"])
    listed.get_by_role("button", name="Deleted conversations").click()
    restored = Held(page, re.compile(r"/conversations/[^/]+/restore/$"))
    with page.expect_request(restored.address):
        listed.get_by_role("button", name="Restore: What about Berlin?").click()
    # Who goes back while it is still being restored finds it there.
    listed.get_by_role("button", name="Back to conversations").click()
    restored.let_go()
    expect(menu_lines(page)).to_have_text(["What about Paris?", "What about Berlin?"])


def test_earlier_messages_are_read_when_they_are_asked_for(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(reply("It is on the Danube."))
    say(page, "And Vienna?")
    log = page.get_by_role("log")
    answered(page, "It is on the Danube.")
    short = re.compile(r"/messages/(\?.*)?$")
    page.route(short, lambda route: route.continue_(url=re.sub(r"\?|$", "?limit=2&", route.request.url, count=1)))
    page.reload()
    expect(log).to_contain_text("And Vienna?")
    expect(log).not_to_contain_text("It is old.")
    log.get_by_role("button", name="Earlier messages").press("Enter")
    expect(log.locator(".bubble--user")).to_have_text(["What about Paris?", "And Vienna?"])
    expect(log.get_by_role("button", name="Earlier messages")).to_have_count(0)
    # There is nothing more to ask for: who goes by keys is in the log, and scrolls on from there.
    expect(log).to_be_focused()


def test_a_conversation_that_is_deleted_in_one_tab_is_closed_in_the_other(page: Page) -> None:
    other = page.context.new_page()
    opened_and_listening(other, page.url)
    expect(other.get_by_role("log")).to_contain_text("It is old.")
    composer = other.get_by_role("textbox", name="Message the assistant")
    composer.fill("What about R")
    menu(page).get_by_role("button", name="Delete What about Paris?").click()
    expect(other.locator("[data-part=title]")).to_have_text("New conversation")
    expect(composer).to_have_value("What about R")


def test_a_thumb_is_kept_with_its_reason_and_taken_back(page: Page) -> None:
    log = page.get_by_role("log")
    bad, good = (log.get_by_role("button", name=name) for name in ("Bad answer", "Good answer"))
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "true")
    reason = log.get_by_role("textbox", name="What was wrong?")
    expect(reason).to_be_focused()
    page.keyboard.type("Too short")
    page.keyboard.press("Control+Enter")
    expect(reason).to_have_count(0)
    expect(bad).to_be_focused()
    expect(log.get_by_role("status").get_by_text("Thanks for the feedback")).to_have_count(1)

    page.reload()
    expect(bad).to_have_attribute("aria-pressed", "true")
    good.press("Enter")
    expect(good).to_have_attribute("aria-pressed", "true")
    expect(bad).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    expect(good).to_be_focused()
    good.press("Enter")
    expect(good).to_have_attribute("aria-pressed", "false")


def test_a_thumb_in_one_tab_shows_in_the_other(page: Page) -> None:
    other = page.context.new_page()
    opened_and_listening(other, page.url)
    there = other.get_by_role("button", name="Good answer")
    expect(there).to_have_attribute("aria-pressed", "false")
    rated = Held(page, re.compile(r"/feedback/$"))
    with page.expect_request(rated.address):
        page.get_by_role("button", name="Good answer").click()
    # Who has gone on to write meanwhile is not called away.
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.focus()
    rated.let_go()
    expect(there).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("textbox", name="What was good?")).to_be_visible()
    expect(composer).to_be_focused()


def test_on_a_phone_in_the_dark_list_and_thumbs_are_within_reach(
    scripted_app: RunningApp, open_page: OpenPage, scripted: ScriptedModel
) -> None:
    page = open_page(scripted_app.link_for_new_user(), width=390, height=844, dark=True)
    scripted.add(reply("It is large."))
    page.get_by_role("button", name="Describe a table, or ask").click()
    say(page, "What about Berlin?")
    page.get_by_role("button", name="Good answer").click()
    reason = page.get_by_role("textbox", name="What was good?")
    expect(reason).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("log")).to_be_visible()
    listed = menu(page)
    for name in ("Rename What about Berlin?", "Delete What about Berlin?"):
        expect(listed.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    listed.get_by_role("button", name="Delete What about Berlin?").click()
    expect(listed.get_by_role("button", name="Undo: What about Berlin?")).to_be_in_viewport(ratio=1)
