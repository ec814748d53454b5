"""Finding rows without hiding the others, over all rows of the view, and going to a row by its number."""
from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.held_responses import Held
from tests.browser.small_table import OpenTable, api, cell, send
from tests.browser.test_weight import Gate

NEEDLES = (250, 280, 290)
ROWS = [{"Company": f"Firm {n}", "Status": "Offer" if n in NEEDLES else "Applied", "Salary": n} for n in range(300)]


def test_matches_are_counted_and_walked_and_a_row_is_reached_by_its_number(open_table: OpenTable) -> None:
    page = open_table(ROWS)
    cell(page, 0, 0).click()
    # What is typed while the module of the bar is loaded goes into the bar, and not into the cell.
    gate = Gate(page, "tables/find_bar")
    page.keyboard.press("Control+f")
    page.keyboard.type("offs")
    for key in ("Backspace", "Delete"):
        page.keyboard.press(key)
    gate.open()
    bar = page.get_by_role("search", name="Find in table")
    field = bar.get_by_role("searchbox", name="Find in table")
    expect(field).to_be_focused()
    expect(field).to_have_value("off")
    page.keyboard.type("er")
    expect(bar.get_by_role("status")).to_have_text("1 of 3")
    expect(page.locator("td.cell.is-focus")).to_have_text("Offer")
    expect(page.locator("tr.is-current-row")).to_have_attribute("aria-rowindex", str(NEEDLES[0] + 2))
    expect(page.get_by_text("300 rows", exact=True)).to_be_visible()
    field.press("Enter")
    expect(bar.get_by_role("status")).to_have_text("2 of 3")
    expect(page.locator("tr.is-current-row")).to_have_attribute("aria-rowindex", str(NEEDLES[1] + 2))
    field.press("Shift+Enter")
    expect(bar.get_by_role("status")).to_have_text("1 of 3")
    # Only one row has both words.
    field.fill("applied 279")
    expect(bar.get_by_role("status")).to_have_text("1 of 1")
    expect(page.locator("table-grid")).to_have_attribute("data-sought", "3")
    field.fill("offer")
    expect(bar.get_by_role("status")).to_have_text("2 of 3")
    page.keyboard.press("Control+g")
    page.keyboard.type("123")
    page.keyboard.press("Enter")
    expect(page.locator("tr.is-current-row")).to_have_attribute("aria-rowindex", "124")
    expect(bar.get_by_role("status")).to_have_text("3 rows")
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    expect(page.get_by_role("grid")).to_be_focused()
    page.get_by_role("button", name="Sort", exact=True).focus()
    page.keyboard.press("Control+f")
    expect(field).to_be_focused()
    assert [row["data"] for row in send(page, "GET", f"{api(page)}rows/?limit=1")["rows"]] == ROWS[:1]


def test_who_writes_to_the_assistant_before_the_bar_is_there_goes_on_writing(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    held = Held(page, re.compile(r"/static/tables/find_bar\."))
    page.keyboard.press("Control+f")
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.focus()
    page.keyboard.type("Hel")
    held.let_go()
    page.keyboard.type("lo")
    expect(composer).to_have_value("Hello")
