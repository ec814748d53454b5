"""Keyboard shortcuts of a table page, and the keys that are typed into the selected cell instead."""
from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.small_table import OpenTable, cell


def shortcuts(page: Page) -> None:
    """Expect the dialog of shortcuts and close it."""
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.get_by_text("Start editing with the typed character")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_single_keys_are_typed_into_the_selected_cell_and_start_commands_elsewhere(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    editor = cell(page, 0, 0).get_by_role("textbox")
    for key in "/?":
        page.keyboard.type(key)
        expect(editor).to_have_value(key)
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.press("Escape")
        expect(editor).to_have_count(0)
        expect(page.get_by_role("grid")).to_be_focused()
    page.keyboard.press("Control+/")
    shortcuts(page)
    expect(page.get_by_role("grid")).to_be_focused()
    page.keyboard.press("Meta+/")
    shortcuts(page)
    page.get_by_role("searchbox", name="Search rows").focus()
    page.keyboard.press("Control+/")
    shortcuts(page)
    page.locator("[data-sort-button]").focus()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search rows")).to_be_focused()
    page.locator("[data-sort-button]").focus()
    page.keyboard.press("?")
    shortcuts(page)
