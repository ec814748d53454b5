"""The stored review of a proposal: after a reload, in other tabs, and carried over to the proposal that replaces it."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.actions import open_with_socket, send_message
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.reviews import apply_button, operation, propose, row_operations, selected, toasts
from tests.browser.small_table import api, cell, row_ids, send, values
from tests.browser.small_table import saved as cells_saved
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

REVIEW_PATH = "/review/"
NEW_TABLE: dict[str, Any] = {
    "mode": "create",
    "reasoning": "To see where you stand",
    "table_name": "Jobs",
    "table_description": "Where I applied",
    "operations": [
        {"action": "add", "column": {"name": name, "type": "text"}} for name in ("Company", "Phone", "Notes")
    ],
    "sample_rows": [{"Company": "Acme", "Notes": "call"}],
}


def saved(page: Page, act: Callable[[], Any]) -> None:
    """Run `act`, and wait until the review is stored."""
    with page.expect_response(lambda answer: answer.url.endswith(REVIEW_PATH) and answer.ok):
        act()


def correct(page: Page, index: int, column: str, text: str) -> None:
    """Replace the proposed value."""
    operation(page, index).locator(f'td[data-label="{column}"]').dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_unchecked_and_edited_changes_are_restored_after_a_reload_and_applied(
    page: Page, scripted: ScriptedModel
) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    held = HeldRequests(page, re.compile(f"{REVIEW_PATH}$"))
    page.get_by_role("checkbox", name="Delete Crux").uncheck()
    held.wait_for_request()
    page.get_by_role("checkbox", name="Update Acme").uncheck()
    # No empty notice is shown while a decision is being saved.
    expect(page.locator(".review__note")).to_have_count(0)
    held.release()
    saved(page, lambda: correct(page, 0, "Salary", "3500"))
    # The last change is stored too if the page is left at once.
    page.get_by_role("checkbox", name="Add Echo").uncheck()
    page.reload()
    selected(page, "1 of 4 changes")
    for name in ("Delete Crux", "Update Acme", "Add Echo"):
        expect(page.get_by_role("checkbox", name=name)).not_to_be_checked()
    expect(operation(page, 0).locator('td[data-label="Salary"]')).to_have_text("3500")
    apply_button(page).click()
    expect(toasts(page)).to_contain_text("Applied 1 of 4 changes")
    assert [(row["Company"], row.get("Salary")) for row in values(page)][3:] == [("Dyno", 3500)]


def test_a_checked_conflict_is_unchecked_when_its_value_changes_again(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    acme = page.get_by_role("checkbox", name="Update Acme")
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[0]}/", {"data": {"Status": "Offer"}})
    expect(acme).not_to_be_checked()
    saved(page, acme.check)
    page.reload()
    selected(page, "4 of 4 changes")
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[0]}/", {"data": {"Status": None}})
    page.reload()
    selected(page, "3 of 4 changes")
    expect(acme).not_to_be_checked()


def test_the_review_of_a_new_table_is_restored_after_a_reload(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    scripted.add(reply(f"Here it is.\n\nSCHEMA_PROPOSAL: {json.dumps(NEW_TABLE)}"))
    send_message(page, "track my applications")
    table = page.get_by_role("region", name="Proposed table")
    create = table.get_by_role("button", name="Create table")
    expect(create).to_be_enabled()
    saved(page, lambda: table.get_by_role("textbox", name="Name of the table").fill("Applications"))
    saved(page, lambda: table.get_by_role("textbox", name="Name of the column Company").fill("Firm"))
    saved(page, table.get_by_role("checkbox", name="Include Phone").uncheck)
    saved(page, table.get_by_role("checkbox", name="Include the 1 sample row").uncheck)
    page.reload()
    expect(table.get_by_role("textbox", name="Name of the table")).to_have_value("Applications")
    expect(page.get_by_role("main").get_by_role("textbox", name="Describe the table you need")).to_be_visible()
    expect(table.locator(".newtable__column").first).to_have_value("Firm")
    expect(table.get_by_role("cell", name="Acme")).to_be_visible()
    expect(table.get_by_role("checkbox", name="Include Phone")).not_to_be_checked()
    expect(table.get_by_role("checkbox", name="Include the 1 sample row")).not_to_be_checked()
    create.click()
    expect(page.get_by_role("heading", name="Applications")).to_be_visible()
    expect(page.get_by_role("grid").get_by_role("columnheader").get_by_role("link")).to_have_text(["Firm", "Notes"])
    assert values(page) == []



def test_another_tab_shows_the_review_until_it_is_applied(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    other = page.context.new_page()
    open_with_socket(other, page.url)
    selected(other, "4 of 4 changes")
    page.get_by_role("checkbox", name="Delete Crux").uncheck()
    selected(other, "3 of 4 changes")
    correct(page, 0, "Salary", "3500")
    expect(operation(other, 0).locator('td[data-label="Salary"]')).to_have_text("3500")
    other.get_by_role("checkbox", name="Delete Crux").check()
    selected(page, "4 of 4 changes")
    expect(operation(page, 0).locator('td[data-label="Salary"]')).to_have_text("3500")
    # A saved cell is edited during the review.
    cell(page, 1, 0).dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type("Bolt & Co")
    page.keyboard.press("Enter")
    cells_saved(page)
    selected(page, "4 of 4 changes")
    apply_button(page).click()
    for tab in (page, other):
        expect(tab.get_by_role("log")).to_contain_text("Applied 4 changes")
        expect(tab.locator("[data-op]")).to_have_count(0)
        expect(tab.get_by_text("4 rows", exact=True)).to_be_visible()
        expect(cell(tab, 0, 1)).to_have_text("Rejected")
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt & Co", "Dyno", "Echo"]


def test_a_new_proposal_takes_over_the_review_and_reports_what_it_could_not(
    page: Page, scripted: ScriptedModel
) -> None:
    first, second, third = row_ids(page)
    update = {"action": "update", "changes": {"Status": "Rejected", "Salary": 5}}
    operations = [{**update, "row_id": row} for row in (first, second, third)]
    propose(page, scripted, "DATA_PROPOSAL", *operations)
    saved(page, page.get_by_role("checkbox", name="Update Bolt").uncheck)
    saved(page, lambda: correct(page, 0, "Salary", "7"))
    saved(page, lambda: correct(page, 2, "Salary", "8"))
    also = {"Status": "Rejected", "Salary": 5, "Remote": True}
    changes = [also, also, {**also, "Salary": 6}]
    rows = zip((first, second, third), changes, strict=True)
    again = [{**update, "row_id": row, "changes": each} for row, each in rows]
    propose(page, scripted, "DATA_PROPOSAL", *reversed(again))

    selected(page, "2 of 3 changes")
    expect(page.get_by_role("checkbox", name="Update Bolt")).not_to_be_checked()
    expect(operation(page, 2).locator('td[data-label="Salary"] ins')).to_have_text("7")
    notice = page.get_by_role("region", name="Proposed changes").get_by_role("status").filter(has_text="carried over")
    expect(notice).to_have_text("1 of your edits could not be carried over to the new proposal: Salary: 8.")
    saved(page, notice.get_by_role("button", name="Close").click)
    page.reload()
    selected(page, "2 of 3 changes")
    expect(notice).to_have_count(0)
    apply_button(page).click()
    expect(toasts(page)).to_contain_text("Applied 2 of 3 changes")
    assert [row["Salary"] for row in values(page)] == [7, 2000, 6]
