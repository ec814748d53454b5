"""Multiple select: several options in a cell, edited by keyboard, in the row sheet and by pasting."""
from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.small_table import COPY, PASTE, OpenTable, api, cell, saved, send, values

TAGS = ["Red", "Green", "a, b", "Blue"]
TAGS_COLUMN = 5
# How far the badges of a cell are below its row, in px.
OVERFLOW = """td => {
  const bottom = (each) => each.getBoundingClientRect().bottom;
  return bottom(td.querySelector(".badges")) - bottom(td.parentElement);
}"""


def open_with_tags(open_table: OpenTable, *tags: list[str], **how: Any) -> Page:
    """Open the table with a column of these lists."""
    page = open_table(**how)
    send(page, "POST", f"{api(page)}columns/", {"name": "Tags", "type": "multi_select", "options": TAGS})
    ids = [row["id"] for row in send(page, "GET", f"{api(page)}rows/")["rows"]]
    rows = [{"id": row_id, "data": {"Tags": value}} for row_id, value in zip(ids, tags, strict=False)]
    send(page, "PATCH", f"{api(page)}rows/", {"rows": rows})
    page.reload()
    expect(badges(page, 0)).not_to_have_count(0)
    return page


def badges(page: Page, row: int) -> Locator:
    return cell(page, row, TAGS_COLUMN).locator(".badge")


def stored(page: Page, row: int) -> Any:
    saved(page)
    return values(page)[row].get("Tags")


def test_options_are_checked_by_keyboard_created_and_removed(open_table: OpenTable) -> None:
    page = open_with_tags(open_table, ["Green"])
    cell(page, 0, TAGS_COLUMN).click()
    page.keyboard.press("Enter")
    options = page.get_by_role("listbox", name="Tags").get_by_role("option")
    expect(options).to_have_text([*TAGS, "Clear", "Edit options"])
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    page.keyboard.type("red")
    page.keyboard.press("Enter")
    page.keyboard.type("New; one")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(badges(page, 0)).to_have_text(["Red", "Green", "a, b", "New; one"])
    assert stored(page, 0) == ["Red", "Green", "a, b", "New; one"]

    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(options.first).to_be_visible()
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Tab")
    expect(badges(page, 0)).to_have_text(["Red", "Green"])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(options.first).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(badges(page, 0)).to_have_text(["Red", "Green"])
    assert stored(page, 0) == ["Red", "Green"]


def test_lists_are_copied_pasted_filled_and_cleared(open_table: OpenTable) -> None:
    page = open_with_tags(open_table, ["Red", "a, b"])
    cell(page, 0, TAGS_COLUMN).click()
    assert page.evaluate(COPY) == '"Red, ""a, b"""'
    cell(page, 1, TAGS_COLUMN).click()
    page.evaluate(PASTE, "blue; RED")
    expect(badges(page, 1)).to_have_text(["Red", "Blue"])
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Control+d")
    expect(badges(page, 2)).to_have_text(["Red", "Blue"])
    cell(page, 0, TAGS_COLUMN).click()
    page.keyboard.press("Delete")
    expect(badges(page, 0)).to_have_count(0)
    assert [stored(page, row) for row in range(3)] == [None, ["Red", "Blue"], ["Red", "Blue"]]


def test_the_row_sheet_the_filter_bar_and_print_have_lists(open_table: OpenTable) -> None:
    page = open_with_tags(open_table, ["Green"], ["Red", "Green", "a, b", "Blue"])
    cell(page, 0, TAGS_COLUMN).click()
    page.keyboard.press("Shift+Enter")
    sheet = page.get_by_role("dialog", name="Acme")
    field = sheet.get_by_role("combobox", name="Tags")
    chips = sheet.locator(".chipfield", has=page.get_by_role("combobox", name="Tags")).locator(".badge")
    expect(chips).to_have_text(["Green"])
    field.click()
    for name in ("Red", "Green", "Blue", "a, b"):
        page.get_by_role("listbox", name="Tags").get_by_role("option", name=name).click()
    expect(chips).to_have_text(["Red", "Blue", "a, b"])
    field.press("Tab")
    expect(chips).to_have_text(["Red", "a, b", "Blue"])
    sheet.get_by_role("button", name="Remove Blue").click()
    field.press("ArrowLeft")
    expect(sheet.get_by_role("button", name="Remove a, b")).to_be_focused()
    # The fields are drawn again when a value has been saved.
    saved(page)
    page.locator("table-grid").dispatch_event("grid-written")
    expect(sheet.get_by_role("button", name="Remove a, b")).to_be_focused()
    page.keyboard.press("Delete")
    expect(field).to_be_focused()
    expect(chips).to_have_text(["Red"])
    page.keyboard.press("Escape")
    expect(badges(page, 0)).to_have_text(["Red"])
    assert stored(page, 0) == ["Red"]

    page.locator(".fchip", has_text="Tags").click()
    page.locator(".menu:popover-open [data-choice]", has_text="Blue").click()
    expect(page.locator("tbody[data-body=rows] tr[data-row]")).to_have_count(1)
    expect(badges(page, 0)).to_have_text(["Red", "Green", "a, b", "Blue"])
    page.emulate_media(media="print")
    expect(badges(page, 0).last).to_be_visible()
    assert cell(page, 0, TAGS_COLUMN).evaluate(OVERFLOW) <= 0
