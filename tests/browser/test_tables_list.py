"""The list of tables under a person's hands: the trash and the way out of it, by mouse, by keyboard, on a phone."""
from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.running import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, send

OpenPage = Callable[..., Page]


def open_list(app: RunningApp, open_page: OpenPage, *names: str, width: int = 1440) -> Page:
    """The list of a new person with tables of these names."""
    page = open_page(app.link_for_new_user(), width=width)
    for name in names:
        send(page, "POST", "/api/tables/", {"name": name, "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{app.address}/tables/")
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_a_table_goes_to_the_trash_from_its_card_and_comes_back(
    app: RunningApp, open_page: OpenPage, width: int
) -> None:
    page = open_list(app, open_page, "Jobs", "Books", width=width)
    page.get_by_role("button", name="More about Jobs").click()
    page.get_by_role("button", name="Move to the trash").click()
    expect(page.get_by_role("status").get_by_text("“Jobs” is in the trash.")).to_be_visible()
    expect(page.get_by_role("link", name="Jobs", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Trash").click()
    page.get_by_role("button", name="Restore Jobs").click()
    expect(page.get_by_text("The trash is empty")).to_be_visible()
    page.get_by_role("link", name="Open", exact=True).click()
    expect(page.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()


def test_a_card_and_its_menu_are_reached_by_the_keyboard(app: RunningApp, open_page: OpenPage) -> None:
    page = open_list(app, open_page, "Jobs")
    page.get_by_role("link", name="Jobs", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="More about Jobs")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="History")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="History")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile(r"Jobs \(copy\)"))


def test_a_table_goes_to_the_trash_from_its_own_menu(app: RunningApp, open_page: OpenPage) -> None:
    page = open_list(app, open_page, "Jobs")
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_role("button", name="Jobs", exact=True).click()
    page.get_by_role("button", name="Move to the trash").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("link", name="Jobs", exact=True)).to_be_visible()
