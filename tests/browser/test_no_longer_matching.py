"""An edited row that no longer matches the filter stays visible, marked and not counted, until rows are read again."""
from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.held_responses import HeldResponses
from tests.browser.small_table import OpenTable, api, cell, saved, send, status_shown, watch_status

MARK = re.compile(r"\bis-unmatched\b")
MATCH_URL = re.compile(r"/rows/\?.*ids=")
MODULE = "/static/tables/unmatched_rows."
# Counts how often a row was marked, because a mark may be shown only briefly.
WATCH_MARKS = """() => {
  window.marked = 0;
  const look = () => { window.marked += document.querySelectorAll("tr.is-unmatched").length; };
  const seen = {subtree: true, attributes: true, attributeFilter: ["class"]};
  new MutationObserver(look).observe(document.querySelector("table-grid"), seen);
}"""
TITLE = "This row no longer matches. It stays visible until the table reloads."


def expect_live(page: Page) -> None:
    """Wait until the socket of the page is open."""
    expect(page.locator("table-grid[data-live]")).to_be_attached()


def expect_rows(page: Page, *companies: str) -> None:
    expect(page.locator('tbody[data-body="rows"] td.is-primary')).to_have_text(companies)


def row(page: Page, number: int) -> Locator:
    return page.locator('tbody[data-body="rows"] tr').nth(number)


def write(page: Page, position: tuple[int, int], text: str) -> None:
    cell(page, *position).click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    saved(page)


def expect_counts(page: Page, matching: str, left: str) -> None:
    expect(page.locator("table-grid [data-count]")).to_have_text(matching)
    expect(page.locator("[data-matching]")).to_have_text(left)


def test_an_unmatched_row_stays_marked_until_it_matches_or_rows_are_read_again(open_table: OpenTable) -> None:
    page = open_table(query="?search=applied")
    expect_live(page)
    expect_counts(page, "2 matching rows", "2 of 3")
    # A response that is outdated when it arrives marks no row.
    page.evaluate(WATCH_MARKS)
    held = HeldResponses(page, MATCH_URL)
    with page.expect_request(MATCH_URL):
        write(page, (0, 1), "Offer")
    held.wait_for_response()
    write(page, (0, 1), "Applied")
    with page.expect_response(MATCH_URL):
        held.release()
    expect_counts(page, "2 matching rows", "2 of 3")
    assert page.evaluate("() => window.marked") == 0

    watch_status(page)
    write(page, (0, 1), "Offer")
    expect(row(page, 0)).to_have_class(MARK)
    expect(row(page, 0)).to_have_attribute("title", TITLE)
    expect_counts(page, "1 matching row", "1 of 3")
    status_shown(page, "Saved, no longer matches")
    write(page, (0, 1), "Applied")
    expect_counts(page, "2 matching rows", "2 of 3")
    expect(page.locator("tr.is-unmatched, tr[title]")).to_have_count(0)
    write(page, (0, 1), "Offer")
    expect_counts(page, "1 matching row", "1 of 3")
    expect_rows(page, "Acme", "Crux")
    page.evaluate("() => document.dispatchEvent(new CustomEvent('table-changed'))")
    expect_rows(page, "Crux")
    expect(page.locator("tr.is-unmatched, tr[title]")).to_have_count(0)
    expect_counts(page, "1 matching row", "1 of 3")


def test_the_last_row_stays_visible_and_a_new_row_that_does_not_match_is_marked(open_table: OpenTable) -> None:
    page = open_table()
    # Without filters, nothing is matched.
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    write(page, (0, 1), "Rejected")
    send(page, "GET", api(page))
    assert [url for url in requests if MATCH_URL.search(url) or MODULE in url] == []
    expect(page.locator("table-grid [data-count]")).to_have_text("3 rows")

    page.goto(f"{page.url}?search=offer")
    expect_live(page)
    write(page, (0, 1), "Applied")
    expect_counts(page, "0 matching rows", "0 of 3")
    expect_rows(page, "Bolt")
    expect(page.locator("[data-blank]")).to_be_hidden()
    page.get_by_role("button", name="Add row").click()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.locator('tbody[data-body="drafts"] tr')).to_have_class(MARK)
    expect_counts(page, "0 matching rows", "0 of 4")


def test_scrolling_past_an_unmatched_row_skips_no_rows(open_table: OpenTable) -> None:
    page = open_table(
        [{"Company": f"C {number}", "Status": "Applied"} for number in range(250)], query="?search=applied"
    )
    expect_live(page)
    write(page, (0, 1), "Offer")
    expect_counts(page, "249 matching rows", "249 of 250")
    page.locator(".grid-scroll").evaluate("it => { it.scrollTop = 95 * 36; }")
    expect(page.get_by_role("gridcell", name="C 100", exact=True)).to_be_visible()
    page.keyboard.press("Control+Home")
    expect(cell(page, 0, 0)).to_have_text("C 1")
