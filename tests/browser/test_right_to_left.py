"""Pages in a right-to-left language: layout, keyboard and pointer are mirrored."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.reviews import propose
from tests.browser.small_table import ROWS, OpenTable, cell, create_small_table, saved
from tests.browser.test_columns import expect_columns, head, menu
from tests.browser.test_ranges import figures, selected
from tests.scripted_model import ScriptedModel, say

# Runs before the scripts of the page.
SET_DIRECTION = """new MutationObserver(() => {
  if (document.documentElement.dir !== "rtl") document.documentElement.dir = "rtl";
}).observe(document, {childList: true});"""
DIRECTION = "el => getComputedStyle(el).direction"
PADDING = "['paddingLeft', 'paddingRight']"
EDGES = """piece => {
  const range = document.createRange();
  range.selectNodeContents(piece);
  return range.getBoundingClientRect().toJSON();
}"""
HEBREW = "שלום (עולם)!"


@pytest.fixture
def open_mirrored(app: RunningApp, cookies: list[Any], open_page: Callable[..., Page]) -> OpenTable:
    """Open a new table with the direction of a right-to-left language."""

    def open_mirrored(rows: list[dict[str, Any]] = ROWS, *, width: int = 1440) -> Page:
        page = open_page(width=width)
        page.context.add_cookies(cookies)
        page.add_init_script(SET_DIRECTION)
        page.goto(create_small_table(page.context, app, rows=rows))
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
        expect(page.locator(".prompts button").first).to_be_attached()
        return page

    return open_mirrored


def box(element: Locator) -> FloatRect:
    found = element.bounding_box()
    assert found is not None
    return found


def edges(element: Locator) -> tuple[float, float]:
    """Return the left and the right edge in px."""
    found = box(element)
    return found["x"], found["x"] + found["width"]


def test_tray_gutter_and_columns_start_on_the_right_also_on_a_phone(open_mirrored: OpenTable) -> None:
    page = open_mirrored()
    gutter = page.locator("thead .gutter")
    assert edges(page.locator("#tray"))[1] == 1440
    assert edges(page.locator("#main"))[1] < edges(page.locator("#tray"))[0]
    assert edges(gutter)[0] == edges(head(page, "Company"))[1]
    assert edges(head(page, "Company"))[0] == edges(head(page, "Status"))[1]
    assert edges(cell(page, 0, 1)) == edges(head(page, "Status"))
    before = [edges(gutter), edges(head(page, "Company"))]
    page.set_viewport_size({"width": 900, "height": 700})
    page.locator(".grid-scroll").evaluate("scroller => scroller.scrollTo({left: -200})")
    expect(page.locator(".grid-scroll")).to_have_class(re.compile("is-scrolled"))
    shift = before[0][1] - edges(gutter)[1]
    assert [edges(gutter), edges(head(page, "Company"))] == [(left - shift, right - shift) for left, right in before]
    assert edges(head(page, "Status"))[1] > edges(head(page, "Company"))[0]

    page.set_viewport_size({"width": 390, "height": 844})

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert edges(page.locator("thead .gutter"))[1] == 390
    page.locator('#dock [popovertarget="tray"]').click()
    assert edges(page.locator("#tray")) == (0, 390)


def test_keys_and_mouse_move_in_their_visual_direction(open_mirrored: OpenTable) -> None:
    page = open_mirrored()
    cell(page, 0, 1).click()
    page.keyboard.press("ArrowLeft")
    expect(cell(page, 0, 2)).to_have_class(re.compile("is-focus"))
    page.keyboard.press("Shift+ArrowLeft")
    expect(selected(page)).to_have_text(["1000", "Mar 15, 2026"])
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect(selected(page)).to_have_text(["Applied", "1000"])
    page.keyboard.press("Control+ArrowRight")
    expect(cell(page, 0, 0)).to_have_class(re.compile("is-focus"))
    page.keyboard.press("Tab")
    expect(cell(page, 0, 1)).to_have_class(re.compile("is-focus"))
    grip = page.get_by_role("separator", name="Resize chat")
    grip.focus()
    before = box(page.locator("#tray"))["width"]
    page.keyboard.press("ArrowLeft")
    assert box(page.locator("#tray"))["width"] == before + 16
    # The mouse drags the same edge.
    edge = box(grip)
    page.mouse.move(edge["x"] + 4, 300)
    page.mouse.down()
    page.mouse.move(edge["x"] - 76, 300, steps=4)
    page.mouse.up()
    assert abs(box(page.locator("#tray"))["width"] - before - 16 - 80) <= 2
    assert edges(page.locator("#tray"))[1] == 1440

    page.keyboard.press("Escape")

    status = box(head(page, "Status"))
    page.mouse.move(status["x"] + 3, status["y"] + 10)
    page.mouse.down()
    with page.expect_response(lambda answer: answer.url.endswith("/view/") and answer.ok):
        page.mouse.move(status["x"] - 57, status["y"] + 10, steps=4)
        page.mouse.up()
    assert box(head(page, "Status"))["width"] == status["width"] + 60
    start, end = box(head(page, "Due")), box(head(page, "Company"))
    page.mouse.move(start["x"] + 60, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 15, end["y"] + 10, steps=4)
    expect(head(page, "Company")).to_have_class(re.compile("is-drop-after"))
    page.mouse.up()
    expect_columns(page, "Company", "Due", "Status", "Salary", "Remote")
    first, last = box(cell(page, 0, 2)), box(cell(page, 1, 3))
    page.mouse.move(first["x"] + 20, first["y"] + 10)
    page.mouse.down()
    page.mouse.move(last["x"] + 20, last["y"] + 10, steps=4)
    page.mouse.up()
    expect(figures(page)).to_contain_text("4 cells Sum 3000")


def test_menus_sheets_and_toasts_open_and_texts_start_on_the_mirrored_side(open_mirrored: OpenTable) -> None:
    page = open_mirrored()
    opened = menu(page, "Status")
    button = head(page, "Status").get_by_role("button", name="Column menu")
    assert edges(opened)[0] == edges(button)[0]
    opened.get_by_role("menuitem", name="Move left").click()
    # The toast is shown only briefly.
    assert edges(page.locator("#toasts .toast").first)[0] < 40
    saved(page)
    expect_columns(page, "Company", "Salary", "Status", "Due", "Remote")
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+Enter")
    assert edges(page.get_by_role("dialog", name="Acme"))[0] == 0
    page.keyboard.press("Escape")
    cell(page, 0, 2).click()
    page.keyboard.press("Enter")
    assert edges(page.locator(".optlist"))[1] == edges(cell(page, 0, 2))[1]
    page.keyboard.press("Escape")
    page.locator("[data-sort-button]").click()
    assert abs(edges(page.locator("#sort-menu"))[1] - edges(page.locator("[data-sort-button]"))[1]) <= 1
    # Redrawn when the choices are loaded.
    expect(page.locator("#sort-menu .menu__item > span").first).to_have_css("text-align", "right")
    page.keyboard.press("Escape")
    field = page.get_by_role("searchbox", name="Search rows")
    field.fill("ffe")
    sides = field.evaluate(f"el => {PADDING}.map(side => parseFloat(getComputedStyle(el)[side]))")
    icon, key, whole = box(page.locator(".search > .icon")), box(page.locator(".search > kbd")), box(field)
    assert whole["x"] + sides[0] >= key["x"] + key["width"]
    assert whole["x"] + whole["width"] - sides[1] <= icon["x"]
    expect(page).to_have_url(re.compile("search=ffe"))
    # As rendered by the server, highlighting does not reorder letters.
    page.reload()
    badge = page.locator("tbody .badge:has(mark)")
    expect(badge).to_have_text("Offer")
    lefts = badge.evaluate(f"el => [...el.childNodes].map((piece) => ({EDGES})(piece).left)")
    assert (lefts, len(lefts)) == (sorted(lefts), 3)
    page.goto(page.url.partition("?")[0] + "history/")
    expect(page.locator(".history-item__text b").first).to_have_css("text-align", "right")


def test_texts_have_their_own_direction_and_numbers_are_left_to_right(open_mirrored: OpenTable) -> None:
    rows: list[dict[str, Any]] = [{"Company": HEBREW, "Salary": -5}, {"Company": "Acme (Ltd.)"}]
    page = open_mirrored(rows)
    val = page.locator("tbody .val")
    assert [val.nth(column).evaluate(DIRECTION) for column in (0, 2, 5, 6)] == ["rtl", "ltr", "ltr", "rtl"]
    assert val.nth(2).evaluate("el => getComputedStyle(el).textAlign") == "end"
    cell(page, 1, 0).click()
    page.keyboard.press("F2")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(HEBREW)
    page.keyboard.press("Enter")
    saved(page)
    expect(cell(page, 1, 0)).to_have_text(HEBREW)
    assert cell(page, 1, 0).locator(".val").evaluate(DIRECTION) == "rtl"


def test_an_answer_has_the_direction_of_its_text(open_scripted_table: OpenTable, scripted: ScriptedModel) -> None:
    page = open_scripted_table()
    page.add_init_script(SET_DIRECTION)
    page.reload()
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    scripted.add(say("Two things:\n\n1. Ask *Acme*\n2. Leave Bolt\n"), say(f"{HEBREW}\n\n1. {HEBREW}\n"))
    for message, direction in (("one", "ltr"), ("two", "rtl")):
        send_message(page, message)
        answer = page.locator(".tray__log .prose .prose").last
        expect(answer.locator("ol")).to_have_css("direction", direction)


def test_proposed_values_start_on_the_right_of_their_card_on_a_phone(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(width=390)
    page.add_init_script(SET_DIRECTION)
    page.reload()
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    page.locator('#dock [popovertarget="tray"]').click()
    propose(page, scripted, "DATA_PROPOSAL", {"action": "add", "data": {"Company": "Dyno", "Salary": 3000}})
    card = page.locator('tr[data-op="add"]')
    dyno, figure = (card.get_by_text(words, exact=True).evaluate(EDGES) for words in ("Dyno", "3000"))
    # Beside the checkbox, and beside the name of the column.
    assert edges(card.get_by_role("checkbox"))[0] - 20 < dyno["right"] < edges(card)[1]
    assert edges(card)[1] - 150 < figure["right"] < dyno["right"]
