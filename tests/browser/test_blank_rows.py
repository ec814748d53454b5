"""Blank rows below a short table, which are created when one of their cells is written."""
from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.small_table import PASTE, OpenTable, cell, saved, values


def drag(page: Page, start: Locator, end: Locator) -> None:
    boxes = [start.bounding_box(), end.bounding_box()]
    places = [(box["x"] + 4, box["y"] + 4) for box in boxes if box is not None]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=5)
    page.mouse.up()


def expect_hidden_by_search(page: Page, blank: Locator) -> None:
    """Search for two rows and for none, and expect no blank rows."""
    page.get_by_role("searchbox", name="Search rows").fill("acme")
    expect(page.get_by_text("2 matching rows", exact=True)).to_be_visible()
    expect(blank).to_have_count(0)
    page.get_by_role("searchbox", name="Search rows").fill("")
    expect(blank).to_have_count(8)


def test_blank_rows_are_created_by_typing_filling_and_pasting(open_table: OpenTable) -> None:
    page = open_table([])
    grid = page.get_by_role("grid")
    blank = page.locator("tr.is-blank")
    expect(blank).to_have_count(10)
    expect(grid).to_have_attribute("aria-rowcount", "11")
    expect(blank.last).to_have_attribute("aria-rowindex", "11")
    expect(page.get_by_text("0 rows", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Discard this new row")).to_have_count(0)
    expect(page.get_by_role("heading", name="No rows yet")).to_be_visible()
    # The blank row that is typed into becomes the next row, wherever it was, and the cursor moves with it.
    blank.nth(2).locator("td.cell").nth(2).click()
    page.keyboard.type("5")
    page.keyboard.press("Tab")
    expect(page.locator("tr.is-draft")).to_have_attribute("aria-rowindex", "2")
    page.keyboard.press("Home")
    page.keyboard.type("Acme")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.get_by_text("1 row", exact=True)).to_be_visible()
    expect(blank).to_have_count(9)
    expect(blank.first.locator("td.cell").first).to_have_class(re.compile("is-focus"))

    page.keyboard.press("Control+d")
    expect(page.get_by_text("2 rows", exact=True)).to_be_visible()
    assert values(page) == [{"Company": "Acme", "Salary": 5}, {"Company": "Acme"}]
    page.keyboard.press("ArrowDown")
    expect(blank.first.locator("td.cell").first).to_have_class(re.compile("is-focus"))
    page.evaluate(PASTE, "Bolt\tOffer\t7\nCrux\tApplied\t9")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect(cell(page, 2, 0)).to_have_class(re.compile("is-focus"))
    expect(page.locator("td.is-in-range")).to_have_text(["Bolt", "Offer", "7", "Crux", "Applied", "9"])
    expect(blank).to_have_count(6)
    page.keyboard.press("Control+z")
    expect(page.get_by_text("2 rows", exact=True)).to_be_visible()
    expect(blank).to_have_count(8)

    # Dragging the fill handle of the last row over blank rows repeats the cell there.
    cell(page, 1, 0).click()
    drag(page, page.locator(".fillgrip"), blank.nth(1).locator("td.cell").first)
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    assert values(page)[2:] == [{"Company": "Acme"}, {"Company": "Acme"}]
    page.keyboard.press("Control+z")
    expect(page.get_by_text("2 rows", exact=True)).to_be_visible()

    expect_hidden_by_search(page, blank)
    blank.first.locator("td.cell").first.click(button="right")
    menu = page.get_by_role("menu", name="New row")
    expect(menu.get_by_role("menuitem")).to_have_text(["PasteCtrlV", "Fill downCtrlD"])
