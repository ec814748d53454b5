"""Members who may only view a table: menus, details and keys offer no change."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import cell, create_table, share_table
from tests.browser.test_cell_menu import cell_menu
from tests.browser.test_columns import menu
from tests.browser.test_ranges import CUT, selected
from tests.browser.test_row_sheet import open_details
from tests.browser.touch import Finger


@pytest.fixture
def page(app: RunningApp, open_page: Callable[..., Page]) -> Page:
    """The table of another user, opened by a viewer."""
    owner, viewer = (open_page(sign_in=app.link_for_new_user()) for _ in range(2))
    address = create_table(owner, app)
    share_table(owner, viewer, address)
    viewer.goto(address)
    expect(viewer.locator("table-grid[data-live]")).to_be_attached()
    return viewer


def test_viewers_are_offered_no_changes(page: Page) -> None:
    cell(page, 0, 1).click(button="right")
    items = cell_menu(page).get_by_role("menuitem")
    expect(items).to_have_text(["CopyCtrlC", "Copy with headers", "Row detailsShiftEnter"])
    page.keyboard.press("Escape")

    opened = menu(page, "Status")
    expect(opened.get_by_role("menuitemradio", name="Sort first option first")).to_be_visible()
    expect(opened.get_by_role("menuitem", name="Hide column")).to_be_visible()
    for act in ("Move left", "Edit column", "Edit options", "Add a column", "Fill with the assistant"):
        expect(opened.get_by_role("menuitem", name=act)).to_have_count(0)
    page.keyboard.press("Escape")

    sheet = open_details(page, 0, title="Acme")
    expect(sheet.get_by_role("definition")).to_have_text(["Acme", "Applied", "1000", "Mar 15, 2026", ""])
    expect(sheet.get_by_role("textbox")).to_have_count(0)
    expect(sheet.get_by_role("button", name="Delete")).to_have_count(0)
    sheet.get_by_role("button", name="Close details").click()

    written: list[str] = []
    page.on("request", lambda request: written.append(request.url) if request.method == "PATCH" else None)
    cell(page, 0, 1).click()
    page.keyboard.press("Shift+ArrowDown")
    expect(selected(page)).to_have_count(2)
    assert page.evaluate(CUT) == "Applied\nOffer"
    page.keyboard.press("Delete")
    Finger(page).tap(cell(page, 0, 1))
    expect(page.get_by_role("toolbar", name="Selected cells").get_by_role("button")).to_have_text(["Copy"])
    # The bar uses the module that clears cells, so the key has been handled by now.
    assert written == []
    expect(cell(page, 0, 1)).to_have_text("Applied")
