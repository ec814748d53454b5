"""The details of a row: opened by keyboard, mouse and touch, edited, with next and previous, closed with Escape."""
from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.small_table import OpenTable, api, cell, saved, send, values


def open_details(page: Page, row: int, *, title: str) -> Locator:
    """Open the details of a row with its button and return them."""
    cell(page, row, 0).hover()
    page.get_by_role("button", name="Row details").click()
    sheet = page.get_by_role("dialog", name=title)
    expect(sheet).to_be_visible()
    return sheet


def test_details_are_opened_by_keyboard_and_by_buttons_also_on_a_phone(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 1, 2).click()
    page.keyboard.press("Shift+Enter")
    sheet = page.get_by_role("dialog", name="Bolt")
    expect(sheet.get_by_role("heading", name="Bolt")).to_be_focused()
    expect(sheet.get_by_role("status")).to_have_text("Row 2 of 3")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("grid")).to_be_focused()
    expect(cell(page, 1, 2)).to_have_class(re.compile("is-focus"))

    cell(page, 0, 0).hover()
    button = page.get_by_role("button", name="Row details").bounding_box()
    check = page.get_by_role("checkbox", name="Select Acme").bounding_box()
    assert button is not None
    assert check is not None
    assert button["width"] >= 24
    # The clickable area is larger than the checkbox.
    page.mouse.click(check["x"] + 3, check["y"] - 3)
    expect(page.get_by_role("checkbox", name="Select Acme")).to_be_checked()
    page.mouse.click(button["x"] + 1, button["y"] + 12)
    expect(page.get_by_role("dialog", name="Acme")).to_be_visible()

    # On a phone, there is a button for the checked row.
    page.get_by_role("button", name="Close details").click()
    page.set_viewport_size({"width": 390, "height": 844})
    bar = page.get_by_role("toolbar", name="Selected rows")
    bar.get_by_role("button", name="Details").click()
    sheet = page.get_by_role("dialog", name="Acme")
    expect(sheet).to_be_visible()
    box = sheet.bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 390)
    sheet.get_by_role("button", name="Close details").click()
    cell(page, 1, 0).hover()
    page.get_by_role("checkbox", name="Select Bolt").check()
    expect(bar.get_by_role("button", name="Details")).to_be_hidden()


def test_fields_of_every_type_are_saved_or_refused_when_they_lose_focus(open_table: OpenTable) -> None:
    page = open_table()
    sheet = open_details(page, 1, title="Bolt")
    sheet.get_by_label("Salary").fill("2,500")
    sheet.get_by_label("Salary").press("Enter")
    sheet.get_by_label("Status").fill("Rejected")
    sheet.get_by_label("Status").press("Enter")
    due = sheet.get_by_label("Due")
    due.focus()
    page.keyboard.type("2026-04-01")
    due.press("Tab")
    sheet.get_by_label("Remote").select_option("Yes")
    expect(due).to_have_value("Apr 1, 2026")
    due.focus()
    expect(due).to_have_value("2026-04-01")
    sheet.get_by_label("Company").fill("Bolts")
    page.keyboard.press("Escape")
    expect(sheet.get_by_label("Company")).to_have_value("Bolt")
    sheet.get_by_label("Company").fill("Bolt & Co")
    sheet.get_by_role("button", name="Close details").click()
    saved(page)
    expect(cell(page, 1, 2)).to_have_text("2500")
    assert values(page)[1] == {
        "Company": "Bolt & Co", "Status": "Rejected", "Salary": 2500, "Due": "2026-04-01", "Remote": True,
    }  # fmt: skip

    # A refused field shows its input and the reason.
    sheet = open_details(page, 1, title="Bolt & Co")
    sheet.get_by_label("Salary").fill("lots")
    sheet.get_by_label("Salary").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("“lots” is not a number")
    expect(sheet.get_by_label("Salary")).to_have_value("lots")


def test_next_and_previous_change_the_row_which_can_be_duplicated_and_deleted(open_table: OpenTable) -> None:
    page = open_table()
    sheet = open_details(page, 0, title="Acme")
    expect(sheet.get_by_role("button", name="Previous row")).to_be_disabled()
    sheet.get_by_label("Salary").fill("9")
    sheet.get_by_role("button", name="Next row").click()
    expect(page.get_by_role("dialog", name="Bolt").get_by_label("Salary")).to_have_value("2000")
    expect(cell(page, 1, 0)).to_have_class(re.compile("is-focus"))
    page.get_by_role("dialog").get_by_role("button", name="Next row").click()
    last = page.get_by_role("dialog", name="Crux")
    expect(last.get_by_role("button", name="Next row")).to_be_disabled()
    saved(page)
    assert values(page)[0]["Salary"] == 9

    last.get_by_role("button", name="Close details").click()

    sheet = open_details(page, 0, title="Acme")
    sheet.get_by_role("button", name="Duplicate").click()
    # A toast does not time out under the pointer.
    page.locator("#toasts").get_by_role("button", name="Undo").hover()
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    saved(page)
    assert values(page)[3] == values(page)[0]
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    sheet.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 rows", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_changes_of_other_users_are_shown_without_losing_input(open_table: OpenTable) -> None:
    page = open_table()
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    sheet = open_details(page, 1, title="Bolt")
    sheet.get_by_label("Company").fill("Mine")
    path = f"{api(page)}rows/"
    row = send(page, "GET", path)["rows"][1]["id"]
    send(page, "PATCH", f"{path}{row}/", {"data": {"Salary": 7}})
    expect(sheet.get_by_label("Salary")).to_have_value("7")
    expect(sheet.get_by_label("Company")).to_have_value("Mine")
    send(page, "POST", f"{path}delete/", {"ids": [row]})
    expect(page.get_by_text("The row you were viewing was deleted.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
