"""States of the grid in use: menus and details, saved and refused cells, many rows, no columns."""
from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Page, Route, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept
from tests.browser.large_table import FILL
from tests.browser.small_table import COLUMNS, cell, send
from tests.browser.states.stage import Stage, State

ONE_ROW = re.compile(r"/rows/\d+/")
ROWS_READ = re.compile(r"/rows/\?.*offset=")
MANY = 1_200
BUSY = {"error": "busy", "detail": "The table is busy. Try again in a moment."}


def grid_editing(stage: Stage) -> Iterator[State]:
    """A column menu, the details of a row, incomplete conditions, cells being saved, deleted rows."""
    page = stage.open_blank()
    address = stage.open_table(page)
    page.get_by_role("columnheader", name="Salary").hover()
    page.get_by_role("columnheader", name="Salary").get_by_role("button", name="Column menu").click()
    expect(page.get_by_role("menu", name="Salary")).to_be_visible()
    yield State("grid-column-menu", page)
    page.keyboard.press("Escape")
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_role("dialog", name="Acme")).to_be_visible()
    yield State("grid-row-details", page)
    page.keyboard.press("Escape")
    yield from _builder(page)
    yield from _saving(page)
    page.get_by_role("button", name="Close").last.click()
    cell(page, 2, 0).hover()
    page.get_by_role("checkbox", name="Select Crux").check()
    page.get_by_role("toolbar", name="Selected rows").get_by_role("button", name="Delete").click()
    expect(page.locator("#toasts").get_by_role("button", name="Undo")).to_be_visible()
    expect(page.get_by_text("2 rows", exact=True)).to_be_visible()
    yield State("grid-deleted", page)
    page.goto(f"{address}?search=acme")
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    cell(page, 0, 0).click()
    page.keyboard.type("Apex")
    page.keyboard.press("Enter")
    expect(page.locator("tr.is-unmatched")).to_have_count(1)
    yield State("grid-no-longer-matching", page)


def _builder(page: Page) -> Iterator[State]:
    page.get_by_role("group", name="Filters", exact=True).get_by_role("button", name="Filter", exact=True).click()
    page.get_by_label("Column of condition 1").select_option("Salary")
    page.get_by_label("Operator of condition 1").select_option("is between … and …")
    page.get_by_label("Value of condition 1", exact=True).fill("1,000")
    page.get_by_role("button", name="Or, with condition 1").click()
    page.get_by_label("Column of condition 2").select_option("Due")
    page.get_by_role("button", name="Add condition").click()
    page.get_by_label("Column of condition 3").select_option("Status")
    page.get_by_label("Operator of condition 3").select_option("is none of")
    page.get_by_role("button", name="Show rows").click()
    expect(page.get_by_text("Enter both values.").first).to_be_visible()
    yield State("grid-builder-faults", page)
    page.keyboard.press("Escape")


def _saving(page: Page) -> Iterator[State]:
    held = HeldRequests(page, ONE_ROW)
    cell(page, 1, 2).click()
    page.keyboard.type("lots")
    page.keyboard.press("Enter")
    expect(page.locator("[data-saving]")).to_have_text("Saving…")
    yield State("grid-saving", page)
    held.release()
    expect(page.get_by_role("alert")).to_contain_text("“lots” is not a number")
    yield State("grid-not-saved", page)


def many_rows(stage: Stage) -> Iterator[State]:
    """More rows than one request reads: the first ones, and the last ones before and after they are read."""
    page = stage.open_blank()
    columns = [{**column, "filterDisplay": "tab"} if "options" in column else column for column in COLUMNS]
    table = send(page, "POST", "/api/tables/", {"name": "Many", "columns": columns})["id"]
    stage.app.manage("shell", "--no-imports", "-c", FILL.format(table=table, count=MANY))
    page.goto(f"{stage.app.address}/tables/{table}/")
    expect(page.get_by_text("1,200 rows", exact=True)).to_be_visible()
    held = HeldRequests(page, ROWS_READ)
    cell(page, 0, 0).click()
    page.keyboard.press("Control+End")
    expect(page.locator("tr.is-loading").first).to_be_visible()
    yield State("grid-reading", page)
    held.release()
    expect(page.get_by_text("C 1199", exact=True)).to_be_visible()
    yield State("grid-end", page)
    intercept(page, ROWS_READ, with_larger_count)
    page.get_by_role("searchbox", name="Search rows").fill("C 1")
    expect(page.get_by_text("600,000 matching rows, first 500,000 shown")).to_be_visible()
    yield State("grid-more-than-shown", page)
    intercept(page, ROWS_READ, lambda route: route.fulfill(status=409, json=BUSY))
    page.get_by_role("searchbox", name="Search rows").fill("C 7")
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    yield State("grid-not-read", page)


def with_larger_count(route: Route) -> None:
    """Answer as if there were more rows than the grid can scroll to."""
    response = route.fetch()
    route.fulfill(response=response, json={**response.json(), "count": {"value": 600_000, "exact": True}})


def without_columns(stage: Stage) -> Iterator[State]:
    """A table without columns: its grid and its columns page."""
    page = stage.open_blank()
    table = send(page, "POST", "/api/tables/", {"name": "Plants", "columns": [{"name": "Name", "type": "text"}]})["id"]
    removed = {"mode": "update", "operations": [{"action": "remove", "column_id": "Name"}]}
    send(page, "POST", f"/api/tables/{table}/proposals/schema/", removed)
    address = f"{stage.app.address}/tables/{table}/"
    page.goto(address)
    expect(page.get_by_role("heading", name="No columns yet")).to_be_visible()
    yield State("grid-no-columns", page)
    page.goto(f"{address}edit/")
    expect(page.get_by_role("button", name="Add column")).to_be_enabled()
    yield State("edit-no-columns", page)
