"""Small windows, of a phone and at 200 %: menus and dialogs fit, and floating elements cover nothing."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Browser, FloatRect, Locator, Page, ViewportSize, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.interception import intercept
from tests.browser.small_table import OpenTable, cell, create_table
from tests.browser.states.grid import ROWS_READ, with_larger_count
from tests.browser.test_accessibility_preferences import enlarge_font

PHONE: ViewportSize = {"width": 390, "height": 844}
CUT_OFF = """(all) => all.filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
  .map((one) => one.value)"""
OPTIONS = [f"Place {number}" for number in range(16)]
# More than fit above or below the bar that opens their menu.
MANY_COLUMNS = [{"name": "Place", "type": "select", "options": OPTIONS}] + [
    {"name": f"Figure {number}", "type": "number"} for number in range(12)
]


def box(element: Locator) -> FloatRect:
    found = element.bounding_box()
    assert found is not None
    return found


def test_a_long_menu_fits_the_window_at_200_percent(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(sign_in=app.link_for_new_user())
    page.goto(create_table(page, app, columns=MANY_COLUMNS, rows=[]))
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    page.set_viewport_size({"width": 640, "height": 400})
    opened = page.locator(".menu:popover-open")
    for opener in ("[data-sort-button]", "[data-filter-parts] [popovertarget]"):
        page.locator(opener).locator("visible=true").first.click()
        expect(opened).to_be_visible()
        found = box(opened)
        assert found["y"] >= 0
        assert found["y"] + found["height"] <= 400
        assert found["height"] > 100
        page.keyboard.press("Escape")
        expect(opened).to_have_count(0)


def test_column_errors_and_the_save_button_are_visible_on_a_phone_also_with_a_large_font(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=app.link_for_new_user(), width=390)
    enlarge_font(page)
    page.goto(f"{create_table(page, app, columns=MANY_COLUMNS, rows=[])}edit/")
    page.locator("[data-add-column]").click()
    names = page.get_by_role("textbox", name="Column name")
    # The last column has no name yet.
    expect(names).to_have_count(len(MANY_COLUMNS) + 1)
    names.last.fill("One more")
    save = page.get_by_role("button", name="Save", exact=True)
    fault = page.get_by_role("alert").filter(has_text="A column needs a name.")
    for index in (0, len(MANY_COLUMNS) - 1, len(MANY_COLUMNS)):
        name = names.nth(index).input_value()
        names.nth(index).fill("")
        save.click()
        expect(names.nth(index)).to_have_attribute("aria-invalid", "true")
        expect(names.nth(index)).to_be_in_viewport(ratio=1)
        expect(fault).to_have_count(1)
        expect(fault).to_be_in_viewport(ratio=1)
        for button in (save, page.get_by_role("button", name="Discard")):
            expect(button).to_be_in_viewport(ratio=1)
        seen, bar = box(fault), box(page.locator(".savebar"))
        assert seen["y"] + seen["height"] <= bar["y"]
        names.nth(index).fill(name)


def test_the_arrow_of_a_condition_is_on_its_button_and_a_toast_is_centered_on_a_phone(open_table: OpenTable) -> None:
    page = open_table(width=390)
    page.get_by_role("group", name="Filters", exact=True).get_by_role("button", name="Filter", exact=True).click()
    page.get_by_label("Column of condition 1").select_option("Salary")
    test = page.get_by_label("Operator of condition 1")
    test.select_option("is between … and …")
    expect(page.get_by_label("Second value of condition 1")).to_be_visible()
    button, arrow = box(test), box(page.locator(".builder__test .select").first.locator("> .icon").last)
    assert abs((arrow["y"] + arrow["height"] / 2) - (button["y"] + button["height"] / 2)) <= 1
    first = box(page.get_by_label("Value of condition 1", exact=True))
    assert first["y"] == box(page.get_by_label("Second value of condition 1"))["y"]
    page.keyboard.press("Escape")

    cell(page, 1, 2).click()
    page.keyboard.type("lots")
    page.keyboard.press("Enter")
    note = page.locator("#toasts .toast")
    expect(note).to_contain_text("is not a number")
    found = box(note)
    assert abs(found["x"] - (390 - found["x"] - found["width"])) <= 1
    # The last action, with the length of its German text, has its own line below the name.
    status = page.locator("[data-saving]")
    fits = "(it, text) => { it.textContent = text; return it.scrollWidth <= it.clientWidth; }"
    assert status.evaluate(fits, "Gespeichert, passt nicht mehr")
    name = box(page.locator(".crumbs__here span"))
    assert box(status)["y"] + 2 >= name["y"] + name["height"]


def test_an_icon_button_on_a_phone_is_named_before_scripts_are_loaded(open_table: OpenTable, browser: Browser) -> None:
    table = open_table()
    cookies = table.context.storage_state()
    context = browser.new_context(java_script_enabled=False, viewport=PHONE, storage_state=cookies)
    page = context.new_page()
    page.goto(table.url)
    view = page.get_by_role("button", name="View", exact=True)
    found = box(view)
    assert found["width"] == found["height"]
    view.click()
    expect(page.get_by_role("button", name="Show these")).to_be_visible()
    context.close()


def test_the_last_row_is_not_covered_by_the_sums_of_a_selection(open_table: OpenTable) -> None:
    rows = [{"Company": f"Company {number}", "Salary": number * 1_000} for number in range(40)]
    page = open_table(rows, width=390)
    page.locator(".grid-scroll").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
    last = page.locator('tbody[data-body="rows"] tr').filter(has_text="Company 39").locator("td.cell").nth(2)
    foot = page.locator(".grid tfoot")
    last.click()
    before = box(foot)["height"]
    for _ in range(5):
        page.keyboard.press("Shift+ArrowUp")
    expect(foot).to_contain_text("6 cells")
    assert box(foot)["height"] > before
    row = box(last)
    assert row["y"] + row["height"] <= box(foot)["y"] + 1


def test_the_names_of_a_proposed_table_are_not_cut_off_on_a_phone(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(app.link_for_new_user(), width=390)
    long = "Position Currently Advertised on the Website of the Employer"
    page.locator('#dock [popovertarget="tray"]').locator("visible=true").click()
    send_message(page, f'Track my job applications with company, "{long}" and date applied')
    expect(page.get_by_role("log")).to_contain_text("New table: Job Applications")
    page.get_by_role("button", name="Close chat").click()
    name = page.get_by_label(f"Name of the column {long}")
    expect(name).to_be_visible()
    assert page.locator(".newtable__column").evaluate_all(CUT_OFF) == []
    # The name may wrap but has no line breaks.
    name.press("End")
    name.press("Enter")
    expect(name).to_have_value(long)
    name.evaluate("(field) => field.setRangeText('\\nand more', field.value.length, field.value.length, 'end')")
    name.press_sequentially("!")
    expect(name).to_have_value(f"{long} and more!")


def test_no_row_is_visible_below_the_footer_of_a_large_table(open_table: OpenTable) -> None:
    page = open_table([{"Company": f"Company {number}"} for number in range(40)])
    page.set_viewport_size({"width": 640, "height": 400})
    intercept(page, ROWS_READ, with_larger_count)
    page.get_by_role("searchbox", name="Search rows").fill("Company")
    expect(page.get_by_text("600,000 matching rows, first 500,000 shown")).to_be_visible()
    sight = box(page.locator(".grid-scroll"))
    edge: FloatRect = {"x": 0, "y": sight["y"] + sight["height"] - 3, "width": 640, "height": 3}
    with_rows = page.screenshot(clip=edge)
    page.locator('tbody[data-body="rows"]').evaluate("(rows) => { rows.style.visibility = 'hidden'; }")
    assert page.screenshot(clip=edge) == with_rows
