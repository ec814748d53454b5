"""Cell ranges: selected by keyboard and mouse, summed, copied, pasted and cleared as one change."""
from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import (
    COPY,
    PASTE,
    OpenTable,
    api,
    cell,
    row_ids,
    saved,
    send,
    values,
)
from tests.browser.test_columns import menu

CUT = COPY.replace('"copy"', '"cut"')
SELECTED_TEXT = "() => getSelection().toString()"
WRITE_URL = re.compile(r"/rows/\?keys=id&typecast=true&on_invalid=skip$")


def figures(page: Page) -> Locator:
    """Return the part of the footer about the selected cells."""
    return page.locator("tfoot").get_by_role("status")


def selected(page: Page) -> Locator:
    return page.locator('td.cell[aria-selected="true"]')


def select_by_mouse(page: Page) -> None:
    """Select cells by dragging and by clicks with Shift."""
    boxes = [cell(page, row, column).bounding_box() for row, column in ((0, 0), (1, 1))]
    assert boxes[0] is not None
    assert boxes[1] is not None
    page.mouse.move(boxes[0]["x"] + 20, boxes[0]["y"] + 10)
    page.mouse.down()
    page.mouse.move(boxes[1]["x"] + 20, boxes[1]["y"] + 10, steps=5)
    page.mouse.up()
    expect(selected(page)).to_have_text(["Acme", "Applied", "Bolt", "Offer"])
    expect(page.get_by_role("grid")).to_be_focused()
    assert page.evaluate(SELECTED_TEXT) == ""
    cell(page, 2, 2).click(modifiers=["Shift"])
    expect(selected(page)).to_have_count(9)
    cell(page, 0, 0).click()
    expect(selected(page)).to_have_count(0)
    # Browsers select text from the last click.
    cell(page, 1, 1).click(modifiers=["Shift"])
    expect(selected(page)).to_have_count(4)
    assert page.evaluate(SELECTED_TEXT) == ""


def test_cells_are_selected_and_summed_until_their_rows_are_replaced(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 1).click()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    expect(selected(page)).to_have_text(["Applied", "1000", "Offer", "2000"])
    expect(figures(page)).to_have_text("4 cells Sum 3000 Average 1500 Min 1000 Max 2000 ")
    page.keyboard.press("Shift+ArrowUp")
    expect(selected(page)).to_have_count(2)
    page.keyboard.press("Escape")
    expect(selected(page)).to_have_count(0)
    expect(figures(page)).to_have_text("")
    page.keyboard.press("Control+Shift+ArrowDown")
    page.keyboard.press("Control+Shift+ArrowRight")
    expect(selected(page)).to_have_count(9)
    page.keyboard.press("ArrowLeft")
    expect(selected(page)).to_have_count(0)
    cell(page, 1, 1).click()
    page.keyboard.press("Control+a")
    expect(selected(page)).to_have_count(15)
    expect(figures(page)).to_contain_text("15 cells Sum 3000")
    lines = page.evaluate(COPY).split("\n")
    assert lines == [
        "Acme\tApplied\t1000\t2026-03-15\ttrue", "Bolt\tOffer\t2000\t\t", "Crux\tApplied\t\t\t",
    ]  # fmt: skip
    cell(page, 1, 1).click()
    page.keyboard.press("Control+Space")
    expect(selected(page)).to_have_text(["Applied", "Offer", "Applied"])
    page.keyboard.press("Escape")
    select_by_mouse(page)

    cell(page, 0, 1).click()
    page.keyboard.press("Shift+ArrowDown")
    expect(selected(page)).to_have_count(2)
    menu(page, "Salary").get_by_role("menuitemradio", name="Sort highest first").click()
    expect(cell(page, 0, 0)).to_have_text("Bolt")
    expect(selected(page)).to_have_count(0)


def test_one_value_is_pasted_or_filled_into_all_selected_cells_as_one_change(open_table: OpenTable) -> None:
    page = open_table()
    requests: list[Any] = []
    page.on("request", lambda request: requests.append(request) if request.method == "PATCH" else None)
    cell(page, 0, 2).click()
    page.keyboard.press("Control+Shift+ArrowDown")
    page.evaluate(PASTE, "7")
    saved(page)
    expect(figures(page)).to_contain_text("3 cells Sum 21 Average 7")
    assert [row["Salary"] for row in values(page)] == [7, 7, 7]
    assert len(requests) == 1
    page.keyboard.press("Control+z")
    expect(cell(page, 1, 2)).to_have_text("2000")
    assert [row.get("Salary") for row in values(page)] == [1000, 2000, None]

    cell(page, 0, 1).click()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+Shift+ArrowDown")
    page.keyboard.press("Control+d")
    expect(cell(page, 2, 2)).to_have_text("1000")
    saved(page)
    expect(selected(page)).to_have_text(["Applied", "1000"] * 3)
    filled = [("Applied", 1000)] * 3
    assert [(row["Status"], row["Salary"]) for row in values(page)] == filled
    page.keyboard.press("Control+z")
    expect(cell(page, 1, 2)).to_have_text("2000")
    expect(cell(page, 1, 1)).to_have_text("Offer")
    expect(cell(page, 2, 2)).to_have_text("–")
    page.keyboard.press("Control+y")
    expect(cell(page, 2, 2)).to_have_text("1000")
    assert [(row["Status"], row["Salary"]) for row in values(page)] == filled
    cell(page, 1, 0).click()
    page.keyboard.press("Control+d")
    expect(cell(page, 1, 0)).to_have_text("Acme")
    saved(page)
    assert [row["Company"] for row in values(page)] == ["Acme", "Acme", "Crux"]


def test_cells_are_cleared_and_cut_as_one_change_except_for_required_ones(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 1).click()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    assert page.evaluate(CUT) == "Applied\t1000\nOffer\t2000"
    saved(page)
    expect(cell(page, 1, 2)).to_have_text("–")
    assert [set(row) & {"Status", "Salary"} for row in values(page)] == [set(), set(), {"Status"}]
    page.keyboard.press("Control+z")
    expect(cell(page, 1, 2)).to_have_text("2000")
    expect(cell(page, 0, 1)).to_have_text("Applied")

    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if request.method == "PATCH" else None)
    held = HeldRequests(page, WRITE_URL)
    cell(page, 0, 2).click()
    page.keyboard.press("Shift+ArrowDown")
    with page.expect_request(WRITE_URL):
        page.keyboard.press("Delete")
    expect(cell(page, 0, 2)).to_have_text("–")
    page.keyboard.press("Delete")
    held.release()
    saved(page)
    assert "Salary" not in values(page)[1]
    expect(page.get_by_role("alert")).to_have_count(0)
    assert len(requests) == 1

    cell(page, 1, 0).click()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Delete")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was cleared. Row 2:")
    expect(page.get_by_role("alert")).to_contain_text("Row 3:")
    expect(cell(page, 1, 0)).to_have_text("Bolt")
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]


def test_dragging_the_fill_handle_repeats_cells_unless_another_user_inserts_a_row(open_table: OpenTable) -> None:
    rows: list[dict[str, Any]] = [{"Company": "A", "Salary": 1}, {"Company": "B", "Salary": 2}]
    page = open_table([*rows, *({"Company": "C"} for _ in range(3))])
    cell(page, 0, 2).click()
    page.keyboard.press("Shift+ArrowDown")
    grip = page.locator(".fillgrip")
    start, end = grip.bounding_box(), cell(page, 4, 2).bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 4, start["y"] + 4)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 10, steps=4)
    expect(selected(page)).to_have_count(5)
    page.mouse.up()
    expect(cell(page, 4, 2)).to_have_text("1")
    saved(page)
    assert [row["Salary"] for row in values(page)] == [1, 2, 1, 2, 1]
    page.keyboard.press("Control+z")
    expect(cell(page, 4, 2)).to_have_text("–")

    cell(page, 0, 2).click()
    start = grip.bounding_box()
    end = cell(page, 2, 2).bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 4, start["y"] + 4)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 10, steps=4)
    expect(selected(page)).to_have_count(3)
    send(page, "POST", f"{api(page)}rows/", {"rows": [{"Company": "Dyno"}], "before_row_id": row_ids(page)[0]})
    expect(cell(page, 0, 0)).to_have_text("Dyno")
    page.mouse.up()
    expect(selected(page)).to_have_count(0)
    cell(page, 0, 0).press("Escape")
    assert [row.get("Salary") for row in values(page)] == [None, 1, 2, None, None, None]


def test_pasted_lines_beyond_the_last_row_can_become_new_rows(open_table: OpenTable) -> None:
    page = open_table()
    # A sorted table has no blank rows.
    menu(page, "Company").get_by_role("menuitemradio", name="Sort A to Z").click()
    expect(page.locator("tr.is-blank")).to_have_count(0)
    cell(page, 2, 4).click()
    page.evaluate(PASTE, "yes\textra\nno\textra")
    expect(page.get_by_text("1 row and 1 column did not fit.")).to_be_visible()
    saved(page)
    assert values(page)[2]["Remote"] is True
    page.get_by_role("button", name="Add 1 row and 1 column").click()
    expect(page.get_by_role("alert")).to_contain_text("Pasted row 2 was not added: Company")
    expect(page.get_by_role("columnheader", name="Column 6")).to_be_attached()
    expect(cell(page, 2, 5)).to_have_text("extra")
    cell(page, 2, 0).click()
    # The first line determines the number format of all lines.
    page.evaluate(PASTE, "Crux\tOffer\t12,5\nDyno\t\nEcho\toffer\t1.200")
    page.get_by_role("button", name="Add 2 rows").click()
    expect(page.locator("#toasts").get_by_text("Added 2 rows")).to_be_visible()
    expect(cell(page, 4, 0)).to_have_text("Echo")
    assert values(page)[2]["Salary"] == 12.5
    assert values(page)[3:] == [{"Company": "Dyno"}, {"Company": "Echo", "Status": "Offer", "Salary": 1200}]
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert [values(page)[2][name] for name in ("Status", "Column 6")] == ["Offer", "extra"]


def test_rows_can_be_pasted_into_an_empty_table_unless_there_are_too_many(open_table: OpenTable) -> None:
    page = open_table([])
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method != "GET" else None)
    page.evaluate(PASTE, "\n".join(f"C {number}" for number in range(10_001)))
    message = "At most 10,000 rows can be pasted at once."
    expect(page.locator("#toasts")).to_contain_text(message)
    assert values(page) == []
    assert sent == []
    page.evaluate(PASTE, "Acme\tapplied\t1,500\nBolt\n")
    expect(cell(page, 0, 2)).to_have_text("1500")
    assert values(page) == [{"Company": "Acme", "Status": "Applied", "Salary": 1500}, {"Company": "Bolt"}]


MANY: list[dict[str, Any]] = [{"Company": f"Company {number}", "Salary": 1} for number in range(40)]


def test_dragging_a_selection_to_the_edge_scrolls(open_table: OpenTable) -> None:
    page = open_table(MANY)
    first, frame = cell(page, 0, 2).bounding_box(), page.locator(".grid-scroll").bounding_box()
    assert first is not None
    assert frame is not None
    page.mouse.move(first["x"] + 20, first["y"] + 10)
    page.mouse.down()
    page.mouse.move(first["x"] + 20, frame["y"] + frame["height"] + 60, steps=3)
    # Only the rows move now.
    expect(figures(page)).to_contain_text("40 cells")
    page.mouse.up()
    expect(figures(page)).to_have_text("40 cells Sum 40 Average 1 Min 1 Max 1 ")
    expect(page.locator("td.is-focus")).to_be_in_viewport()
    assert page.locator(".is-ranging").count() == 0
