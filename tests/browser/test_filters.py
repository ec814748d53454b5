"""Filters, sort order and search: by mouse and keyboard, in the URL, and after they became invalid."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import COLUMNS, ROWS, OpenTable, cell, create_table, send
from tests.browser.states.grid import ROWS_READ
from tests.browser.test_columns import menu

OpenPage = Callable[..., Page]
GRID = re.compile(r"/static/tables/grid\.[0-9a-f]+\.js")
# By how many px the text of the selected option is wider than its list.
MISSING = """list => {
  const free = list.cloneNode(true);
  free.value = list.value;
  Object.assign(free.style, {position: "absolute", width: "max-content", maxWidth: "none", fieldSizing: "content"});
  list.after(free);
  const wanted = free.offsetWidth;
  free.remove();
  return wanted - list.offsetWidth;
}"""
# The controls above the grid that overflow their bar.
CUT_OFF = """() => [...document.querySelectorAll(".topbar, .toolbar, .filters")].flatMap((bar) => {
  const box = bar.getBoundingClientRect();
  return [...bar.querySelectorAll("a, button, input, h1, [data-matching]")].filter((each) => {
    const own = each.getBoundingClientRect();
    const inside = own.left >= box.left && own.right <= box.right && own.top >= box.top && own.bottom <= box.bottom;
    return each.checkVisibility() && !inside;
  }).map((each) => each.ariaLabel ?? each.textContent);
})"""
# The texts of the top bar, the controls and the grid header that are wider than their element.
CUT_TEXTS = """() => [...document.querySelectorAll(":is(.topbar, .toolbar, .filters, .grid thead) *")].filter((each) =>
  each.checkVisibility() && each.innerText && each.clientWidth > 1 && getComputedStyle(each).overflowX !== "visible"
    && each.scrollWidth > each.clientWidth
).map((each) => each.textContent)"""
MARKED = """() => [...(CSS.highlights.get("found") ?? [])].map(
  ({startContainer: node, startOffset: start, endOffset: end}) => node.data.slice(start, end))"""


def bar(page: Page) -> Locator:
    return page.get_by_role("group", name="Filters", exact=True)


def fill_condition(page: Page, number: int, *, column: str, test: str, values: tuple[str, ...] = ()) -> None:
    """Fill a condition of the open builder."""
    page.get_by_label(f"Column of condition {number}").select_option(column)
    page.get_by_label(f"Operator of condition {number}").select_option(test)
    for label, value in zip(("Value", "Second value"), values, strict=False):
        page.get_by_label(f"{label} of condition {number}", exact=True).fill(value)


def open_builder(page: Page) -> None:
    bar(page).get_by_role("button", name="Filter", exact=True).click()
    expect(page.get_by_label("Column of condition 1")).to_be_focused()


def expect_rows(page: Page, *companies: str) -> None:
    expect(page.locator('tbody[data-body="rows"] td.is-primary')).to_have_text(companies)


def head(page: Page, name: str) -> Locator:
    return page.locator("thead").get_by_role("link", name=name)


def test_conditions_are_combined_removed_one_by_one_and_added_from_columns(open_table: OpenTable) -> None:
    page = open_table()
    open_builder(page)
    fill_condition(page, 1, column="Salary", test="is at least", values=("2,000",))
    page.get_by_role("button", name="Or, with condition 1").click()
    expect(page.get_by_label("Column of condition 2")).to_be_focused()
    fill_condition(page, 2, column="Company", test="contains", values=("CM",))
    page.get_by_role("button", name="Add condition").click()
    fill_condition(page, 3, column="Company", test="is not", values=("Dyno",))
    page.get_by_role("button", name="Add condition").click()
    fill_condition(page, 4, column="Company", test="is not", values=("A company with a name of many words",))
    page.keyboard.press("Enter")
    expect(bar(page).get_by_text("2 of 3", exact=True)).to_be_visible()
    expect_rows(page, "Acme", "Bolt")
    head(page, "Company").click()
    expect(bar(page).get_by_role("button", name="Sort: Company")).to_be_visible()
    page.reload()
    expect_rows(page, "Acme", "Bolt")
    assert (page.evaluate(CUT_OFF), page.evaluate(CUT_TEXTS)) == ([], [])
    bar(page).get_by_role("link", name="Remove: Salary is at least 2000").click()
    expect_rows(page, "Acme")
    page.go_back()
    expect(bar(page).get_by_text("Salary is at least 2000")).to_be_visible()
    expect_rows(page, "Acme", "Bolt")
    bar(page).get_by_role("link", name="Clear").click()
    expect_rows(page, "Acme", "Bolt", "Crux")
    expect(bar(page).get_by_text("of 3")).to_have_count(0)

    for name, words, value in (("Salary", "is at least", "2000"), ("Company", "contains", "ol")):
        menu(page, name).get_by_role("menuitem", name="Filter by this column").click()
        expect(page.get_by_label(re.compile("Operator of condition")).last).to_be_focused()
        number = page.get_by_label(re.compile("Operator of condition")).count()
        fill_condition(page, number, column=name, test=words, values=(value,))
        page.keyboard.press("Enter")
        expect_rows(page, "Bolt")
    expect(bar(page).get_by_text("Salary is at least 2000")).to_be_visible()
    expect(bar(page).get_by_text("Company contains ol")).to_be_visible()


def test_no_text_in_conditions_is_lost_if_they_are_refused_or_rows_are_read(open_table: OpenTable) -> None:
    page = open_table()
    open_builder(page)
    fill_condition(page, 1, column="Salary", test="is between … and …", values=("1",))
    page.get_by_role("button", name="Show rows").click()
    expect(page.get_by_text("Enter both values.")).to_be_visible()
    expect(page.get_by_label("Value of condition 1", exact=True)).to_be_focused()
    page.get_by_label("Second value of condition 1").fill("lots")
    page.get_by_role("button", name="Show rows").click()
    field = page.get_by_label("Second value of condition 1")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description("“lots” is not a number like 1200, 1,200.5 or -3.")
    expect_rows(page, "Acme", "Bolt", "Crux")
    field.fill("1,500")
    page.get_by_role("button", name="Show rows").click()
    expect_rows(page, "Acme")
    bar(page).get_by_role("link", name="Clear").click()
    expect_rows(page, "Acme", "Bolt", "Crux")

    open_builder(page)
    fill_condition(page, 1, column="Company", test="contains", values=("c",))
    held = HeldRequests(page, ROWS_READ)
    page.get_by_role("button", name="Show rows").click()
    held.wait_for_request()
    field = page.get_by_label("Value of condition 1", exact=True)
    field.press("End")
    field.press_sequentially("r")
    held.release()
    expect_rows(page, "Acme", "Crux")
    expect(field).to_be_focused()
    expect(field).to_have_value("cr")
    field.press("Enter")
    expect_rows(page, "Crux")
    expect(field).to_be_hidden()


def test_dates_and_options_have_their_own_fields_also_on_a_phone(open_table: OpenTable) -> None:
    page = open_table(width=390)
    open_builder(page)
    for words in ("is between … and …", "is in the next … days"):
        fill_condition(page, 1, column="Due", test=words)
        assert page.get_by_label("Operator of condition 1").evaluate(MISSING) <= 0
    fill_condition(page, 1, column="Due", test="is on or after", values=("2026-03-15",))
    page.get_by_role("button", name="Add condition").click()
    fill_condition(page, 2, column="Status", test="is none of")
    page.get_by_role("checkbox", name="Offer").check()
    page.get_by_role("button", name="Add condition").click()
    fill_condition(page, 3, column="Remote", test="is")
    page.get_by_label("Value of condition 3").select_option("Yes")
    page.get_by_role("button", name="Show rows").click()
    expect_rows(page, "Acme")
    expect(bar(page).get_by_role("link", name="Remote: Yes")).to_be_attached()
    expect(bar(page).get_by_text("Status is not Offer")).to_be_attached()
    open_builder(page)
    page.get_by_role("button", name="Remove condition 1").click()
    page.get_by_role("button", name="Remove condition 1").click()
    page.get_by_label("Value of condition 1").select_option("No")
    page.get_by_role("button", name="Show rows").click()
    expect(page.get_by_role("heading", name="No matching rows")).to_be_visible()
    page.get_by_role("link", name="Show all rows").click()
    expect_rows(page, "Acme", "Bolt", "Crux")


def test_a_search_and_opened_options_work_before_scripts_are_loaded(open_table: OpenTable) -> None:
    page = open_table()
    grid = HeldRequests(page, GRID)
    with page.expect_request(GRID):
        page.reload(wait_until="commit")
    page.get_by_role("searchbox", name="Search rows").fill("bolt")
    grid.release()
    expect_rows(page, "Bolt")
    expect(page).to_have_url(re.compile(r"\?search=bolt$"))

    page.get_by_role("searchbox", name="Search rows").fill("")
    expect_rows(page, "Acme", "Bolt", "Crux")
    grid = HeldRequests(page, GRID)
    with page.expect_request(GRID):
        page.reload(wait_until="commit")
    # They are opened before the scripts are loaded.
    bar(page).get_by_role("button", name="Status").click()
    grid.release()
    expect(page.get_by_role("link", name="Applied 2")).to_be_visible()
    page.get_by_role("link", name="Offer 1").click()
    expect_rows(page, "Bolt")
    page.get_by_role("link", name="Applied 2").click()
    expect_rows(page, "Acme", "Bolt", "Crux")
    page.get_by_role("link", name="Applied 2").click()
    expect_rows(page, "Bolt")
    page.keyboard.press("Escape")
    chip = bar(page).get_by_role("link", name="Remote")
    for label, companies in (("Remote: Yes", ()), ("Remote: No", ()), ("Remote", ("Bolt",))):
        chip.click()
        expect(chip).to_have_text(label)
        expect_rows(page, *companies)


def test_tabs_show_row_counts_that_follow_edits(app: RunningApp, open_page: OpenPage) -> None:
    page = open_page(sign_in=app.link_for_new_user())
    columns = [COLUMNS[0], {**COLUMNS[1], "filterDisplay": "tab"}]
    rows = [{"Company": row["Company"], "Status": row["Status"]} for row in ROWS]
    page.goto(create_table(page, app, columns=columns, rows=rows))
    tabs = bar(page).get_by_role("group", name="Status").get_by_role("link")
    expect(tabs).to_have_text(["All", "Applied 2", "Offer 1", "Rejected 0"])
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    cell(page, 0, 1).click()
    page.keyboard.type("Rej")
    page.keyboard.press("Enter")
    expect(tabs).to_have_text(["All", "Applied 1", "Offer 1", "Rejected 1"])
    tabs.nth(1).click()
    expect_rows(page, "Crux")
    expect(tabs).to_have_text(["All", "Applied 1", "Offer 1", "Rejected 1"])
    page.get_by_role("searchbox", name="Search rows").fill("bolt")
    expect(tabs).to_have_text(["All", "Applied 0", "Offer 1", "Rejected 0"])


def test_rows_are_sorted_by_several_columns(open_table: OpenTable) -> None:
    page = open_table([*ROWS, {"Company": "Dyno", "Status": "Offer", "Salary": 9}])
    head(page, "Status").click()
    head(page, "Salary").focus()
    page.keyboard.press("Shift+Enter")
    expect_rows(page, "Acme", "Crux", "Dyno", "Bolt")
    expect(head(page, "Salary")).to_be_focused()
    head(page, "Salary").click(modifiers=["Shift"])
    expect_rows(page, "Acme", "Crux", "Bolt", "Dyno")
    expect(head(page, "Status")).to_have_text("Status, sort order 1")
    expect(head(page, "Salary")).to_have_text("Salary, sort order 2")
    expect(page.get_by_role("columnheader", name="Salary")).to_have_attribute("aria-sort", "descending")
    bar(page).get_by_role("button", name="Sort: Status, Salary").click()
    page.get_by_role("link", name="Move Salary up").click()
    expect_rows(page, "Bolt", "Acme", "Dyno", "Crux")
    page.get_by_role("link", name="Salary: highest first, reverse").click()
    expect_rows(page, "Dyno", "Acme", "Bolt", "Crux")
    page.reload()
    expect_rows(page, "Dyno", "Acme", "Bolt", "Crux")
    expect(page.get_by_role("button", name="Add row")).to_be_enabled()
    bar(page).get_by_role("button", name="Sort: Salary, Status").click()
    page.get_by_role("link", name="Remove sort by Salary").click()
    expect_rows(page, "Acme", "Crux", "Bolt", "Dyno")
    page.get_by_role("link", name="Clear sort").click()
    expect_rows(page, "Acme", "Bolt", "Crux", "Dyno")
    expect(bar(page).get_by_role("button", name="Sort", exact=True)).to_be_visible()


def test_search_matches_are_highlighted_in_present_and_later_rows(open_table: OpenTable) -> None:
    page = open_table([{"Company": "<b>Acme</b>", "Salary": 1000, "Due": "2026-03-15"}, {"Company": "Bolt"}])
    page.get_by_role("searchbox", name="Search rows").fill("acm <B 1000 2026-03")
    expect_rows(page, "<b>Acme</b>")
    expect(page.locator("table-grid")).to_have_attribute("data-found", "4")
    assert page.evaluate(MARKED) == ["<b", "Acm", "1000", "Mar 15, 2026"]
    cell(page, 0, 0).click()
    page.keyboard.type("acme <b acme")
    page.keyboard.press("Enter")
    expect(page.locator("table-grid")).to_have_attribute("data-found", "5")
    assert page.evaluate(MARKED)[:3] == ["acm", "<b", "acm"]
    page.get_by_role("searchbox", name="Search rows").fill("")
    expect(page.locator("table-grid")).to_have_attribute("data-found", "0")


def test_a_filter_on_a_deleted_column_is_reported_and_can_be_removed(open_table: OpenTable) -> None:
    page = open_table()
    path = f"/api{page.url.removeprefix(page.url.split('/tables/')[0])}"
    salary = send(page, "GET", f"{path}columns/")["columns"][2]["id"]
    open_builder(page)
    fill_condition(page, 1, column="Salary", test="is more than", values=("1500",))
    page.get_by_role("button", name="Show rows").click()
    expect_rows(page, "Bolt")
    send(page, "DELETE", f"{path}columns/{salary}/")
    page.evaluate("document.dispatchEvent(new CustomEvent('table-changed'))")
    expect(page.get_by_role("alert")).to_contain_text("The filter or sort no longer fits the table.")
    expect(head(page, "Salary")).to_have_count(0)
    expect_rows(page, "Bolt")
    page.get_by_role("link", name="Clear it").click()
    expect_rows(page, "Acme", "Bolt", "Crux")
    expect(page.get_by_role("link", name="Clear it")).to_have_count(0)
    expect(head(page, "Salary")).to_have_count(0)


def test_a_link_visitor_filters_and_sorts_with_plain_forms(open_table: OpenTable, open_page: OpenPage) -> None:
    page = open_table()
    path = f"/api{page.url.removeprefix(page.url.split('/tables/')[0])}"
    reader = open_page(send(page, "POST", f"{path}link/", {})["url"], width=390)
    bar(reader).get_by_role("button", name="Filter", exact=True).click()
    reader.get_by_label("Column", exact=True).select_option("Salary")
    reader.get_by_label("Condition", exact=True).select_option("gte")
    reader.get_by_label("Value", exact=True).fill("1,000")
    reader.get_by_role("button", name="Add filter").click()
    expect_rows(reader, "Acme", "Bolt")
    bar(reader).get_by_role("button", name="Sort").click()
    reader.locator("[data-sorting]").get_by_role("link", name="Salary").click()
    bar(reader).get_by_role("button", name="Sort: Salary").click()
    reader.get_by_role("link", name="Salary: lowest first, reverse").click()
    expect_rows(reader, "Bolt", "Acme")
    bar(reader).get_by_role("link", name="Remove: Salary is at least 1000").click()
    expect_rows(reader, "Bolt", "Acme", "Crux")
