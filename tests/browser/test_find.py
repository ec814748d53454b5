"""The find bar: finds rows of the view without hiding the others, and goes to a row by its number."""
from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import OpenTable, api, cell, send
from tests.browser.test_weight import HeldModule

MATCHES = (250, 280, 290)
ROWS = [{"Company": f"Firm {n}", "Status": "Offer" if n in MATCHES else "Applied", "Salary": n} for n in range(300)]
# Found by "off" but not by "offer", so that their counts differ.
ROWS[5]["Company"] = "Office"


def test_the_find_bar_counts_and_visits_matches_and_goes_to_a_row_number(open_table: OpenTable) -> None:
    page = open_table(ROWS)
    cell(page, 0, 0).click()
    # Text typed while the module of the bar is loading is entered into the bar and not into the cell.
    module = HeldModule(page, "tables/find_bar")
    page.keyboard.press("Control+f")
    page.keyboard.type("offs")
    for key in ("Backspace", "Delete"):
        page.keyboard.press(key)
    module.release()
    bar = page.get_by_role("search", name="Find in table")
    field = bar.get_by_role("searchbox", name="Find in table")
    expect(field).to_be_focused()
    expect(field).to_have_value("off")
    expect(bar.get_by_role("status")).to_have_text("1 of 4")
    page.keyboard.type("er")
    expect(bar.get_by_role("status")).to_have_text("1 of 3")
    expect(page.locator("td.cell.is-focus")).to_have_text("Offer")
    expect(page.locator("tr.is-current-row")).to_have_attribute("aria-rowindex", str(MATCHES[0] + 2))
    expect(page.get_by_text("300 rows", exact=True)).to_be_visible()
    field.press("Enter")
    expect(bar.get_by_role("status")).to_have_text("2 of 3")
    expect(page.locator("tr.is-current-row")).to_have_attribute("aria-rowindex", str(MATCHES[1] + 2))
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


def test_focus_stays_in_the_composer_when_the_find_bar_loads(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    held = HeldRequests(page, re.compile(r"/static/tables/find_bar\."))
    page.keyboard.press("Control+f")
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.focus()
    page.keyboard.type("Hel")
    held.release()
    page.keyboard.type("lo")
    expect(composer).to_have_value("Hello")
