"""Pasting: valid values are written as one change, others are listed and marked; new rows and columns are offered."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.reviews import propose
from tests.browser.small_table import PASTE, OpenTable, api, cell, row_ids, saved, send, values
from tests.scripted_model import ScriptedModel


def test_pasting_skips_a_proposed_column(page: Page, scripted: ScriptedModel) -> None:
    added: dict[str, Any] = {"name": "Priority", "type": "text"}
    operation = {"action": "add", "column": added, "after_column_id": "Status"}
    propose(page, scripted, "SCHEMA_PROPOSAL", operation, mode="update")
    expect(page.locator('th[data-op="add"]')).to_have_text("Priority")
    cell(page, 0, 1).click()
    page.evaluate(PASTE, "Offer\thigh\t1,500\nRejected\tlow\t2,500")
    saved(page)
    expect(cell(page, 1, 3)).to_have_text("2500")
    expect(page.get_by_role("alert")).to_have_count(0)
    found = [(row["Status"], row.get("Salary"), row.get("Priority")) for row in values(page)[:2]]
    assert found == [("Offer", 1500, None), ("Rejected", 2500, None)]


def test_valid_values_are_pasted_others_are_marked_and_undo_withdraws_an_offered_column(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 2).click()
    page.evaluate(PASTE, "5\tOct 7, 2026\tYes\nlots\t10/8/2026\tno\n7\tsoon\tx")
    note = page.get_by_role("alert").filter(has_text="3 cells were not pasted.")
    expect(note).to_contain_text("Row 2: Salary: “lots” is not a number")
    marked = page.locator("td.is-failed")
    expect(marked).to_have_count(3)
    columns = ("Salary", "Due", "Remote")
    assert [[row.get(name) for name in columns] for row in values(page)] == [
        [5, "2026-10-07", True], [2000, "2026-10-08", False], [7, None, None],
    ]  # fmt: skip
    note.get_by_role("button", name="Show").click()
    expect(page.locator(".value-hint")).to_contain_text("Not pasted. Salary: “lots” is not a number")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    saved(page)
    expect(marked).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(cell(page, 1, 2)).to_have_text("2000")
    page.keyboard.press("Control+z")
    expect(cell(page, 0, 2)).to_have_text("1000")
    expect(marked).to_have_count(0)
    for word in ("lots", "much", "plenty", "heaps"):
        page.evaluate(PASTE, word + "\n" + word)
        expect(page.get_by_role("alert").filter(has_text="Nothing was pasted.").last).to_contain_text(word)

    offer = page.get_by_role("button", name="Add 1 column")
    cell(page, 0, 3).click()
    page.evaluate(PASTE, "2026-10-07\tno\tmore")
    expect(cell(page, 0, 3)).to_contain_text("Oct")
    expect(offer).to_be_visible()
    saved(page)
    page.keyboard.press("Control+z")
    expect(cell(page, 0, 3)).to_contain_text("Mar")
    expect(offer).to_have_count(0)
    page.evaluate(PASTE, "2026-10-07\tno\tmore")
    expect(offer).to_be_visible()
    saved(page)
    send(page, "DELETE", f"{api(page)}rows/{row_ids(page)[0]}/")
    expect(page.get_by_text("2 rows", exact=True)).to_be_visible()
    offer.click()
    expect(page.get_by_text("No column was added, because the rows were deleted.")).to_be_visible()
    assert len(send(page, "GET", api(page))["columns"]) == 5


def test_pasted_rows_are_created_in_one_change_or_listed_until_they_are_complete(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 0).click()
    page.evaluate(PASTE, "Crum\tOffer\t3\nDyno\tOffer\tlots\n\t\t\nEcho\tApplied\t5")
    note = page.get_by_role("alert").filter(has_text="1 cell was not pasted.")
    expect(note).to_contain_text("Row 4: Salary: “lots” is not a number")
    in_range = ["Crum", "Offer", "3", "Dyno", "Offer", "–", "Echo", "Applied", "5"]
    expect(page.locator("td.is-in-range")).to_have_text(in_range)
    note.get_by_role("button", name="Show").click()
    expect(page.locator("td.is-failed")).to_have_class(re.compile("is-focus"))
    expect(page.locator(".value-hint")).to_contain_text("Not pasted. Salary: “lots” is not a number")
    expect(page.get_by_text("did not fit")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    expect(cell(page, 2, 0)).to_have_text("Crux")

    drafts = page.locator("tr.is-draft")
    cell(page, 2, 0).click()
    page.evaluate(PASTE, "Crum\tOffer\t3\n\tOffer\t4\n\t\t\nEcho\tApplied\t5\n\t\tlots")
    note = page.get_by_role("alert").filter(has_text="Pasted rows 2 and 5 were not added")
    expect(note).to_contain_text("Company must have a value. They are below, not saved yet.")
    expect(drafts).to_have_count(2)
    expect(drafts.last.locator("td.is-failed")).to_have_text("lots")
    note.get_by_role("button", name="Show").click()
    expect(drafts.first.locator("td.is-required")).to_have_class(re.compile("is-focus"))
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    expect(page.get_by_text("5 rows", exact=True)).to_be_visible()
    saved(page)
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crum", "Echo", "Dyno"]
    assert values(page)[4] == {"Company": "Dyno", "Status": "Offer", "Salary": 4}
    # The incomplete row belongs to the paste and is removed when the paste is undone.
    for rows in ("4 rows", "3 rows"):
        expect(drafts).to_have_count(1)
        page.keyboard.press("Control+z")
        expect(page.get_by_text(rows, exact=True)).to_be_visible()
    expect(drafts).to_have_count(0)
    page.keyboard.press("Control+y")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect(drafts.locator("td.is-failed")).to_have_text("lots")
    page.keyboard.press("Control+z")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    expect(drafts).to_have_count(0)
    drafts.first.or_(page.locator("tr.is-blank").first).locator("td.cell").nth(1).click()
    page.evaluate(PASTE, "Offer\t1\nOffer\t2")
    alone = page.get_by_role("alert").filter(has_text="Pasted rows 1 and 2 were not added")
    expect(alone).to_be_visible()
    expect(drafts).to_have_count(2)


def test_a_paste_into_blank_rows_does_not_move_a_cursor_that_has_moved_on(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 0).click()
    held = HeldRequests(page, re.compile(r"/rows/\?keys=id"))
    with page.expect_request(re.compile(r"/rows/\?keys=id")):
        page.evaluate(PASTE, "Crum\nDyno\t\t\t\t\tmore")
    page.keyboard.press("ArrowUp")
    expect(cell(page, 1, 0)).to_have_class(re.compile("is-focus"))
    held.release()
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect(page.get_by_text("1 column did not fit")).to_be_visible()
    expect(page.locator("td.is-in-range")).to_have_count(0)
    expect(cell(page, 1, 0)).to_have_class(re.compile("is-focus"))


def test_a_column_offered_for_a_paste_also_gets_the_values_of_incomplete_rows(
    open_table: OpenTable,
) -> None:
    page = open_table()
    drafts = page.locator("tr.is-draft")
    page.locator("tr.is-blank").first.locator("td.cell").first.click()
    page.evaluate(PASTE, "Dyno\tOffer\t3\t\t\tmore\n\tOffer\t4\t\t\tless\n\tOffer\t5")
    expect(drafts).to_have_count(2)
    page.get_by_role("button", name="Add 1 column").click()
    expect(page.locator('tbody[data-body="rows"] td.cell', has_text="more")).to_be_visible()
    expect(drafts.filter(has_text="less")).to_have_count(1)
    saved(page)
    assert [row.get("Column 6") for row in values(page)] == [None, None, None, "more"]
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("columnheader", name="Column 6")).to_have_count(0)
