"""Printed pages: the whole content on as many sheets as needed, without controls."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import COLUMNS, OpenTable, cell, create_table, send

SHEET = re.compile(rb"/Type\s*/Page\b")
MANY = [{"Company": f"Company {number}", "Status": "Offer"} for number in range(90)]
SIZE: ViewportSize = {"width": 1000, "height": 600}
# The number of each row, and its distance in px to the previous row; of the first row, to the header.
NUMBERED = "body => [...body.rows].map((tr) => Number(tr.querySelector('.gutter__number').textContent))"
IN_ORDER = """() => {
  const numbers = [...document.querySelectorAll('[data-body="rows"] .gutter__number')].map((each) => +each.textContent);
  return numbers.every((number, place) => !place || number === numbers[place - 1] + 1);
}"""
STEPS = """body => {
  const head = body.closest("table").tHead.getBoundingClientRect();
  const rows = [...body.rows].map((tr) => tr.getBoundingClientRect());
  return [...new Set(rows.map(({top}, index) => Math.round(top - (index ? rows[index - 1] : head).bottom)))];
}"""


# Replaces the print dialog: records how many rows would be printed.
RECORD_PRINT = """() => {
  window.print = () => { document.body.dataset.printed = document.querySelectorAll(".paper tbody tr").length; };
}"""
PAPER = "performance.getEntriesByType('resource').find(({name}) => name.includes('/tables/print_rows.'))?.name"
# Records the printed texts when the browser prints.
RECORD_PAPER = """() => addEventListener("beforeprint", () => {
  const textsOf = (selector) => [...document.querySelectorAll(`.paper ${selector}`)].map((one) => one.textContent);
  window.heads = textsOf("th");
  window.firstCells = textsOf("td:nth-child(2)");
})"""


def rows(page: Page) -> Locator:
    return page.locator('tbody[data-body="rows"]')


def note(page: Page) -> Locator:
    return page.get_by_text("This printout has only some of the rows.")


def wait_for_paper(page: Page) -> None:
    """Wait for the module that lays out all rows for printing, which is loaded after the first input."""
    page.wait_for_function(f"() => {PAPER}")
    page.evaluate(f"() => import({PAPER}).then(() => true)")


def test_a_table_is_printed_without_controls(open_table: OpenTable) -> None:
    page = open_table(dark=True)
    expect(page.get_by_role("button", name="Filter", exact=True)).to_be_visible()
    cell(page, 0, 0).hover()
    # On the screen, the checkbox replaces the row number.
    page.get_by_role("checkbox", name="Select Acme").check()
    page.emulate_media(media="print")
    expect(rows(page).locator(".gutter__number").first).to_be_visible()
    for name in ("Filter", "Sort"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    for hidden_label in ("Message the assistant", "Search rows", "Check all rows"):
        expect(page.get_by_label(hidden_label)).to_be_hidden()
    for name in ("Add row", "Chat", "Column menu"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    expect(page.get_by_role("columnheader", name="Company")).to_be_visible()
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    expect(note(page)).to_be_hidden()
    expect(page.locator("html")).to_have_css("color-scheme", "light")


def test_visible_rows_are_printed_with_a_note_until_all_are_laid_out_for_printing(open_table: OpenTable) -> None:
    page = open_table(MANY)
    page.set_viewport_size(SIZE)
    page.locator(".grid-scroll").evaluate("(it) => it.scrollTo(0, 1800)")
    expect(rows(page)).to_contain_text("Company 55")
    expect(rows(page)).not_to_contain_text("Company 1 ")
    expect(note(page)).to_be_hidden()
    page.wait_for_function(IN_ORDER)
    page.emulate_media(media="print")
    expect(note(page)).to_be_visible()
    shown = rows(page).evaluate(NUMBERED)
    assert shown == list(range(shown[0], shown[0] + len(shown)))
    assert rows(page).evaluate(STEPS) == [0]
    expect(rows(page)).to_have_js_property("offsetHeight", 36 * len(shown))
    page.emulate_media(media="screen")
    expect(note(page)).to_be_hidden()
    expect(rows(page)).to_have_js_property("offsetHeight", 36 * len(MANY))

    page.locator("[data-shown-button]").click()
    page.locator("[data-shown-form]").get_by_label("Status").click()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Company").click()
    expect(cell(page, 2, 0)).to_have_text("Company 10")
    wait_for_paper(page)
    page.evaluate(RECORD_PAPER)
    page.mouse.move(500, 500)
    page.pdf()
    heads, first = page.evaluate("[window.heads, window.firstCells]")
    assert heads == ["", "Company", "Salary", "Due", "Remote"]
    assert first == sorted(row["Company"] for row in MANY)
    expect(page.locator(".paper")).to_have_count(0)


def test_the_print_button_prints_all_rows_of_the_view_up_to_a_limit(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=app.link_for_new_user())
    rows = [{"Company": f"Company {number:04}"} for number in range(5002)]
    page.goto(create_table(page, app, columns=COLUMNS[:1], rows=rows))
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    page.evaluate(RECORD_PRINT)
    page.get_by_role("link", name="Company").click()
    page.keyboard.press("ControlOrMeta+p")
    expect(page.locator("body")).to_have_attribute("data-printed", "5000")
    page.emulate_media(media="print")
    printed = page.locator(".paper")
    expect(printed.locator("tr")).to_have_count(5001)
    expect(printed.locator("p").get_by_text("2 more rows are not in this printout.")).to_be_visible()
    expect(printed.locator("thead")).to_have_css("display", "table-header-group")
    expect(page.get_by_role("grid")).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(printed).to_have_count(0)


def test_content_longer_than_a_sheet_continues_on_the_next(
    app: RunningApp, open_page: Callable[..., Page], browser: Browser
) -> None:
    page = open_page(sign_in=app.link_for_new_user())
    table = create_table(page, app, rows=MANY * 2)
    api = f"/api{table.removeprefix(app.address)}"
    first = send(page, "GET", f"{api}rows/")["rows"][0]["id"]
    for number in range(40):
        send(page, "PATCH", f"{api}rows/{first}/", {"data": {"Salary": number}})
    page.goto(f"{table}history/")
    expect(page.get_by_role("listitem").last).to_contain_text("Created")
    assert len(SHEET.findall(page.pdf())) > 1
    unscripted = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    page = unscripted.new_page()
    page.goto(table)
    assert len(SHEET.findall(page.pdf())) > 1
    expect(note(page)).to_be_hidden()
    page.emulate_media(media="print")
    expect(note(page)).to_be_visible()
    expect(page.get_by_role("link", name="Next")).to_be_hidden()
    unscripted.close()
