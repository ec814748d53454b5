"""Conversations of a page: searching, renaming, deleting and restoring them; and rating answers."""
from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import open_with_socket, send_message, wait_for_answer
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

OpenPage = Callable[..., Page]


@pytest.fixture
def page(scripted_app: RunningApp, open_page: OpenPage, scripted: ScriptedModel) -> Page:
    """A page with two conversations, the second of which is open."""
    page = open_page(scripted_app.link_for_new_user())
    for message, answer in (("What about Berlin?", "It is large."), ("What about Paris?", "It is old.")):
        scripted.add(reply(answer))
        page.get_by_role("button", name="New conversation").last.click()
        send_message(page, message)
        wait_for_answer(page, answer)
    return page


def menu(page: Page) -> Locator:
    """Open the list of conversations and return it."""
    listed = page.locator("#chat-conversations")
    if not listed.is_visible():
        page.locator("[data-part=title]").click()
    expect(listed.get_by_text("Conversations here")).to_be_visible()
    return listed


def menu_lines(page: Page) -> Locator:
    return page.locator("#chat-conversations .convo__open b")


def test_a_conversation_is_renamed_by_keyboard_and_found_by_words_of_an_answer(page: Page) -> None:
    listed = menu(page)
    listed.get_by_role("button", name="Rename What about Paris?").click()
    page.keyboard.type("Cities")
    page.keyboard.press("Escape")
    expect(menu_lines(page)).to_have_text(["What about Paris?", "What about Berlin?"])
    page.keyboard.press("Escape")
    # When reopened, the list shows the known conversations while it reads them again.
    read = HeldRequests(page, re.compile(r"/conversations/\?"))
    page.locator("[data-part=title]").click()
    rename = listed.get_by_role("button", name="Rename What about Paris?")
    rename.focus()
    read.wait_for_request()
    read.release()
    expect(rename).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("Cities")
    page.keyboard.press("Enter")
    expect(menu_lines(page)).to_have_text(["Cities", "What about Berlin?"])
    expect(page.locator("[data-part=title]")).to_have_text("Cities")
    expect(listed.get_by_role("button", name="Rename Cities")).to_be_focused()
    page.reload()
    expect(page.locator("[data-part=title]")).to_have_text("Cities")

    menu(page).get_by_role("searchbox", name="Search conversations").fill("LARGE berlin")
    expect(menu_lines(page)).to_have_text(["What about Berlin?"])
    expect(page.locator("#chat-conversations [role=status]")).to_have_text("1 found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("It is large.")
    expect(page.locator("[data-part=title]")).to_have_text("What about Berlin?")


def reopen_list(page: Page) -> HeldRequests:
    """Close and reopen the list; hold back the request that reads it."""
    page.locator("[data-part=title]").click()
    expect(page.locator("#chat-conversations")).to_be_hidden()
    held = HeldRequests(page, re.compile(r"/chat/conversations/\?"))
    with page.expect_request(held.address):
        page.locator("[data-part=title]").click()
    return held


def test_a_conversation_can_be_restored_and_no_change_is_lost_while_the_list_is_read_again(page: Page) -> None:
    listed = menu(page)
    listed.get_by_role("button", name="Delete What about Paris?").click()
    undo = listed.get_by_role("button", name="Undo: What about Paris?")
    expect(undo).to_be_focused()
    expect(page.get_by_role("log")).not_to_contain_text("It is old.")
    expect(page.locator("[data-part=title]")).to_have_text("New conversation")
    page.keyboard.press("Enter")
    expect(menu_lines(page)).to_have_text(["What about Paris?", "What about Berlin?"])
    expect(page.get_by_role("log")).to_contain_text("It is old.")

    menu(page).get_by_role("button", name="Delete What about Berlin?").click()
    expect(page.get_by_role("button", name="Undo: What about Berlin?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("It is old.")
    expect(menu_lines(page)).to_have_count(0)
    listed = menu(page)
    expect(menu_lines(page)).to_have_text(["What about Paris?"])
    listed.get_by_role("button", name="Deleted conversations").click()
    restored = HeldRequests(page, re.compile(r"/conversations/[^/]+/restore/$"))
    with page.expect_request(restored.address):
        listed.get_by_role("button", name="Restore: What about Berlin?").click()
    # The conversation is in the list even if it is opened before the restore is done.
    listed.get_by_role("button", name="Back to conversations").click()
    restored.release()
    expect(menu_lines(page)).to_have_text(["What about Paris?", "What about Berlin?"])

    held = reopen_list(page)
    listed.get_by_role("button", name="Rename What about Paris?").click()
    page.keyboard.type("Ci")
    held.release()
    page.keyboard.type("ties")
    page.keyboard.press("Enter")
    expect(menu_lines(page)).to_have_text(["Cities", "What about Berlin?"])
    held = reopen_list(page)
    listed.get_by_role("button", name="Delete What about Berlin?").click()
    undo = listed.get_by_role("button", name="Undo: What about Berlin?")
    expect(undo).to_be_focused()
    held.release()
    expect(undo).to_be_focused()


def test_a_rating_is_stored_and_earlier_messages_are_loaded_on_request(page: Page, scripted: ScriptedModel) -> None:
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

    scripted.add(reply("It is on the Danube."))
    send_message(page, "And Vienna?")
    wait_for_answer(page, "It is on the Danube.")
    short = re.compile(r"/messages/(\?.*)?$")
    intercept(page, short, lambda route: route.continue_(url=re.sub(r"\?|$", "?limit=2&", route.request.url, count=1)))
    page.reload()
    expect(log).to_contain_text("And Vienna?")
    expect(log).not_to_contain_text("It is old.")
    log.get_by_role("button", name="Earlier messages").press("Enter")
    expect(log.locator(".bubble--user")).to_have_text(["What about Paris?", "And Vienna?"])
    expect(log.get_by_role("button", name="Earlier messages")).to_have_count(0)
    # Without more messages to load, the focus moves to the log, which can be scrolled by keyboard.
    expect(log).to_be_focused()


def test_ratings_and_deletions_in_one_tab_are_shown_in_the_other(page: Page) -> None:
    other = page.context.new_page()
    open_with_socket(other, page.url)
    there = other.get_by_role("button", name="Good answer")
    expect(there).to_have_attribute("aria-pressed", "false")
    rated = HeldRequests(page, re.compile(r"/feedback/$"))
    with page.expect_request(rated.address):
        page.get_by_role("button", name="Good answer").click()
    # The focus stays in the composer if the user has moved on to it.
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.focus()
    rated.release()
    expect(there).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("textbox", name="What was good?")).to_be_visible()
    expect(composer).to_be_focused()

    draft = other.get_by_role("textbox", name="Message the assistant")
    draft.fill("What about R")
    menu(page).get_by_role("button", name="Delete What about Paris?").click()
    expect(other.locator("[data-part=title]")).to_have_text("New conversation")
    expect(draft).to_have_value("What about R")


def test_the_list_and_ratings_are_reachable_on_a_phone_in_the_dark_theme(
    scripted_app: RunningApp, open_page: OpenPage, scripted: ScriptedModel
) -> None:
    page = open_page(scripted_app.link_for_new_user(), width=390, height=844, dark=True)
    scripted.add(reply("It is large."))
    page.get_by_role("button", name="Describe a table, or ask").click()
    send_message(page, "What about Berlin?")
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
