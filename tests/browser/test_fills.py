"""Filling a column in the grid: the dialog with a trial, found values in their cells, corrections, apply and undo."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import create_table

# The worker polls once a second, and the machine may be busy.
PATIENCE = 120_000  # ms
COLUMNS: list[dict[str, Any]] = [{"name": name, "type": "text"} for name in ("Name", "E-mail", "Domain")]


def domain(page: Page, row: int) -> Locator:
    """Return the cell of a row by its number from 0. Rows may have another order in the document."""
    return page.locator(f'tr[aria-rowindex="{row + 2}"] td.cell').nth(2)


def open_dialog(page: Page) -> Locator:
    """Open the dialog of the column with its menu."""
    page.get_by_role("columnheader", name="Domain").click(button="right")
    page.get_by_role("menuitem", name="Fill with the assistant").click()
    return page.get_by_role("dialog", name="Fill “Domain” with the assistant")


def write_instruction(page: Page) -> Locator:
    """Write the instruction, with its column chosen from the list, and open the dialog again."""
    dialog = open_dialog(page)
    instruction = dialog.get_by_role("textbox", name="What should be found for each row?")
    instruction.fill("Take the domain out of {Mail}.")
    dialog.get_by_role("button", name="Try 3 rows").click()
    expect(dialog.get_by_role("alert").filter(has_text="Mail")).to_be_visible()
    instruction.fill("")
    instruction.press_sequentially("Take the domain out of {e-m")
    expect(dialog.get_by_role("listbox", name="Columns").get_by_role("option")).to_have_text("E-mail")
    instruction.press("Enter")
    page.keyboard.press("Escape")
    open_dialog(page)
    expect(instruction).to_have_value("Take the domain out of {E-mail}")
    return dialog


def test_a_column_is_tried_filled_corrected_applied_and_undone(
    app: RunningApp, cookies: list[Any], open_page: Callable[..., Page]
) -> None:
    page = open_page(width=1280)
    page.context.add_cookies(cookies)
    page.goto(f"{app.address}/healthz")
    rows = [{"Name": f"Person {number}", "E-mail": f"p{number}@firm{number}.example"} for number in range(198)]
    rows += [{"Name": "Zoe"}, {"Name": "Amy", "E-mail": "amy@amy.example", "Domain": "amy.example"}]
    page.goto(create_table(page, app, name="People", columns=COLUMNS, rows=rows))
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    dialog = write_instruction(page)
    dialog.get_by_text("Show the model examples").click()
    dialog.get_by_role("group", name="Examples").get_by_role("checkbox", name="Amy amy.example").check()
    dialog.get_by_role("button", name="Try 3 rows").click()
    expect(dialog.get_by_role("list", name="Tried rows").get_by_text("firm2.example")).to_be_visible(timeout=PATIENCE)
    dialog.get_by_role("button", name="Fill 199 rows").click()

    bar = page.get_by_role("region", name="Fill", exact=True)
    expect(apply := bar.get_by_role("button", name="Apply 198 rows")).to_be_visible(timeout=PATIENCE)
    for row in (0, 2):
        domain(page, row).click()
        page.keyboard.type(f"right{row}.example")
        page.keyboard.press("Enter")
        expect(domain(page, row)).to_contain_text(f"right{row}.example")
    domain(page, 1).click()
    page.keyboard.press("Shift+F2")
    card = page.get_by_role("group", name="Result", exact=True)
    expect(card).to_contain_text("High confidence")
    expect(card.get_by_role("textbox")).to_be_focused()
    page.reload()
    expect(domain(page, 0)).to_contain_text("right0.example")
    apply.click()
    expect(page.get_by_text("Filled 198 rows")).to_be_visible()
    for row, value in enumerate(("right0.example", "firm1.example", "right2.example", "firm3.example")):
        expect(domain(page, row)).to_have_text(value)
        expect(domain(page, row)).not_to_have_class(re.compile("is-changed"))
    # Found values are marked, corrected ones are not.
    expect(domain(page, 1)).to_have_class(re.compile("has-origin"))
    expect(domain(page, 2)).not_to_have_class(re.compile("has-origin"))
    domain(page, 3).click()
    page.keyboard.press("Shift+F2")
    expect(page.get_by_role("group", name="Where this value comes from")).to_contain_text("High confidence")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo", exact=True).last.click()
    expect(apply).to_be_visible()
    expect(domain(page, 1).locator("del")).to_have_text("–")
