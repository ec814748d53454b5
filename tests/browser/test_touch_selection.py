"""Cell ranges by touch: resized at their corners; copied, pasted and cleared with buttons."""
from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.small_table import OpenTable, cell, saved, values
from tests.browser.test_ranges import figures, selected
from tests.browser.touch import Finger

PASTE_INTO = """(field, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  field.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}"""
# Emulates the keyboard of a phone, which covers the page below this height.
KEYBOARD = """height => {
  Object.defineProperty(visualViewport, "height", {get: () => height});
  visualViewport.dispatchEvent(new Event("resize"));
}"""


def test_a_selection_is_resized_at_its_corners_and_cleared_by_a_tap(open_table: OpenTable) -> None:
    page = open_table(width=390)
    finger = Finger(page)
    finger.tap(cell(page, 0, 0))
    grips = page.locator(".rangegrip")
    expect(grips.last).to_be_visible()
    finger.drag(grips.last, to=cell(page, 1, 1))
    expect(selected(page)).to_have_text(["Acme", "Applied", "Bolt", "Offer"])
    expect(figures(page)).to_have_text("4 cells ")
    finger.drag(grips.first, to=cell(page, 1, 0))
    expect(selected(page)).to_have_text(["Bolt", "Offer"])

    # A tap clears the selection, and a second tap edits.
    page.keyboard.press("Escape")
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+ArrowRight")
    expect(selected(page)).to_have_count(2)
    finger.tap(cell(page, 2, 1))
    expect(selected(page)).to_have_count(0)
    expect(grips.last).to_be_visible()
    finger.tap(cell(page, 2, 1))
    expect(page.get_by_role("combobox", name="Status")).to_be_focused()
    expect(grips.last).to_be_hidden()


def test_selected_cells_are_copied_pasted_and_cleared_with_buttons(open_table: OpenTable) -> None:
    page = open_table(width=390)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    finger, grips, bar = Finger(page), page.locator(".rangegrip"), page.get_by_role("toolbar", name="Selected cells")
    page.evaluate("navigator.clipboard.writeText('Rejected')")
    finger.tap(cell(page, 2, 1))
    finger.tap(bar.get_by_role("button", name="Paste"))
    expect(cell(page, 2, 1)).to_have_text("Rejected")
    finger.tap(cell(page, 0, 2))
    expect(cell(page, 0, 2)).to_have_class(re.compile("is-focus"))
    finger.tap(bar.get_by_role("button", name="Clear"))
    expect(cell(page, 0, 2)).to_have_text("–")
    saved(page)
    assert [(row["Status"], row.get("Salary")) for row in values(page)] == [
        ("Applied", None), ("Offer", 2000), ("Rejected", None),
    ]  # fmt: skip
    finger.tap(cell(page, 0, 0))
    expect(grips.last).to_be_visible()
    finger.drag(grips.last, to=cell(page, 1, 1))
    expect(selected(page)).to_have_count(4)
    bar.get_by_role("button", name="Copy").press("Enter")
    expect(page.get_by_text("Copied 4 cells")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "Acme\tApplied\nBolt\tOffer"
    expect(page.get_by_role("grid")).to_be_focused()
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()


def test_without_clipboard_access_there_is_a_field_to_paste_into(open_table: OpenTable) -> None:
    page = open_table(width=390)
    finger, bar = Finger(page), page.get_by_role("toolbar", name="Selected cells")
    finger.tap(cell(page, 1, 2))
    finger.tap(bar.get_by_role("button", name="Paste"))
    field = bar.get_by_role("textbox", name="Paste here")
    expect(field).to_be_focused()
    page.evaluate(KEYBOARD, 500)
    around, inside = bar.bounding_box(), field.bounding_box()
    assert around is not None
    assert inside is not None
    assert around["y"] <= inside["y"] <= inside["y"] + inside["height"] <= around["y"] + around["height"] <= 500
    field.evaluate(PASTE_INTO, "7\n8")
    expect(cell(page, 2, 2)).to_have_text("8")
    expect(field).to_be_hidden()
    expect(page.get_by_role("grid")).to_be_focused()
    saved(page)
    assert [row.get("Salary") for row in values(page)] == [1000, 7, 8]
