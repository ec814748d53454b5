"""A new row whose answer is lost on the way: it may be there or not, and it is there once in the end."""
from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

from tests.browser.reviews import toasts
from tests.browser.small_table import OpenTable, cell, saved, values

ADDING = re.compile(r"/rows/\?keys=id&typecast=true$")
UNKNOWN = "It is not clear whether the row was saved. The server could not be reached. Retrying saves it only once."


@contextmanager
def answers_lost(page: Page, *, reached: bool) -> Iterator[list[str]]:
    """Rows are sent, and no answer comes: the server has written them (`reached`), or never heard of them."""
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(route.request.headers["idempotency-key"])
        if reached:
            route.fetch()
        # Browsers complain of what fails on the network in the console; of a request that was given up they do not.
        route.abort("aborted")

    page.route(ADDING, lose)
    yield sent
    page.unroute(ADDING)


def add(page: Page, company: str) -> None:
    page.get_by_role("button", name="Add row").click()
    page.keyboard.type(company)
    page.keyboard.press("Enter")


def asked_about_leaving(page: Page) -> None:
    """Whoever is about to go away is asked whether they mean it, and stays."""
    with page.expect_event("dialog") as asked:
        page.evaluate("setTimeout(() => location.reload())")
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()


def test_who_goes_away_is_asked_while_something_typed_is_nowhere_else(open_table: OpenTable) -> None:
    page = open_table()
    # What no listener takes is answered by Playwright itself.
    page.on("dialog", lambda dialog: None)
    cell(page, 0, 0).click()
    page.keyboard.type("Apex")
    asked_about_leaving(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Add row").click()
    for key in ("Escape", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.type("55")
    page.keyboard.press("Enter")
    expect(page.locator("tr.is-draft")).to_contain_text("55")
    asked_about_leaving(page)
    page.locator("tr.is-draft").get_by_role("button", name="Discard this new row").click()
    expect(page.locator("tr.is-draft")).to_have_count(0)
    # Now nothing would be lost.
    page.reload()
    expect(cell(page, 0, 0)).to_have_text("Acme")


def test_a_new_row_that_is_not_wanted_goes_again_and_what_was_typed_into_it_comes_back(open_table: OpenTable) -> None:
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


def test_a_row_that_the_server_has_written_is_not_added_twice(open_table: OpenTable) -> None:
    page = open_table()
    with answers_lost(page, reached=True):
        add(page, "Dyno")
        expect(toasts(page).get_by_role("alert")).to_contain_text(UNKNOWN)
    toasts(page).get_by_role("button", name="Retry").click()
    saved(page)
    expect(toasts(page).get_by_role("alert")).to_have_count(0)
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect(page.locator("tr.is-draft")).to_have_count(0)
    expect(page.get_by_text("Dyno", exact=True)).to_have_count(1)
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux", "Dyno"]


def test_what_was_typed_meanwhile_goes_into_that_very_row(open_table: OpenTable) -> None:
    page = open_table()
    with answers_lost(page, reached=True) as sent:
        add(page, "Dyno")
        expect(toasts(page).get_by_role("alert")).to_contain_text(UNKNOWN)
        page.locator("tr.is-draft td.cell").nth(2).dblclick()
        page.keyboard.type("500")
        with page.expect_request(ADDING):
            page.keyboard.press("Enter")
        expect(toasts(page).get_by_role("alert")).to_have_count(1)
        expect(page.locator("[data-saving]")).to_have_attribute("data-saving", "failed")
    toasts(page).get_by_role("button", name="Retry").click()
    expect(cell(page, 3, 2)).to_have_text("500")
    saved(page)
    assert len(set(sent)) == 1
    assert values(page)[3:] == [{"Company": "Dyno", "Salary": 500}]


def test_a_row_of_which_the_server_never_heard_is_added(open_table: OpenTable) -> None:
    page = open_table()
    with answers_lost(page, reached=False):
        add(page, "Dyno")
        expect(toasts(page).get_by_role("alert")).to_contain_text(UNKNOWN)
    page.evaluate("() => dispatchEvent(new Event('online'))")
    expect(cell(page, 3, 0)).to_have_text("Dyno")
    saved(page)
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux", "Dyno"]


def test_a_row_that_was_refused_is_sent_anew_once_it_is_corrected(open_table: OpenTable) -> None:
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
