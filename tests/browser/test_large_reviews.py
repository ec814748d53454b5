"""A proposal of more changes than fit on a screen, about rows that are not all read: each is counted and reached."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.actions import say
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import Held
from tests.browser.large_table import made_large_table
from tests.browser.reviews import apply_button, operation, proposal, propose, selected, toasts
from tests.browser.small_table import api, cell, saved, send
from tests.scripted_model import ScriptedModel

COUNT = 6_000
# Of every twentieth row: three hundred, more than are drawn at once.
EVERY = 20
LAST = COUNT // EVERY - 1
PREVIEW = re.compile(r"/preview/$")

LEAST_ROOM_BESIDE_NUMBERS = """(body) => {
  const room = [...body.querySelectorAll("tr:not([data-op]) > .gutter")].map((gutter) => {
    const number = document.createRange();
    number.selectNodeContents(gutter.querySelector(".gutter__number"));
    return gutter.getBoundingClientRect().right - number.getBoundingClientRect().right;
  });
  return Math.min(...room);
}"""


@pytest.fixture(scope="module")
def long(played: tuple[RunningApp, list[ScriptedModel]], scripted_cookies: list[Any], browser: Browser) -> str:
    """The address of a table of 6,000 rows."""
    return made_large_table(played[0], cookies=scripted_cookies, browser=browser, count=COUNT)


@pytest.fixture
def page(long: str, scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    """That table, opened by its owner."""
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    page.goto(long)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    return page


def ids(page: Page) -> list[int]:
    return [
        row["id"]
        for offset in range(0, COUNT, 1000)
        for row in send(page, "GET", f"{api(page)}rows/?limit=1000&offset={offset}")["rows"]
    ]


def updates(page: Page) -> list[dict[str, Any]]:
    return [{"action": "update", "row_id": row_id, "changes": {"Salary": 7}} for row_id in ids(page)[::EVERY]]


def is_bounded(page: Page) -> None:
    assert page.locator("tbody tr").count() < 300


def stands_on(page: Page, index: int) -> None:
    """The cursor is on the changed cell of this operation, which is drawn and can be seen; the page holds few rows."""
    row = operation(page, index)
    expect(row.locator("td.cell").first).to_have_text(f"C {index * EVERY}")
    changed = row.locator("td.is-changed")
    expect(changed).to_have_class(re.compile(r"\bis-focus\b"))
    expect(changed.locator("ins")).to_have_text("7")
    expect(changed).to_be_in_viewport()
    is_bounded(page)


def test_every_change_is_reached_by_next_and_previous_and_drawn_as_what_it_is(
    page: Page, scripted: ScriptedModel
) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *updates(page))
    selected(page, f"{LAST + 1} of {LAST + 1} changes")
    is_bounded(page)
    page.get_by_text("Only changes").click()
    page.get_by_role("button", name="Previous change").click()
    stands_on(page, LAST)
    for index in (0, 1):
        page.keyboard.press("j")
        stands_on(page, index)
    # Among all rows again, the change is still in sight, and the next one is the next one there.
    page.get_by_text("Only changes").click()
    stands_on(page, 1)
    page.keyboard.press("j")
    stands_on(page, 2)
    expect(page.locator('tbody[data-body="rows"] tr[data-index="2"]')).to_have_attribute("data-op", "update")


def test_the_first_change_is_scrolled_to_once_unless_the_grid_is_worked_in(
    page: Page, scripted: ScriptedModel
) -> None:
    page.set_viewport_size({"width": 960, "height": 700})
    scroller = page.locator(".grid-scroll")
    far, near = (ids(page)[place] for place in (40, 4))
    change = {"action": "update", "changes": {"Remote": True}, "row_id": far}
    propose(page, scripted, "DATA_PROPOSAL", change)
    changed = operation(page, 0).locator("td.is-changed")
    expect(changed).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("textbox", name="Message the assistant")).to_be_focused()
    expect(page.locator("td.is-focus")).to_have_count(0)
    # Not again when it is drawn anew.
    scroller.evaluate("(it) => it.scrollTo(0, 0)")
    send(page, "PATCH", f"{api(page)}rows/{near}/", {"data": {"Status": "Rejected"}})
    expect(cell(page, 4, 1)).to_have_text("Rejected")
    expect(changed).not_to_be_in_viewport()
    # Nor to the next one, which is there while a cell is edited.
    held = Held(page, PREVIEW)
    scripted.add(proposal("DATA_PROPOSAL", {**change, "changes": {"Due": "2027-01-01"}}, reasoning="Once more"))
    say(page, "again")
    held.asked()
    cell(page, 4, 2).dblclick()
    page.keyboard.type("17")
    held.let_go()
    expect(page.locator(".review__text")).to_contain_text("Once more")
    expect(apply_button(page)).to_be_enabled()
    page.keyboard.press("Enter")
    expect(cell(page, 5, 2)).to_have_class(re.compile(r"\bis-focus\b"))
    saved(page)
    expect(page.locator(".grid table[aria-busy], table.grid[aria-busy]")).to_have_count(0)
    assert scroller.evaluate("(it) => it.scrollTop") == 0


def test_a_change_stands_where_its_row_stands_too(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *updates(page)[-3:])
    # This one, not what another test has left waiting.
    selected(page, "3 of 3 changes")
    # As a person does: after this, the grid does not scroll to the first change by itself.
    page.locator(".grid-scroll").hover()
    page.mouse.wheel(0, 1_000_000)
    standing = page.locator('tbody[data-body="rows"] tr[data-index="2"]')
    expect(standing.locator("td.cell").first).to_have_text(f"C {LAST * EVERY}")
    expect(standing.locator("td.is-changed ins")).to_have_text("7")
    standing.get_by_role("checkbox").uncheck()
    selected(page, "2 of 3 changes")
    # Of rows without an operation, too, the number is whole: it stands beside the signs of the others.
    assert 0 < page.locator('tbody[data-body="rows"]').evaluate(LEAST_ROOM_BESIDE_NUMBERS) < 40  # px
    # The proposal of the next test would begin with what is unchecked in this one.
    page.get_by_role("region", name="Proposed changes").get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("region", name="Proposed changes")).to_have_count(0)


def test_all_of_them_are_listed_a_part_at_a_time_and_what_is_unchecked_far_down_is_not_applied(
    page: Page, scripted: ScriptedModel
) -> None:
    rows = ids(page)
    propose(page, scripted, "DATA_PROPOSAL", *updates(page))
    selected(page, f"{LAST + 1} of {LAST + 1} changes")
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
