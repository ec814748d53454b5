"""The context menu of cells and rows: by mouse, by keyboard, for checked rows, and for viewers."""
from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import (
    OpenTable,
    api,
    cell,
    row_ids,
    saved,
    send,
    values,
)
from tests.browser.test_ranges import selected


def cell_menu(page: Page) -> Locator:
    return page.get_by_role("menu", name="Selected cells")


def choose(page: Page, name: str) -> None:
    cell_menu(page).get_by_role("menuitem", name=name, exact=True).click()
    expect(cell_menu(page)).to_have_count(0)


def companies(page: Page) -> list[str]:
    return [row["Company"] for row in values(page)]


def copied(page: Page) -> str:
    """Wait until a copy is confirmed; return the content of the clipboard."""
    note = page.locator("#toasts .toast").filter(has_text="Copied")
    expect(note).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    note.get_by_role("button", name="Close", exact=True).click()
    expect(note).to_have_count(0)
    return text


def test_the_menu_copies_cuts_pastes_fills_and_clears_cells(open_table: OpenTable) -> None:
    page = open_table()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell(page, 0, 1).click()
    cell(page, 1, 2).click(modifiers=["Shift"])
    cell(page, 1, 1).click(button="right")
    choose(page, "Copy with headers")
    assert copied(page) == "Status\tSalary\nApplied\t1000\nOffer\t2000"
    cell(page, 0, 2).click(button="right")
    choose(page, "Cut")
    assert copied(page) == "Applied\t1000\nOffer\t2000"
    saved(page)
    expect(cell(page, 0, 2)).to_have_text("–")
    # A click outside the selection applies to the clicked cell.
    cell(page, 2, 1).click(button="right")
    expect(selected(page)).to_have_count(0)
    choose(page, "Paste")
    expect(cell(page, 2, 2)).to_have_text("1000")
    page.keyboard.press("Escape")
    cell(page, 2, 2).click(button="right")
    choose(page, "Clear")
    expect(cell(page, 2, 2)).to_have_text("–")
    cell(page, 1, 0).click(button="right")
    choose(page, "Fill down")
    expect(cell(page, 1, 0)).to_have_text("Acme")
    saved(page)
    assert [row.get("Status") for row in values(page)] == [None, None, "Applied"]
    assert companies(page) == ["Acme", "Acme", "Crux"]


def test_the_menu_opened_by_keyboard_duplicates_opens_and_deletes_rows(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 1, 2).click()
    page.keyboard.press("Shift+F10")
    expect(cell_menu(page).get_by_role("menuitem", name="Cut")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("grid")).to_be_focused()
    page.keyboard.press("ContextMenu")
    choose(page, "Row details")
    expect(page.get_by_role("dialog", name="Bolt")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("grid")).to_be_focused()
    page.keyboard.press("Shift+F10")
    choose(page, "Duplicate row")
    expect(cell(page, 2, 0)).to_have_text("Bolt")
    # A click on the row number applies to the whole row.
    page.locator('tbody[data-body="rows"] td.gutter').nth(0).click(button="right", position={"x": 40, "y": 10})
    expect(selected(page)).to_have_count(5)
    choose(page, "Delete row")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert companies(page) == ["Bolt", "Bolt", "Crux"]
    # A click on a checked row applies to all checked rows.
    for number in (0, 1):
        page.locator('tbody[data-body="rows"] .check').nth(number).check()
    # Selected cells elsewhere apply to their own rows.
    cell(page, 1, 0).click()
    cell(page, 2, 0).click(modifiers=["Shift"])
    cell(page, 2, 0).click(button="right")
    expect(cell_menu(page).get_by_role("menuitem", name="Delete 2 rows of the selected cells")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator('tbody[data-body="rows"] td.gutter').nth(1).click(button="right", position={"x": 40, "y": 10})
    page.get_by_role("menu", name="Selected rows").get_by_role("menuitem", name="Delete 2 rows", exact=True).click()
    expect(page.get_by_text("1 row", exact=True)).to_be_visible()
    assert companies(page) == ["Crux"]


def test_the_menu_inserts_rows_above_and_below(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 1, 1).click(button="right")
    choose(page, "Insert row above")
    # The new row is not saved until its required cell is filled.
    expect(page.get_by_text("to insert the row here.")).to_be_visible()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    expect(cell(page, 1, 0)).to_have_text("Dyno")
    expect(page.locator("tr.is-draft")).to_have_count(0)
    assert companies(page) == ["Acme", "Dyno", "Bolt", "Crux"]
    send(page, "PATCH", f"{api(page)}columns/Company/", {"required": False})
    page.reload()
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    cell(page, 3, 2).click(button="right")
    # Text typed before the row appears is written into it.
    held = HeldRequests(page, re.compile(r"/rows/\?keys=id&typecast=true$"))
    choose(page, "Insert row below")
    held.wait_for_request()
    page.keyboard.type("78")
    page.keyboard.press("Backspace")
    page.keyboard.press("Delete")
    held.release()
    expect(cell(page, 4, 2).locator("input")).to_have_value("7")
    page.keyboard.press("Enter")
    saved(page)
    assert values(page)[4] == {"Salary": 7}
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    # The position of sorted rows depends on their values.
    page.get_by_role("columnheader", name="Salary").get_by_role("link").press("Enter")
    expect(cell(page, 1, 0)).to_have_text("Bolt")
    cell(page, 0, 0).click(button="right")
    expect(cell_menu(page).get_by_role("menuitem", name="Insert row below")).to_be_disabled()


def test_a_menu_command_applies_to_the_rows_the_menu_was_opened_for(open_table: OpenTable) -> None:
    page = open_table()
    first, second, _ = row_ids(page)
    cell(page, 1, 2).click(button="right")
    expect(cell_menu(page)).to_be_visible()
    send(page, "POST", f"{api(page)}rows/", {"rows": [{"Company": "Dyno", "Salary": 5}], "before_row_id": first})
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    choose(page, "Clear")
    expect(cell(page, 2, 2)).to_have_text("–")
    saved(page)
    assert [row.get("Salary") for row in values(page)] == [5, 1000, None, None]
    # Nothing is done if the rows were deleted, in particular not to rows that moved to their position.
    cell(page, 2, 2).click(button="right")
    expect(cell_menu(page)).to_be_visible()
    send(page, "DELETE", f"{api(page)}rows/{second}/")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    choose(page, "Delete row")
    expect(page.get_by_text("The selected cells were moved or deleted.")).to_be_visible()
    assert companies(page) == ["Dyno", "Acme", "Crux"]
