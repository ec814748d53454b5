"""Manual row order: moving rows by keyboard and by dragging the handle at their number."""
from __future__ import annotations

import re

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import OpenTable, api, cell, saved, send, status_shown, watch_status
from tests.browser.touch import Finger

ROWS = [{"Company": name, "Status": "Offer" if name in "BD" else "Applied"} for name in "ABCDE"]
DEFAULT: ViewportSize = {"width": 1440, "height": 900}
LOW: ViewportSize = {"width": 1440, "height": 280}


def expect_order(page: Page, names: str) -> None:
    rows = page.locator('tbody[data-body="rows"] tr')
    expect(rows).to_have_count(len(names))
    for index, name in enumerate(names):
        expect(rows.nth(index).locator("td.cell").first).to_have_text(name)


def stored(page: Page) -> str:
    saved(page)
    return "".join(row["data"]["Company"] for row in send(page, "GET", f"{api(page)}rows/")["rows"])


def drag(page: Page, row: int, *, to: int) -> None:
    """Drag the handle of a row to the lower half of another row, without dropping it."""
    cell(page, row, 0).hover()
    grip, target = page.locator(".rowgrip"), cell(page, to, 0).bounding_box()
    expect(grip).to_be_visible()
    grip.hover()
    assert target is not None
    page.mouse.down()
    page.mouse.move(4, target["y"] + target["height"] * 0.8, steps=4)
    expect(page.locator(".rowline")).to_be_visible()


def test_keys_move_the_current_row_or_the_checked_rows(open_table: OpenTable) -> None:
    page = open_table(ROWS)
    watch_status(page)
    cell(page, 0, 1).click()
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    expect_order(page, "BCADE")
    status_shown(page, "Row moved below C")
    assert stored(page) == "BCADE"
    expect(cell(page, 2, 1)).to_have_class(re.compile("is-focus"))
    # If the rows do not fit the window, the moved row stays visible.
    page.set_viewport_size(LOW)
    rows = HeldRequests(page, re.compile(r"/rows/\?"))
    # Both keys are pressed before the first move is answered and the rows are read again.
    moves = HeldRequests(page, re.compile(r"/rows/move/"))
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(f"Alt+{key}")
    expect_order(page, "BCDEA")
    moves.release()
    expect(cell(page, 4, 1)).to_be_in_viewport(ratio=1)
    rows.wait_for_request()
    # The rows read after a move arrive between two key presses.
    page.keyboard.press("Alt+ArrowUp")
    rows.release()
    page.keyboard.press("Alt+ArrowUp")
    expect_order(page, "BCADE")
    page.set_viewport_size(DEFAULT)
    page.keyboard.press("Shift+Space")
    cell(page, 0, 1).click()
    page.keyboard.press("Shift+Space")
    page.keyboard.press("Alt+ArrowDown")
    expect_order(page, "CDBAE")
    status_shown(page, "2 rows moved below D")
    page.keyboard.press("Control+z")
    expect_order(page, "BCADE")
    page.get_by_role("link", name="Company").first.click()
    expect_order(page, "ABCDE")
    cell(page, 0, 0).click()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_text("Rows are sorted by Company. Remove the sort to move rows.")).to_be_visible()
    assert stored(page) == "BCADE"


def test_a_row_is_dragged_by_mouse_and_touch_to_the_visible_neighbor(open_table: OpenTable) -> None:
    page = open_table(ROWS)
    drag(page, 0, to=2)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect_order(page, "ABCDE")
    drag(page, 0, to=2)
    page.mouse.up()
    expect(page.get_by_text("Row moved below C")).to_be_visible()
    assert stored(page) == "BCADE"
    page.get_by_role("searchbox", name="Search rows").fill("Offer")
    expect_order(page, "BD")
    drag(page, 0, to=1)
    page.mouse.up()
    expect_order(page, "DB")
    assert stored(page) == "CADBE"
    finger = Finger(page)
    finger.tap(cell(page, 1, 0))
    # The handle is shown at the row with the cursor.
    expect(cell(page, 1, 0)).to_have_class(re.compile("is-focus"))
    finger.drag(page.locator(".rowgrip"), to=page.locator("thead th").first)
    expect_order(page, "BD")
    assert stored(page) == "CABDE"
    page.get_by_role("link", name="Company").first.click()
    expect(page.locator(".rowgrip")).to_be_hidden()
