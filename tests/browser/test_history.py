"""The history of a table: the details of a change in the list and on a separate page."""
from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.small_table import OpenTable, api, cell, row_ids, send, values


def change(page: Page, row: int, **cells: object) -> None:
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[row]}/", {"data": cells})


def back_to_table(page: Page) -> None:
    expect(page.locator("[data-undo-step]")).to_have_count(0)
    page.get_by_role("link", name="Back to table").click()


def test_the_details_of_a_row_link_to_its_history(open_table: OpenTable) -> None:
    page = open_table()
    change(page, 0, Salary=1500)
    change(page, 1, Salary=2500)
    cell(page, 1, 2).click()
    page.keyboard.press("Shift+Enter")
    page.get_by_role("dialog", name="Bolt").get_by_role("link", name="History of this row").click()
    entries = page.locator(".history > li")
    expect(entries).to_have_count(2)
    expect(entries.first.get_by_role("definition")).to_have_text("2000 → is now 2500")
    page.get_by_role("link", name="Show all rows, not only Bolt").click()
    expect(entries).to_have_count(3)


def test_a_change_is_unfolded_by_keyboard_and_has_its_own_page(open_table: OpenTable) -> None:
    page = open_table()
    change(page, 0, Salary=1500, Remote=None)
    page.goto(f"{page.url}history/")
    entry = page.get_by_role("listitem").first
    company = entry.get_by_text("Acme")
    expect(company).to_be_hidden()
    entry.get_by_text("Show changes").press("Enter")
    expect(company).to_be_visible()
    expect(entry.get_by_role("definition")).to_have_text(["1000 → is now 1500", "Yes → is now empty"])
    page.get_by_role("link", name="Changed 1 row").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Changed 1 row")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").filter(has_text="Undid: Changed 1 row")).to_be_visible()


def test_a_table_is_restored_after_confirmation_and_the_restore_is_undone(open_table: OpenTable) -> None:
    page = open_table()
    address = page.url
    change(page, 0, Salary=1500)
    change(page, 1, Company="Bolts")
    page.goto(f"{address}history/")
    page.get_by_role("link", name="Restore: Created “Jobs”").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Restore this version?")
    expect(page.get_by_text("2 later changes will be undone.")).to_be_visible()
    page.get_by_role("button", name="Restore table").click()
    expect(page.get_by_role("status").filter(has_text="Restored as of")).to_be_visible()
    assert [row["Salary"] for row in values(page)[:2]] == [1000, 2000]
    # Undo on the table page undoes the restore, and Redo redoes what was undone in the history.
    back_to_table(page)
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, 0, 2)).to_have_text("1500")
    page.get_by_role("button", name="Redo").click()
    expect(cell(page, 0, 2)).to_have_text("1000")
    page.goto(f"{address}history/")
    page.locator(".history > li").first.get_by_role("button", name="Undo: Redid: Restored as of").click()
    expect(page.get_by_role("status").filter(has_text="Undid: Restored as of")).to_be_visible()
    assert [row["Salary"] for row in values(page)[:2]] == [1500, 2000]
    back_to_table(page)
    page.get_by_role("button", name="Redo").click()
    expect(cell(page, 0, 2)).to_have_text("1000")
