"""A table of 100,000 rows: every row can be reached at once, and the page contains only the rows near the view."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.large_table import COUNT, create_large_table
from tests.browser.small_table import COPY, api, saved, send
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

IN_ORDER = """body => {
  const tops = [...body.rows].map((tr) => [Number(tr.ariaRowIndex), tr.getBoundingClientRect().top]);
  tops.sort((a, b) => a[0] - b[0]);
  return tops.every(([index, top], i) => i === 0 || (index > tops[i - 1][0] && top > tops[i - 1][1]));
}"""

NUMBER_AND_BUTTON = """(tr) => {
  const number = document.createRange();
  number.selectNodeContents(tr.querySelector(".gutter__number"));
  return [number, tr.querySelector(".gutter__open")].map((one) => one.getBoundingClientRect());
}"""

BOTTOM = "it => it.getBoundingClientRect().bottom"
LEFT = "it => it.getBoundingClientRect().left"
TOP = "it => it.getBoundingClientRect().top"

# Nodes added or removed below the body; the rows themselves may be moved.
COUNT_NODES = """body => {
  window.changedNodes = 0;
  const count = (all) => { window.changedNodes += all.filter((one) => one.target !== body).length; };
  new MutationObserver(count).observe(body, {childList: true, subtree: true});
}"""

# Marks the first row as soon as it is parsed, before a script of the page runs.
MARK_FIRST_ROW = """new MutationObserver((_, watch) => {
  const first = document.querySelector('tbody[data-body="rows"] tr');
  if (!first) return;
  first.drawnByServer = true;
  watch.disconnect();
}).observe(document, {childList: true, subtree: true})"""


@pytest.fixture(scope="module")
def large(
    app_and_scripts: tuple[RunningApp, list[ScriptedModel]], scripted_cookies: list[Any], browser: Browser
) -> str:
    """The URL of a table with 100,000 rows."""
    return create_large_table(app_and_scripts[0], cookies=scripted_cookies, browser=browser)


@pytest.fixture
def page(large: str, scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    """The page of the large table, opened by its owner."""
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    page.goto(large)
    expect(page.get_by_text("100,000 rows", exact=True)).to_be_visible()
    return page


def body(page: Page) -> Locator:
    return page.locator('tbody[data-body="rows"]')


def row(page: Page, number: int) -> Locator:
    """Return the row with this number, starting at 1. `aria-rowindex` also counts the header."""
    return body(page).locator(f'tr[aria-rowindex="{number + 1}"]')


def scroll_to(page: Page, share: float) -> None:
    scroll = "(it, share) => { it.scrollTop = (it.scrollHeight - it.clientHeight) * share; }"
    page.locator(".grid-scroll").evaluate(scroll, share)


def expect_few_nodes(page: Page) -> None:
    assert body(page).locator("tr").count() < 60


def test_scrollbar_and_keys_reach_every_row_with_few_nodes(page: Page) -> None:
    expect_few_nodes(page)
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", str(COUNT + 1))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/rows/" in request.url else None)
    for share, number in ((0.5, 50_000), (1, 100_000), (0, 1)):
        scroll_to(page, share)
        expect(row(page, number).locator("td.cell").first).to_have_text(f"C {number - 1}")
        expect_few_nodes(page)
        assert body(page).evaluate(IN_ORDER)
    assert len(requests) <= 6

    row(page, 1).locator("td.cell").first.click()
    page.keyboard.press("Control+End")
    last = row(page, COUNT).locator("td.cell")
    expect(last.first).to_have_text("C 99999")
    expect(last.last).to_have_class(re.compile("is-focus"))
    expect(page.get_by_role("grid")).to_have_attribute("aria-activedescendant", re.compile(r"^cell-\d+-4$"))
    last.first.hover()
    expect(row(page, COUNT).locator(".gutter__open")).to_be_visible()
    number, button = row(page, COUNT).evaluate(NUMBER_AND_BUTTON)
    assert 0 < number["width"] <= button["x"] - number["x"]
    page.keyboard.press("PageUp")
    expect(last.last).not_to_have_class(re.compile("is-focus"))
    page.keyboard.press("Control+ArrowDown")
    expect(last.last).to_have_class(re.compile("is-focus"))
    page.keyboard.press("Control+Home")
    expect(row(page, 1).locator("td.cell").first).to_have_class(re.compile("is-focus"))
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowDown")
    expect(row(page, 1).locator("td.cell").first).not_to_have_class(re.compile("is-focus"))


def test_scrolling_reuses_the_nodes_of_rows_which_have_a_separate_layout(page: Page) -> None:
    """Added and removed nodes make browsers lay out whole rows again, which makes scrolling slow."""
    scroller = page.locator(".grid-scroll")
    scroller.evaluate("it => { it.scrollTop = 200 * it.querySelector('tbody tr').offsetHeight; }")
    expect(row(page, 194).locator("td.cell").first).to_have_text("C 193")
    expect(body(page).locator(".is-loading")).to_have_count(0)
    body(page).evaluate(COUNT_NODES)
    scroller.evaluate("it => { it.scrollTop += 5 * it.querySelector('tbody tr').offsetHeight; }")
    expect(row(page, 210).locator("td.cell").first).to_have_text("C 209")
    expect(row(page, 194)).not_to_be_attached()
    assert page.evaluate("() => window.changedNodes") == 0

    # Cells are sticky only if needed.
    scroll_to(page, 0)
    first = row(page, 1)
    gutter, name, status = (first.locator("td").nth(column) for column in range(3))
    expect(first).to_have_css("contain", "strict")
    for cell in (gutter, name):
        expect(cell).to_have_css("position", "relative")
    page.set_viewport_size({"width": 800, "height": 700})
    for cell in (gutter, name):
        expect(cell).to_have_css("position", "sticky")
    before = name.evaluate(LEFT), status.evaluate(LEFT)
    page.locator(".grid-scroll").evaluate("it => { it.scrollLeft = 60; }")
    assert (name.evaluate(LEFT), status.evaluate(LEFT)) == (before[0], before[1] - 60)
    # The editor of a text longer than its cell covers the rows below.
    name.dblclick()
    expect(first).not_to_have_css("contain", "strict")
    page.keyboard.press("Escape")
    expect(first).to_have_css("contain", "strict")


def test_scripts_reuse_the_first_rows_rendered_by_the_server(page: Page) -> None:
    html = page.request.get(page.url).text()
    assert re.search(r">\s*C 0\s*<", html)
    assert html.count("<tr ") < 150
    page.add_init_script(MARK_FIRST_ROW)
    page.reload()
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    first = row(page, 1)
    expect(first.locator("td.cell").first).to_have_text("C 0")
    assert first.evaluate("row => row.drawnByServer === true")


def test_an_edit_far_down_is_not_lost_by_scrolling(page: Page) -> None:
    scroll_to(page, 0.75)
    far = row(page, 75_000).locator("td.cell")
    expect(far.first).to_have_text("C 74999")
    far.nth(2).dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type("7")
    scroll_to(page, 0)
    expect(row(page, 1)).to_be_visible()
    expect(far.nth(2).locator("input")).to_have_value("7")
    page.keyboard.press("Enter")
    scroll_to(page, 0.75)
    saved(page)
    expect(far.nth(2)).to_have_text("7")
    page.keyboard.press("Control+z")
    expect(far.nth(2)).to_have_text("74999")


def test_a_filter_applied_far_down_shows_the_matching_rows(page: Page) -> None:
    scroll_to(page, 1)
    expect(row(page, COUNT)).to_be_visible()
    page.get_by_role("button", name="Status").click()
    page.get_by_role("link", name="Offer").click()
    expect(page.get_by_text("100 matching rows")).to_be_visible()
    expect(row(page, 2).locator("td.cell").first).to_have_text("C 1000")
    scroll_to(page, 1)
    expect(row(page, 100).locator("td.cell").first).to_have_text("C 99000")


def test_shift_click_checks_rows_that_were_not_loaded_and_copies_them(page: Page) -> None:
    row(page, 2).hover()
    page.get_by_role("checkbox", name="Select C 1", exact=True).check()
    scroll_to(page, 0.01)
    expect(row(page, 1000).locator("td.cell").first).to_have_text("C 999")
    row(page, 1000).hover()
    page.keyboard.down("Shift")
    row(page, 1000).locator(".check").click()
    page.keyboard.up("Shift")
    expect(page.get_by_role("toolbar", name="Selected rows")).to_contain_text("999 rows selected")
    page.get_by_role("grid").focus()
    lines = page.evaluate(COPY).splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"C {number}" for number in range(1, 1000)]
    page.keyboard.press("Control+a")
    expect(page.locator("tfoot")).to_contain_text("500,000 cells; sums cover at most 10,000 rows")
    assert page.evaluate(COPY) == ""
    expect(page.locator("#toasts")).to_contain_text("At most 10,000 rows can be copied at once")
    # The bar over the rows does not cover the last row.
    scroll_to(page, 1)
    last = row(page, COUNT).locator("td.cell").first
    expect(last).to_have_text(f"C {COUNT - 1}")
    assert last.evaluate(BOTTOM) <= page.get_by_role("toolbar", name="Selected rows").evaluate(TOP)


def test_changes_of_another_user_far_away_are_shown_after_scrolling(page: Page) -> None:
    path = f"{api(page)}rows/"
    scroll_to(page, 0.5)
    expect(row(page, 50_000).locator("td.cell").first).to_have_text("C 49999")
    added = page.evaluate(
        """async (path) => {
          const token = document.cookie.split("csrftoken=")[1].split(";")[0];
          const headers = {"Content-Type": "application/json", "X-CSRFToken": token};
          return (await (await fetch(path, {method: "POST", headers, body: '{"Company": "New"}'})).json()).id;
        }""",
        path,
    )
    expect(page.get_by_text("100,001 rows", exact=True)).to_be_visible()
    expect(row(page, 50_000).locator("td.cell").first).to_have_text("C 49999")
    scroll_to(page, 1)
    expect(row(page, COUNT + 1).locator("td.cell").first).to_have_text("New")
    send(page, "POST", f"{path}delete/", {"ids": [added]})
    expect(page.get_by_text("100,000 rows", exact=True)).to_be_visible()
    expect(row(page, COUNT).locator("td.cell").first).to_have_text("C 99999")


def test_a_proposal_for_distant_rows_is_reviewed_and_applied(page: Page, scripted: ScriptedModel) -> None:
    path = f"{api(page)}rows/"
    ids = [send(page, "GET", f"{path}?offset={number - 1}&limit=1")["rows"][0]["id"] for number in (5, 99_000)]
    update = {"action": "update", "row_id": ids[0], "changes": {"Salary": 5}}
    operations = [update, {"action": "delete", "row_id": ids[1]}]
    content = {"reasoning": "As you asked", "operations": operations}
    scripted.add(reply(f"Here it is.\n\nDATA_PROPOSAL: {json.dumps(content)}"))
    send_message(page, "please")
    expect(page.locator(".review__actions").get_by_role("button", name="Apply 2")).to_be_enabled()
    expect(row(page, 6).locator("td.cell").first).to_have_text("C 4")
    expect(row(page, 6)).to_have_attribute("data-op", "update")
    expect(page.get_by_role("checkbox", name="Delete C 98999")).to_be_checked()
    scroll_to(page, 0.6)
    scroll_to(page, 0)
    expect(row(page, 6)).to_have_attribute("data-op", "update")
    page.get_by_text("Only changes").click()
    expect(page.locator("tbody:visible tr[data-row]:visible")).to_have_count(2)
    page.keyboard.press("Control+Enter")
    # A toast does not time out under the pointer.
    page.locator("#toasts").get_by_text("Applied 2 of 2 changes").hover()
    expect(page.get_by_text("99,999 rows", exact=True)).to_be_visible()
    expect(row(page, 5).locator("td.cell").nth(2)).to_have_text("5")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(row(page, 5).locator("td.cell").nth(2)).to_have_text("4")
    expect(page.get_by_text("100,000 rows", exact=True)).to_be_visible()
