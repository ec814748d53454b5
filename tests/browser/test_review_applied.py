"""Applied and dismissed changes are shown at once, before rows and columns are read again."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.reviews import apply_button, operation, propose, row_operations
from tests.browser.small_table import api, cell, send
from tests.scripted_model import ScriptedModel

ROWS_READ = re.compile(r"/rows/\?.*offset=")
TABLE_READ = re.compile(r"/api/tables/\d+/$")


def expect_rows(page: Page, *companies: str) -> None:
    """Expect these saved rows and their count in the footer."""
    expect(page.locator('tbody[data-body="rows"] td.is-primary')).to_have_text(companies)
    expect(page.locator("table-grid [data-count]")).to_have_text(f"{len(companies)} rows")


def test_dismissed_and_applied_rows_are_shown_before_rows_are_read_again(
    page: Page, scripted: ScriptedModel
) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    expect(page.locator("table-grid [data-count]")).to_have_text("3 rows · 4 after applying")
    # The composer has the buttons of the review too.
    dismiss = page.get_by_role("complementary", name="Chat").get_by_role("button", name="Dismiss")
    held = HeldRequests(page, ROWS_READ)
    with page.expect_request(ROWS_READ):
        dismiss.click()
    expect(page.get_by_role("log")).to_contain_text("Dismissed")
    expect(dismiss).to_be_hidden()
    expect(page.locator("[data-op]")).to_have_count(0)
    expect_rows(page, "Acme", "Bolt", "Crux")
    held.release()
    expect_rows(page, "Acme", "Bolt", "Crux")

    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    operation(page, 1).get_by_role("checkbox").uncheck()
    expect(page.locator("table-grid [data-count]")).to_have_text("3 rows · 3 after applying")
    held = HeldRequests(page, ROWS_READ)
    with page.expect_request(ROWS_READ):
        apply_button(page).click()
    expect(page.get_by_role("log")).to_contain_text("Applied 3 of 4")
    expect_rows(page, "Acme", "Bolt", "Dyno")
    expect(cell(page, 0, 1)).to_have_text("Rejected")
    expect(cell(page, 2, 2)).to_have_text("3000")
    held.release()
    expect(page.get_by_role("grid")).not_to_have_attribute("aria-busy", "true")
    expect_rows(page, "Acme", "Bolt", "Dyno")


def test_applied_columns_are_shown_before_they_are_read_with_the_values_of_their_cells(
    page: Page, scripted: ScriptedModel
) -> None:
    operations = [
        {"action": "add", "column": {"name": "Priority", "type": "text"}, "after_column_id": "Company"},
        {"action": "modify", "column_id": "Salary", "changes": {"name": "Pay"}},
        {"action": "reorder", "column_id": "Remote"},
        {"action": "remove", "column_id": "Due"},
    ]
    propose(page, scripted, "SCHEMA_PROPOSAL", *operations, mode="update")
    # The accessible name of the header is the new name.
    expect(page.get_by_role("columnheader", name="Pay", exact=True)).to_be_visible()
    page.get_by_role("checkbox", name="Change Salary").uncheck()
    expect(page.get_by_role("columnheader", name="Salary", exact=True)).to_be_visible()
    page.get_by_role("checkbox", name="Change Salary").check()
    expect(page.get_by_role("columnheader", name="Pay", exact=True)).to_be_visible()
    held = HeldRequests(page, TABLE_READ)
    with page.expect_request(TABLE_READ):
        apply_button(page).click()
    expect(page.get_by_role("log")).to_contain_text("Applied 4 column changes")
    heads = page.get_by_role("grid").get_by_role("columnheader").get_by_role("link")
    expect(heads).to_have_text(["Remote", "Company", "Priority", "Status", "Pay"])
    cell(page, 0, 4).dblclick()
    expect(page.get_by_role("textbox", name="Pay")).to_have_value("1000")
    page.keyboard.press("Escape")
    held.release()
    expect(page.get_by_role("grid")).not_to_have_attribute("aria-busy", "true")
    expect(heads).to_have_text(["Remote", "Company", "Priority", "Status", "Pay"])


def test_an_undo_prevented_by_a_duplicate_name_does_not_offer_overwriting(page: Page, scripted: ScriptedModel) -> None:
    operation = {"action": "modify", "column_id": "Salary", "changes": {"name": "Pay"}}
    propose(page, scripted, "SCHEMA_PROPOSAL", operation, mode="update")
    apply_button(page).click()
    expect(page.get_by_role("log")).to_contain_text("Applied 1 column change")
    expect(page.get_by_role("grid")).not_to_have_attribute("aria-busy", "true")
    send(page, "POST", f"{api(page)}columns/", {"name": "Salary", "type": "text"})
    expect(page.get_by_role("columnheader", name="Salary", exact=True)).to_be_visible()
    cell(page, 0, 0).click()
    page.keyboard.press("Control+z")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Another column is now named “Salary”.")
    expect(alert.get_by_role("button", name="Overwrite later changes")).to_have_count(0)
