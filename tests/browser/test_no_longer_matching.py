"""A row that was written so that it no longer matches stays under one's hands, marked, and is counted no more."""
from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.held_responses import HeldAnswers
from tests.browser.small_table import OpenTable, api, cell, saved, send, status_shown, watch_status

MARK = re.compile(r"\bis-unmatched\b")
ASKING = re.compile(r"/rows/\?.*ids=")
MODULE = "/static/tables/unmatched_rows."
# For a moment only: how often a row was marked.
WATCH_MARKS = """() => {
  window.marked = 0;
  const look = () => { window.marked += document.querySelectorAll("tr.is-unmatched").length; };
  const seen = {subtree: true, attributes: true, attributeFilter: ["class"]};
  new MutationObserver(look).observe(document.querySelector("table-grid"), seen);
}"""
SAYS = "This row no longer matches. It stays visible until the table reloads."


def narrowed(page: Page, query: str) -> None:
    page.goto(f"{page.url.split('?')[0]}{query}")
    expect(page.locator("table-grid[data-live]")).to_be_attached()


def shown(page: Page, *companies: str) -> None:
    expect(page.locator('tbody[data-body="rows"] td.is-primary')).to_have_text(companies)


def row(page: Page, number: int) -> Locator:
    return page.locator('tbody[data-body="rows"] tr').nth(number)


def write(page: Page, place: tuple[int, int], text: str) -> None:
    cell(page, *place).click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    saved(page)


def counted(page: Page, matching: str, left: str) -> None:
    expect(page.locator("table-grid [data-count]")).to_have_text(matching)
    expect(page.locator("[data-matching]")).to_have_text(left)


def test_it_stays_marked_and_is_not_counted_until_rows_are_read_again(open_table: OpenTable) -> None:
    page = open_table()
    narrowed(page, "?search=applied")
    counted(page, "2 matching rows", "2 of 3")
    watch_status(page)
    write(page, (0, 1), "Offer")
    expect(row(page, 0)).to_have_class(MARK)
    expect(row(page, 0)).to_have_attribute("title", SAYS)
    counted(page, "1 matching row", "1 of 3")
    status_shown(page, "Saved; no longer matches the filters")
    shown(page, "Acme", "Crux")
    page.evaluate("() => document.dispatchEvent(new CustomEvent('table-changed'))")
    shown(page, "Crux")
    expect(page.locator("tr.is-unmatched, tr[title]")).to_have_count(0)
    counted(page, "1 matching row", "1 of 3")


def test_one_that_matches_again_is_a_row_like_the_others(open_table: OpenTable) -> None:
    page = open_table()
    narrowed(page, "?search=applied")
    write(page, (0, 1), "Offer")
    counted(page, "1 matching row", "1 of 3")
    write(page, (0, 1), "Applied")
    counted(page, "2 matching rows", "2 of 3")
    expect(page.locator("tr.is-unmatched, tr[title]")).to_have_count(0)


def test_the_last_one_stands_there_and_the_page_does_not_say_that_there_is_none(open_table: OpenTable) -> None:
    page = open_table()
    narrowed(page, "?search=offer")
    write(page, (0, 1), "Rejected")
    counted(page, "0 matching rows", "0 of 3")
    shown(page, "Bolt")
    expect(page.locator("[data-blank]")).to_be_hidden()


def test_a_new_row_that_does_not_match_is_told_from_those_that_do(open_table: OpenTable) -> None:
    page = open_table()
    narrowed(page, "?search=offer")
    page.get_by_role("button", name="Add row").click()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.locator('tbody[data-body="drafts"] tr')).to_have_class(MARK)
    counted(page, "1 matching row", "1 of 4")


def test_what_was_said_before_it_was_written_again_marks_nothing(open_table: OpenTable) -> None:
    page = open_table()
    narrowed(page, "?search=applied")
    page.evaluate(WATCH_MARKS)
    held = HeldAnswers(page, ASKING)
    with page.expect_request(ASKING):
        write(page, (0, 1), "Offer")
    held.given()
    write(page, (0, 1), "Applied")
    with page.expect_response(ASKING):
        held.let_go()
    counted(page, "2 matching rows", "2 of 3")
    assert page.evaluate("() => window.marked") == 0


def test_rows_that_are_not_narrowed_ask_for_nothing_more(open_table: OpenTable) -> None:
    page = open_table()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    write(page, (0, 1), "Offer")
    send(page, "GET", api(page))
    assert [url for url in requests if ASKING.search(url) or MODULE in url] == []
    expect(page.locator("table-grid [data-count]")).to_have_text("3 rows")


def test_no_row_is_passed_over_by_who_goes_on_reading_behind_it(open_table: OpenTable) -> None:
    page = open_table([{"Company": f"C {number}", "Status": "Applied"} for number in range(250)])
    narrowed(page, "?search=applied")
    write(page, (0, 1), "Offer")
    counted(page, "249 matching rows", "249 of 250")
    page.locator(".grid-scroll").evaluate("it => { it.scrollTop = 95 * 36; }")
    expect(page.get_by_role("gridcell", name="C 100", exact=True)).to_be_visible()
    page.keyboard.press("Control+Home")
    expect(cell(page, 0, 0)).to_have_text("C 1")
