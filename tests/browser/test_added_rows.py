"""Rows added by a proposal are at the end of the table; "Show" in the toast and in the receipt scrolls to them."""
from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.reviews import apply_button, propose, toasts
from tests.browser.small_table import OpenTable, api, send
from tests.scripted_model import ScriptedModel

MANY = [{"Company": f"C {number}", "Status": "Applied"} for number in range(300)]
ADDS: list[dict[str, Any]] = [
    {"action": "add", "data": {"Company": name, "Status": "Offer"}} for name in ("Dyno", "Echo")
]


def receipt(page: Page) -> Locator:
    return page.get_by_role("log").locator(".notice")


def apply_proposal(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *ADDS)
    apply_button(page).click()
    expect(receipt(page)).to_contain_text("Applied 2 changes")


def expect_cursor_on(page: Page, company: str) -> None:
    """Expect the cursor on the visible row of this company, and the focus in the grid."""
    here = page.locator("td.cell.is-focus")
    expect(here).to_have_text(company)
    expect(here).to_be_in_viewport()
    expect(page.get_by_role("grid")).to_be_focused()


def test_show_scrolls_to_the_added_rows_from_the_toast_and_from_the_receipt_until_undo(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(MANY)
    propose(page, scripted, "DATA_PROPOSAL", *ADDS)
    apply_button(page).click()
    # A toast does not time out under the pointer.
    toasts(page).get_by_text("Applied 2 of 2 changes").hover()
    expect(receipt(page)).to_contain_text("Applied 2 changes")
    toasts(page).get_by_role("button", name="Show").click()
    expect_cursor_on(page, "Dyno")
    page.keyboard.press("ArrowDown")
    expect_cursor_on(page, "Echo")

    page.reload()
    receipt(page).get_by_role("button", name="Show").press("Enter")
    expect_cursor_on(page, "Dyno")
    receipt(page).get_by_role("button", name="Undo").click()
    expect(receipt(page)).to_contain_text("Undone")
    expect(receipt(page).get_by_role("button", name="Show")).to_have_count(0)
    receipt(page).get_by_role("button", name="Redo").click()
    receipt(page).get_by_role("button", name="Show").click()
    expect_cursor_on(page, "Dyno")

    # A sort order that shows all added rows does not change.
    company = page.get_by_role("columnheader", name="Company")
    for order in ("ascending", "descending"):
        page.get_by_role("link", name="Company").click()
        expect(company).to_have_attribute("aria-sort", order)
    receipt(page).get_by_role("button", name="Show").click()
    expect_cursor_on(page, "Echo")
    expect(company).to_have_attribute("aria-sort", "descending")

    # On a phone, the chat is closed first.
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.locator('#dock [popovertarget="tray"]').click()
    receipt(page).get_by_role("button", name="Show").click()
    expect(page.get_by_role("log")).to_be_hidden()
    expect_cursor_on(page, "Echo")


def test_show_removes_filters_that_hide_the_rows_and_they_are_restored_on_request_or_by_back(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(MANY)
    plain = page.url
    page.get_by_role("link", name="Company").click()
    expect(page).to_have_url(re.compile("sort="))
    apply_proposal(page, scripted)
    receipt(page).get_by_role("button", name="Show").click()
    expect_cursor_on(page, "Dyno")
    expect(page).to_have_url(plain)
    page.go_back()
    expect(page).to_have_url(re.compile("sort="))
    expect(page.get_by_role("columnheader", name="Company")).to_have_attribute("aria-sort", "ascending")

    page.get_by_role("searchbox", name="Search rows").fill("C 2")
    expect(page).to_have_url(re.compile("search=C"))
    narrowed = page.url
    expect(page.get_by_text("matching rows")).to_be_visible()
    receipt(page).get_by_role("button", name="Show").click()
    # A toast does not time out under the pointer.
    toasts(page).get_by_text("Search, filters and sort were cleared").last.hover()
    expect_cursor_on(page, "Dyno")
    expect(page).to_have_url(plain)
    expect(page.get_by_role("searchbox", name="Search rows")).to_have_value("")
    toasts(page).get_by_role("button", name="Restore view").last.click()
    expect(page).to_have_url(narrowed)
    expect(page.get_by_text("matching rows")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search rows")).to_have_value("C 2")


def test_show_ignores_later_rows_and_reports_deleted_rows(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(MANY)
    apply_proposal(page, scripted)
    send(page, "POST", f"{api(page)}rows/", {"rows": [{"Company": f"D {number}"} for number in range(150)]})
    rows = send(page, "GET", f"{api(page)}rows/?search=Dyno")["rows"]
    send(page, "POST", f"{api(page)}rows/delete/", {"ids": [rows[0]["id"]]})
    expect(page.get_by_text("451 rows", exact=True)).to_be_visible()
    receipt(page).get_by_role("button", name="Show").click()
    expect_cursor_on(page, "Echo")
    rows = send(page, "GET", f"{api(page)}rows/?search=Echo")["rows"]
    send(page, "POST", f"{api(page)}rows/delete/", {"ids": [rows[0]["id"]]})
    expect(page.get_by_text("450 rows", exact=True)).to_be_visible()
    receipt(page).get_by_role("button", name="Show").click()
    expect(toasts(page)).to_contain_text("The added rows no longer exist.")
