"""A proposal with more changes than fit the screen, for rows not all loaded: each is counted and can be reached."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.large_table import create_large_table
from tests.browser.reviews import apply_button, operation, proposal, propose, selected, toasts
from tests.browser.small_table import api, cell, saved, send
from tests.scripted_model import ScriptedModel

COUNT = 2_100
# Changes of every tenth row: 210, which is more than are drawn at once.
EVERY = 10
LAST = COUNT // EVERY - 1
PREVIEW = re.compile(r"/preview/\?")

MIN_GAP_BESIDE_NUMBERS = """(body) => {
  const room = [...body.querySelectorAll("tr:not([data-op]) > .gutter")].map((gutter) => {
    const number = document.createRange();
    number.selectNodeContents(gutter.querySelector(".gutter__number"));
    return gutter.getBoundingClientRect().right - number.getBoundingClientRect().right;
  });
  return Math.min(...room);
}"""


@pytest.fixture(scope="module")
def long(app_and_scripts: tuple[RunningApp, list[ScriptedModel]], scripted_cookies: list[Any], browser: Browser) -> str:
    """The URL of a table with 2,100 rows."""
    return create_large_table(app_and_scripts[0], cookies=scripted_cookies, browser=browser, count=COUNT)


@pytest.fixture
def page(long: str, scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    """The page of the long table, opened by its owner."""
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    page.goto(long)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    return page


def ids(page: Page) -> list[int]:
    """Return the ids of all rows, which were created one after another."""
    first, last = (send(page, "GET", f"{api(page)}rows/?limit=1&offset={place}")["rows"] for place in (0, COUNT - 1))
    found = list(range(first[0]["id"], last[0]["id"] + 1))
    assert len(found) == COUNT
    return found


def updates(page: Page) -> list[dict[str, Any]]:
    return [{"action": "update", "row_id": row_id, "changes": {"Salary": 7}} for row_id in ids(page)[::EVERY]]


def expect_few_nodes(page: Page) -> None:
    assert page.locator("tbody tr").count() < 300


def expect_cursor_on(page: Page, index: int) -> None:
    """Expect the cursor on the visible changed cell of this operation, and few rows in the page."""
    row = operation(page, index)
    expect(row.locator("td.cell").first).to_have_text(f"C {index * EVERY}")
    changed = row.locator("td.is-changed")
    expect(changed).to_have_class(re.compile(r"\bis-focus\b"))
    expect(changed.locator("ins")).to_have_text("7")
    expect(changed).to_be_in_viewport()
    expect_few_nodes(page)


def test_the_first_change_is_scrolled_to_once_unless_the_grid_is_in_use(page: Page, scripted: ScriptedModel) -> None:
    page.set_viewport_size({"width": 960, "height": 700})
    scroller = page.locator(".grid-scroll")
    far, near = (ids(page)[place] for place in (40, 4))
    change = {"action": "update", "changes": {"Remote": True}, "row_id": far}
    propose(page, scripted, "DATA_PROPOSAL", change)
    changed = operation(page, 0).locator("td.is-changed")
    expect(changed).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("textbox", name="Message the assistant")).to_be_focused()
    expect(page.locator("td.is-focus")).to_have_count(0)
    # Not again when it is redrawn.
    scroller.evaluate("(it) => it.scrollTo(0, 0)")
    send(page, "PATCH", f"{api(page)}rows/{near}/", {"data": {"Status": "Rejected"}})
    expect(cell(page, 4, 1)).to_have_text("Rejected")
    expect(changed).not_to_be_in_viewport()
    # Nor to the next proposal, which arrives while a cell is edited.
    held = HeldRequests(page, PREVIEW)
    scripted.add(proposal("DATA_PROPOSAL", {**change, "changes": {"Due": "2027-01-01"}}, reasoning="Once more"))
    send_message(page, "again")
    held.wait_for_request()
    cell(page, 4, 2).dblclick()
    page.keyboard.type("17")
    held.release()
    expect(page.locator(".review__text")).to_contain_text("Once more")
    expect(apply_button(page)).to_be_enabled()
    page.keyboard.press("Enter")
    expect(cell(page, 5, 2)).to_have_class(re.compile(r"\bis-focus\b"))
    saved(page)
    expect(page.locator(".grid table[aria-busy], table.grid[aria-busy]")).to_have_count(0)
    assert scroller.evaluate("(it) => it.scrollTop") == 0


def test_changes_are_shown_at_the_position_of_their_row(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *updates(page)[-3:])
    # Not the pending proposal of another test.
    selected(page, "3 of 3 changes")
    # After scrolling by the user, the grid does not scroll to the first change.
    page.locator(".grid-scroll").hover()
    page.mouse.wheel(0, 1_000_000)
    standing = page.locator('tbody[data-body="rows"] tr[data-index="2"]')
    expect(standing.locator("td.cell").first).to_have_text(f"C {LAST * EVERY}")
    expect(standing.locator("td.is-changed ins")).to_have_text("7")
    standing.get_by_role("checkbox").uncheck()
    selected(page, "2 of 3 changes")
    # The numbers of rows without an operation are not cut off by the marks of the others.
    assert 0 < page.locator('tbody[data-body="rows"]').evaluate(MIN_GAP_BESIDE_NUMBERS) < 40  # px
    # The next proposal would take over what is unchecked in this one.
    page.get_by_role("region", name="Proposed changes").get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("region", name="Proposed changes")).to_have_count(0)


def test_every_change_is_reached_and_can_be_unchecked(page: Page, scripted: ScriptedModel) -> None:
    rows = ids(page)
    propose(page, scripted, "DATA_PROPOSAL", *updates(page))
    selected(page, f"{LAST + 1} of {LAST + 1} changes")
    expect_few_nodes(page)
    page.get_by_text("Only changes").click()
    page.get_by_role("button", name="Previous change").click()
    expect_cursor_on(page, LAST)
    for index in (0, 1):
        page.keyboard.press("j")
        expect_cursor_on(page, index)
    # After all rows are shown again, the change is still visible, and "next" goes to the change after it.
    page.get_by_text("Only changes").click()
    expect_cursor_on(page, 1)
    page.keyboard.press("j")
    expect_cursor_on(page, 2)
    expect(page.locator('tbody[data-body="rows"] tr[data-index="2"]')).to_have_attribute("data-op", "update")

    # The list has parts, and a change far down can be unchecked.
    page.get_by_text("Only changes").click()
    listed = page.locator("tbody:visible tr[data-row]:visible")
    expect(listed).to_have_count(200)
    page.get_by_role("button", name=f"Show {LAST + 1 - 200} more of {LAST + 1 - 200}").click()
    expect(listed).to_have_count(LAST + 1 - 200)
    expect(page.get_by_role("checkbox", name=f"Update C {COUNT - EVERY}")).to_be_checked()
    page.get_by_role("checkbox", name=f"Update C {COUNT - EVERY}").uncheck()
    page.get_by_role("button", name="Show the 200 before").click()
    expect(listed).to_have_count(200)
    expect(page.locator("td.is-focus")).to_be_in_viewport()
    selected(page, f"{LAST} of {LAST + 1} changes")

    apply_button(page).click()
    expect(toasts(page).get_by_text(f"Applied {LAST} of {LAST + 1} changes")).to_be_visible()
    query = "&".join([f"ids={rows[0]},{rows[COUNT - 2 * EVERY]},{rows[COUNT - EVERY]}", "keys=name"])
    salaries = [row["data"]["Salary"] for row in send(page, "GET", f"{api(page)}rows/?{query}")["rows"]]
    assert salaries == [7, 7, COUNT - EVERY]
