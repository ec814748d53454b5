"""Accessibility settings of browsers: 200 % zoom, larger fonts, reduced motion and high contrast."""
from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.reviews import propose
from tests.browser.small_table import OpenTable, cell
from tests.browser.test_columns import head
from tests.browser.test_ranges import selected
from tests.scripted_model import ScriptedModel

LARGE_FONT = 32  # px; the default is 16
# Controls that are covered or outside the window after scrolling to them.
OUT_OF_REACH = """() => {
  const found = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")];
  const passedOver = ".skip, [tabindex='-1'], tbody tr:nth-child(n + 3) *";
  const wanted = found.filter((one) => one.checkVisibility({visibilityProperty: true})
    && !one.disabled && !one.matches(passedOver));
  const hidden = wanted.filter((one) => {
    one.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
    const {left, top, width, height} = one.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return !seen || !(one.contains(seen) || seen.closest("label")?.contains(one));
  });
  return hidden.map((one) => one.outerHTML.slice(0, 120));
}"""
CUT_OFF = """() => {
  const found = [...document.querySelectorAll(".btn, .fchip, .badge, .tabs a, .val, .menu__item, h1, h2, label")];
  const cut = found.filter((one) => one.checkVisibility() && !one.matches(".sr, .sr *") && one.clientHeight > 0
    && one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY !== "auto");
  return cut.map((one) => one.outerHTML.slice(0, 120));
}"""
MOVING = """() => {
  const moves = (one, part) => {
    const {transitionDuration, animationName, scrollBehavior} = getComputedStyle(one, part);
    return !/^0s(, 0s)*$/.test(transitionDuration) || animationName !== "none" || scrollBehavior !== "auto";
  };
  const found = [...document.querySelectorAll("*")].filter(
    (one) => ["", "::before", "::after"].some((part) => moves(one, part)));
  return found.map((one) => one.outerHTML.slice(0, 80));
}"""
# The colors of a row changed by another user, when it is marked and once the page is dark. The mark is animated.
COLOURS = """() => {
  const marked = document.querySelector('tbody[data-body="rows"] tr');
  const colour = () => getComputedStyle(marked.cells[1]).backgroundColor;
  const begin = () => document.getAnimations().forEach((one) => { one.pause(); one.currentTime = 0; });
  const end = () => document.getAnimations().forEach((one) => one.finish());
  const looks = () => {
    begin();
    const first = colour();
    end();
    return [first, colour()];
  };
  marked.classList.add("is-highlighted");
  const light = looks();
  document.documentElement.dataset.theme = "dark";
  const atOnce = colour();
  const moving = document.getAnimations().filter((one) => one.effect.target.parentElement === marked).length;
  marked.classList.remove("is-highlighted");
  void colour();
  marked.classList.add("is-highlighted");
  return [light, [moving, atOnce], looks()];
}"""
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"
PATHS = ("/tables/", "{table}", "{table}edit/", "{table}history/", "/profile/")


def enlarge_font(page: Page) -> None:
    """Set the font size of the browser, which applies from the next page on."""
    tools = page.context.new_cdp_session(page)
    tools.send("Page.enable")
    tools.send("Page.setFontSizes", {"fontSizes": {"standard": LARGE_FONT, "fixed": LARGE_FONT}})


def expect_nothing_cut_off(page: Page) -> None:
    """Expect no control out of reach and no text cut off."""
    found = page.evaluate(SIDEWAYS) > 0, page.evaluate(CUT_OFF), page.evaluate(OUT_OF_REACH)
    assert (page.url, *found) == (page.url, False, [], [])


def test_all_controls_are_reachable_at_200_percent_and_with_a_large_font(
    scripted_app: RunningApp, open_table: OpenTable
) -> None:
    page = open_table()
    usual = page.viewport_size
    assert usual is not None
    table = page.url
    addresses = [path.format(table=table) if "{" in path else scripted_app.address + path for path in PATHS]
    page.set_viewport_size({"width": 640, "height": 400})
    for address in addresses:
        page.goto(address)
        expect(page.locator("main h1").first).to_be_attached()
        expect_nothing_cut_off(page)

    page.set_viewport_size(usual)
    enlarge_font(page)
    for address in addresses:
        page.goto(address)
        expect(page.locator("main h1").first).to_be_attached()
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == f"{LARGE_FONT}px"
        if address == table:
            expect_rows_of_height(page, 72)
        expect_nothing_cut_off(page)


def expect_rows_of_height(page: Page, height: int) -> None:
    """Expect the rows of the grid to have grown with the font, without overlapping."""
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    boxes = [cell(page, row, 0).bounding_box() for row in range(3)]
    tops = [found["y"] for found in boxes if found]
    assert [lower - upper for upper, lower in pairwise(tops)] == [height, height]
    assert boxes[0] is not None
    assert boxes[0]["height"] == height


def test_a_marked_row_is_dark_at_once_and_reduced_motion_disables_animations(open_table: OpenTable) -> None:
    page = open_table()
    (light_first, light), (moving, at_once), (dark_first, dark) = page.evaluate(COLOURS)
    assert len({light_first, light, dark_first, dark}) == 4
    assert (moving, at_once) == (0, dark)

    page.emulate_media(reduced_motion="reduce")
    cell(page, 0, 0).click()
    page.keyboard.press("Delete")
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.evaluate(MOVING) == []


def test_high_contrast_shows_states_and_proposed_rows_with_lines(
    open_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_table()
    page.emulate_media(forced_colors="active")
    style: Callable[..., str] = lambda element, name: element.evaluate(f"el => getComputedStyle(el).{name}")  # noqa: E731
    cell(page, 0, 1).click()
    page.keyboard.press("Shift+ArrowRight")
    expect(selected(page)).to_have_count(2)
    for place in range(2):
        assert style(selected(page).nth(place), "outlineStyle") == "solid"
    assert style(cell(page, 1, 1), "outlineStyle") == "none"
    box = page.get_by_role("checkbox", name="Select Bolt")
    before = style(box, "backgroundColor")
    cell(page, 1, 0).hover()
    box.check()
    # The line is animated.
    expect(box).not_to_have_css("background-color", before)
    line = page.locator("tbody tr.is-selected td.cell").first
    expect(line).not_to_have_css("border-bottom-color", style(cell(page, 2, 0), "borderBottomColor"))
    assert style(page.locator(".badge").first, "borderTopStyle") == "solid"
    head(page, "Company").get_by_role("link").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert style(head(page, "Company").get_by_role("link"), "outlineStyle") == "solid"
    propose(page, scripted, "DATA_PROPOSAL", {"action": "add", "data": {"Company": "Dyno"}})
    edges = "el => getComputedStyle(el).borderInlineStartWidth"
    assert page.locator('tr[data-op="add"] > .gutter').first.evaluate(edges) == "4px"
    assert page.locator("tr[data-row] > .gutter").last.evaluate(edges) != "4px"
