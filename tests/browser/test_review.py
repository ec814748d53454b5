"""Reviewing a proposal in the grid: its changes, unchecking and correcting them, and applying it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.reviews import proposal, propose, row_operations, toasts
from tests.browser.small_table import OpenTable, api, row_ids, send, values
from tests.scripted_model import ScriptedModel


def test_row_changes_are_reviewed_and_applied_also_from_the_empty_composer(page: Page, scripted: ScriptedModel) -> None:
    before = values(page)
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    expect(page.locator('tr[data-op="add"]')).to_have_count(2)
    expect(page.get_by_text("3 rows · 4 after applying")).to_be_visible()

    changed = page.locator("td.is-changed")
    changed.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Was Applied")
    expect(page.get_by_role("tooltip")).to_contain_text("Will be Rejected")
    expect(changed).to_have_attribute("aria-describedby", "old-value")

    page.get_by_text("Only changes").click()
    expect(page.locator("tbody:visible tr[data-row]:visible")).to_have_count(4)
    page.get_by_text("Only changes").click()

    page.get_by_role("checkbox", name="Delete Crux").uncheck()
    page.get_by_role("checkbox", name="Add Echo").uncheck()
    page.locator('tr[data-index="0"] td[data-label="Salary"]').dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type("3500")
    page.keyboard.press("Enter")
    expect(page.locator('tr[data-index="0"] td[data-label="Salary"]')).to_have_text("3500")
    expect(page.get_by_role("heading", name="2 of 4 changes selected")).to_be_visible()

    page.keyboard.press("Control+Enter")
    # A toast does not time out under the pointer.
    page.locator("#toasts").get_by_text("Applied 2 of 4 changes").hover()
    expect(page.locator('tbody[data-body="rows"] tr')).to_have_count(4)
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux", "Dyno"]
    assert values(page)[0]["Status"] == "Rejected"
    assert values(page)[3]["Salary"] == 3500

    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator('tbody[data-body="rows"] tr')).to_have_count(3)
    assert values(page) == before
    expect(page.get_by_role("log")).to_contain_text("Undone")

    wanted = {"action": "add", "data": {"Company": "Dyno"}}
    propose(page, scripted, "DATA_PROPOSAL", wanted, reasoning="An invoice\u202efdp.exe")
    expect(page.locator(".review__text")).to_contain_text("An invoiceU+202Efdp.exe")
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.fill("One more")
    page.keyboard.press("Control+Enter")
    composer.fill("")
    assert len(values(page)) == 3
    page.keyboard.press("Control+Enter")
    expect(page.locator("#toasts").get_by_text("Applied 1 of 1 change")).to_be_visible()
    assert len(values(page)) == 4


def test_a_concurrent_change_is_shown_as_conflict_at_once_also_on_a_phone(
    scripted: ScriptedModel, open_scripted_table: OpenTable
) -> None:
    page = open_scripted_table(width=390)
    page.locator("#dock button").first.click()
    first, second, _ = row_ids(page)
    changes = [{"action": "update", "row_id": row, "changes": {"Salary": 7}} for row in (first, second)]
    scripted.add(proposal("DATA_PROPOSAL", *changes))
    send_message(page, "please")
    page.locator("button.pcard").click()
    dock = page.locator("#dock")
    expect(dock.get_by_role("button", name="Apply 2 changes")).to_be_enabled()
    # The card shows both values, so no toast covers the next one.
    page.locator("td.is-changed").first.hover()
    expect(page.get_by_role("tooltip")).to_be_hidden()
    send(page, "PATCH", f"{api(page)}rows/{first}/", {"data": {"Salary": 5}})
    expect(page.get_by_text("Salary was changed since.")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Update Acme")).not_to_be_checked()
    dock.get_by_role("button", name="Apply 1 change").click()
    expect(toasts(page)).to_contain_text("Applied 1 of 2")
    assert [row.get("Salary") for row in values(page)] == [5, 7, None]


def test_column_changes_are_reviewed_in_headers_and_lines(page: Page, scripted: ScriptedModel) -> None:
    operations: list[dict[str, Any]] = [
        {"action": "add", "column": {"name": "Priority", "type": "select", "options": ["High", "Low"]},
         "after_column_id": "Company"},
        {"action": "modify", "column_id": "Salary", "changes": {"name": "Base salary"}},
        {"action": "modify", "column_id": "Status", "changes": {"type": "number"}},
        {"action": "reorder", "column_id": "Remote"},
        {"action": "remove", "column_id": "Due"},
    ]  # fmt: skip
    propose(page, scripted, "SCHEMA_PROPOSAL", *operations, mode="update")
    review = page.get_by_role("region", name="Proposed column changes")
    expect_lines(page)
    for name, kind in (("Priority", "add"), ("Base salary", "update"), ("Remote", "update"), ("Due", "delete")):
        expect(page.get_by_role("columnheader").filter(has_text=name)).to_have_attribute("data-op", kind)
    page.locator(".review__actions").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("alert")).to_contain_text("Confirm what happens to these cells")
    with page.expect_response(lambda answer: answer.url.endswith("/review/") and answer.ok):
        review.get_by_role("checkbox", name="Remove Due").uncheck()
    expect(page.get_by_role("columnheader", name="Due")).to_have_class(re.compile("is-off"))
    page.reload()
    expect(review.get_by_role("checkbox", name="Add Priority")).to_be_checked()
    expect(review.get_by_role("checkbox", name="Remove Due")).not_to_be_checked()
    review.get_by_role("checkbox", name="cannot be converted").check()
    expect(page.locator(".review__actions").get_by_role("button", name="Apply 4")).to_be_enabled()
    page.keyboard.press("Control+Enter")
    heads = page.get_by_role("grid").get_by_role("columnheader").get_by_role("link")
    expect(heads).to_have_text(["Remote", "Company", "Priority", "Status", "Base salary", "Due"])
    expect(page.locator("[data-op]")).to_have_count(0)
    expect(page.get_by_role("log")).to_contain_text("Applied 4 of 5")

    # After an answer by keyboard, the focus is in the grid.
    change = {"action": "add", "column": {"name": "Notes", "type": "text"}}
    for answer in ("Dismiss", "Apply 1 change"):
        propose(page, scripted, "SCHEMA_PROPOSAL", change, mode="update")
        review.get_by_role("button", name=answer).focus()
        page.keyboard.press("Enter")
        expect(review).to_have_count(0)
        expect(page.get_by_role("grid")).to_be_focused()


def expect_lines(page: Page) -> None:
    """Expect a line for each column change, with its kind and what is lost; at 200 %, a part of the table below."""
    lines = page.get_by_role("group", name="Column changes").locator(".op")
    expect(lines).to_have_count(5)
    page.set_viewport_size({"width": 640, "height": 400})
    assert page.evaluate("document.querySelector('.grid-scroll').clientHeight") >= 60
    page.set_viewport_size({"width": 1440, "height": 900})
    kinds = ("Add Priority", "add"), ("Change Salary", "update"), ("Move Remote", "update"), ("Remove Due", "delete")
    for words, kind in kinds:
        expect(lines.filter(has_text=words)).to_have_attribute("data-op", kind)
    expect(lines.filter(has_text="Change Salary").locator("s")).to_have_text("Salary")
    expect(lines.filter(has_text="Remove Due")).to_contain_text("1 value will be lost")
