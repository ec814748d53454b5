"""Live updates: changes of another user or another tab are shown without a reload."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import ROWS, api, cell, create_small_table, saved, send, share_table

# Counts the rows that were marked, because a mark is shown only briefly.
WATCH_MARKS = """() => {
  const marked = new Set();
  window.marked = 0;
  const update = () => {
    for (const tr of document.querySelectorAll("tr.is-highlighted")) marked.add(tr.dataset.row);
    window.marked = marked.size;
  };
  const options = {subtree: true, attributes: true, attributeFilter: ["class"]};
  new MutationObserver(update).observe(document.querySelector("table-grid"), options);
}"""
MARK = re.compile(r"\bis-highlighted\b")


class Tab(NamedTuple):
    """An open table and its socket."""

    page: Page
    socket: WebSocket

    def expect_text(self, row: int, column: int, text: str) -> None:
        expect(cell(self.page, row, column)).to_have_text(text)

    def write(self, row: int, column: int, text: str) -> None:
        cell(self.page, row, column).click()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        saved(self.page)

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request about this table to the API; return the body of the response."""
        return send(self.page, method, f"{api(self.page)}{path}", body)


def open_tab(page: Page, address: str) -> Tab:
    """Open a table and wait until its socket is open."""
    with page.expect_websocket() as opened:
        page.goto(address)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    return Tab(page, opened.value)


@pytest.fixture
def tabs(app: RunningApp, cookies: list[Any], open_page: Callable[..., Page]) -> tuple[Tab, Tab]:
    """A new table in two tabs of its owner."""
    here, there = open_page(), open_page()
    for page in (here, there):
        page.context.add_cookies(cookies)
    address = create_small_table(here.context, app, rows=ROWS)
    return open_tab(here, address), open_tab(there, address)


def test_changes_are_shown_in_the_other_tab_without_moving_the_edited_cell(tabs: tuple[Tab, Tab]) -> None:
    here, there = tabs
    cell(there.page, 1, 0).click()
    there.page.keyboard.type("Bolt & So")
    here.write(0, 0, "Apex")
    there.expect_text(0, 0, "Apex")
    with there.socket.expect_event("framereceived"):
        here.write(1, 2, "77")
    there.page.keyboard.type("ns")
    there.page.keyboard.press("Enter")
    for tab in tabs:
        expect(cell(tab.page, 1, 0)).to_have_text("Bolt & Sons")
        expect(cell(tab.page, 1, 2)).to_have_text("77")

    for tab in tabs:
        expect(tab.page.locator("tr.is-highlighted")).to_have_count(0)
        tab.page.evaluate(WATCH_MARKS)
    here.write(0, 0, "Axle")
    there.expect_text(0, 0, "Axle")
    # The cell is marked briefly.
    there.page.wait_for_function("() => window.marked === 1")
    expect(there.page.locator('tbody[data-body="rows"] tr').first).not_to_have_class(MARK)
    assert here.page.evaluate("() => window.marked") == 0
    here.page.keyboard.press("Control+z")
    there.expect_text(0, 0, "Apex")
    added = here.send("POST", "rows/", {"Company": "Dyno"})
    there.expect_text(3, 0, "Dyno")
    here.send("POST", "rows/delete/", {"ids": [added["id"]]})
    expect(there.page.get_by_text("3 rows", exact=True)).to_be_visible()
    here.send("POST", "columns/", {"name": "Priority", "type": "number"})
    expect(there.page.get_by_role("columnheader", name="Priority")).to_be_visible()
    # The page catches up after its connection was lost.
    there.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    here.write(0, 0, "Axle")
    there.expect_text(0, 0, "Apex")
    there.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
    there.expect_text(0, 0, "Axle")


def test_members_see_the_presence_and_changes_of_other_members(
    app: RunningApp, cookies: list[Any], open_page: Callable[..., Page]
) -> None:
    owner = open_page()
    owner.context.add_cookies(cookies)
    here = open_tab(owner, create_small_table(owner.context, app, rows=ROWS))
    link = app.link_for_new_user("grace")
    page = open_page(sign_in=link)
    share_table(here.page, page, here.page.url, role="editor")
    theirs = open_tab(page, here.page.url)
    expect(here.page.get_by_role("group", name="Also here: grace")).to_have_text("G")
    here.write(0, 0, "Apex")
    theirs.expect_text(0, 0, "Apex")
    theirs.write(0, 2, "5")
    here.expect_text(0, 2, "5")
    here.send("DELETE", "members/grace/")
    expect(page.get_by_role("alert")).to_contain_text("no longer have access")
    expect(here.page.get_by_role("group", name="Also here: grace")).to_be_hidden()
