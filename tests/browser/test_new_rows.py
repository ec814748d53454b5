"""A new row whose response is lost: it is added exactly once, whether or not the server received it."""
from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

from tests.browser.interception import intercept
from tests.browser.reviews import toasts
from tests.browser.small_table import OpenTable, cell, saved, values

ADD_URL = re.compile(r"/rows/\?keys=id&typecast=true$")
UNKNOWN = "It is not clear whether the row was saved. The server could not be reached. Retrying saves it only once."


@contextmanager
def lost_responses(page: Page, *, reached: bool) -> Iterator[list[str]]:
    """Lose the responses to new rows; the requests are only handled by the server if `reached`."""
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(route.request.headers["idempotency-key"])
        if reached:
            route.fetch()
        # Chromium logs network failures as errors, but not aborted requests.
        route.abort("aborted")

    intercept(page, ADD_URL, lose)
    yield sent
    page.unroute(ADD_URL)


def add(page: Page, company: str) -> None:
    page.get_by_role("button", name="Add row").click()
    page.keyboard.type(company)
    page.keyboard.press("Enter")


def expect_leave_warning(page: Page) -> None:
    """Reload the page, expect a warning and stay on the page."""
    with page.expect_event("dialog") as opened:
        page.evaluate("setTimeout(() => location.reload())")
    assert opened.value.type == "beforeunload"
    opened.value.dismiss()


def test_leaving_the_page_warns_about_unsaved_input(open_table: OpenTable) -> None:
    page = open_table()
    # Without a listener, Playwright closes dialogs itself.
    page.on("dialog", lambda dialog: None)
    cell(page, 0, 0).click()
    page.keyboard.type("Apex")
    expect_leave_warning(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Add row").click()
    for key in ("Escape", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.type("55")
    page.keyboard.press("Enter")
    expect(page.locator("tr.is-draft")).to_contain_text("55")
    expect_leave_warning(page)
    page.locator("tr.is-draft").get_by_role("button", name="Discard this new row").click()
    expect(page.locator("tr.is-draft")).to_have_count(0)
    cell(page, 0, 0).hover()
    page.get_by_role("button", name="Row details").click()
    company = page.get_by_role("dialog", name="Acme").get_by_label("Company")
    company.fill("Apex")
    expect_leave_warning(page)
    company.press("Escape")
    # Nothing is unsaved any more.
    page.reload()
    expect(cell(page, 0, 0)).to_have_text("Acme")


def test_a_new_row_can_be_discarded_and_restored_with_its_input(open_table: OpenTable) -> None:
    page = open_table()
    drafts = page.locator("tr.is-draft")
    page.get_by_role("button", name="Add row").click()
    for key in ("Escape", "Escape"):
        expect(drafts).to_have_count(1)
        page.keyboard.press(key)
    expect(drafts).to_have_count(0)
    expect(cell(page, 2, 0)).to_have_class(re.compile("is-focus"))
    page.get_by_role("button", name="Add row").click()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("500")
    page.keyboard.press("Escape")
    page.keyboard.type("700")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(drafts).to_have_count(1)
    drafts.get_by_role("button", name="Discard this new row").click()
    expect(drafts).to_have_count(0)
    toasts(page).get_by_role("button", name="Undo").click()
    expect(drafts.locator("td.cell").nth(2)).to_have_text("700")
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.get_by_role("button", name="Discard this new row")).to_have_count(0)
    assert values(page)[3:] == [{"Company": "Dyno", "Salary": 700}]


def test_a_retry_saves_a_row_once_whether_or_not_it_reached_the_server(open_table: OpenTable) -> None:
    page = open_table()
    with lost_responses(page, reached=True) as sent:
        add(page, "Dyno")
        expect(toasts(page).get_by_role("alert")).to_contain_text(UNKNOWN)
        # The stored row appears above the unsaved one, which moves down.
        expect(page.get_by_text("Dyno", exact=True)).to_have_count(2)
        page.locator("tr.is-draft td.cell").nth(2).dblclick()
        page.keyboard.type("500")
        with page.expect_request(ADD_URL):
            page.keyboard.press("Enter")
        expect(toasts(page).get_by_role("alert")).to_have_count(1)
        expect(page.locator("[data-saving]")).to_have_attribute("data-saving", "failed")
    toasts(page).get_by_role("button", name="Retry").click()
    expect(cell(page, 3, 2)).to_have_text("500")
    saved(page)
    assert len(set(sent)) == 1
    assert values(page)[3:] == [{"Company": "Dyno", "Salary": 500}]

    expect(page.locator("tr.is-draft")).to_have_count(0)
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect(page.get_by_text("Dyno", exact=True)).to_have_count(1)

    with lost_responses(page, reached=False):
        add(page, "Echo")
        expect(toasts(page).get_by_role("alert")).to_contain_text(UNKNOWN)
    page.evaluate("() => dispatchEvent(new Event('online'))")
    expect(cell(page, 4, 0)).to_have_text("Echo")
    saved(page)
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux", "Dyno", "Echo"]


def test_a_refused_row_is_sent_again_when_corrected(open_table: OpenTable) -> None:
    page = open_table()
    page.get_by_role("button", name="Add row").click()
    page.keyboard.press("Escape")
    fields = page.locator("tr.is-draft td.cell")
    fields.nth(2).dblclick()
    page.keyboard.type("lots")
    page.keyboard.press("Enter")
    fields.nth(0).dblclick()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    expect(toasts(page).get_by_role("alert")).to_contain_text("The row was not saved. Salary")
    fields.nth(2).dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    saved(page)
    expect(toasts(page).get_by_role("alert")).to_have_count(0)
    assert values(page)[3] == {"Company": "Dyno", "Salary": 7}
