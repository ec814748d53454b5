"""The list of tables: deleting and restoring tables, by mouse, by keyboard and on a phone."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import COLUMNS, ROWS, send

OpenPage = Callable[..., Page]


def open_list(app: RunningApp, open_page: OpenPage, *names: str, width: int = 1440) -> Page:
    """Open the list of a new user with tables of these names."""
    page = open_page(sign_in=app.link_for_new_user(), width=width)
    for name in names:
        send(page, "POST", "/api/tables/", {"name": name, "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{app.address}/tables/")
    return page


def test_a_table_is_trashed_from_its_card_and_restored_on_a_phone(app: RunningApp, open_page: OpenPage) -> None:
    page = open_list(app, open_page, "Jobs", "Books", width=390)
    page.get_by_role("button", name="More actions for Jobs").click()
    page.get_by_role("button", name="Move to trash").click()
    expect(page.get_by_role("status").get_by_text("“Jobs” moved to trash.")).to_be_visible()
    expect(page.get_by_role("link", name="Jobs", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Trash").click()
    page.get_by_role("button", name="Restore Jobs").click()
    expect(page.get_by_text("The trash is empty")).to_be_visible()
    page.get_by_role("link", name="Open", exact=True).click()
    expect(page.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()


def test_a_card_and_its_menu_are_reached_by_keyboard(app: RunningApp, open_page: OpenPage) -> None:
    page = open_list(app, open_page, "Jobs")
    page.get_by_role("link", name="Jobs", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="More actions for Jobs")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="History")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="History")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile(r"Jobs \(copy\)"))


def test_a_table_is_trashed_from_its_page(app: RunningApp, open_page: OpenPage) -> None:
    page = open_list(app, open_page, "Jobs")
    page.get_by_role("link", name="Jobs", exact=True).click()
    # The requests of the chat for a trashed table are answered with 404.
    expect(page.get_by_role("button", name="How many rows are there?")).to_be_visible()
    page.get_by_role("button", name="Jobs", exact=True).click()
    page.get_by_role("button", name="Move to trash").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("link", name="Jobs", exact=True)).to_be_visible()


def test_tables_are_listed_below_a_proposed_table(app: RunningApp, open_page: OpenPage) -> None:
    page = open_list(app, open_page, "Jobs")
    send_message(page, "Track my plants with name and height")
    expect(page.get_by_role("button", name="Create table")).to_be_enabled()
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()


def test_a_description_of_a_new_table_is_sent_once_the_chat_is_loaded(app: RunningApp, open_page: OpenPage) -> None:
    page, link = open_page(), app.link_for_new_user()
    tray = HeldRequests(page, re.compile(r"/static/chat/tray\.[0-9a-f]+\.js"))
    with page.expect_request(tray.address):
        page.goto(link, wait_until="commit")
    description = page.locator("#describe")
    description.fill("Track my plants with name and height")
    # The scripts of the page outside the chat are loaded by then.
    expect(page.locator("[data-file-drop] button[type=submit]")).to_be_hidden()
    send_words = page.locator("form[data-describe]").get_by_role("button", name="Send")
    expect(send_words).to_be_disabled()
    expect(page.locator("[data-say]").first).to_be_disabled()
    tray.release()
    expect(page.locator("[data-say]").first).to_be_enabled()
    send_words.click()
    expect(page.get_by_role("button", name="New table: Plants")).to_be_visible()
    expect(description).to_have_value("")
