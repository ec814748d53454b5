"""Export from the menu of a table: the filtered rows or all rows."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.small_table import ROWS, OpenTable, api, send

OpenPage = Callable[..., Page]


def open_menu(page: Page) -> Locator:
    page.locator("button.crumbs__here").click()
    page.get_by_role("button", name="Export").click()
    return page.locator("#export-menu")


def download(page: Page, link: Locator) -> tuple[str, bytes]:
    """Download the file of a link; return its name and its content."""
    with page.expect_download() as waiting:
        link.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def companies(content: bytes) -> list[Any]:
    return [record["Company"] for record in json.loads(content)]


def test_filtered_rows_and_all_rows_can_be_exported_as_sorted_also_by_keyboard(open_table: OpenTable) -> None:
    page = open_table()
    page.locator("button.crumbs__here").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Enter")
    link = page.get_by_role("group", name="All rows").get_by_text("CSV")
    link.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert Path(waiting.value.path()).read_bytes().startswith(b"\xef\xbb\xbfCompany,Status,Salary,Due,Remote\r\nAcme,")

    page.get_by_label("Search rows").fill("bolt")
    expect(page.locator("table-grid [data-count]")).to_have_text("1 matching row")

    menu = open_menu(page)
    expect(menu.locator("#export-shown")).to_have_text("Filtered rows: 1")
    expect(menu.locator("#export-all")).to_have_text("All rows: 3")
    name, content = download(page, menu.get_by_role("group", name="Filtered rows").get_by_text("JSON"))
    assert (name, companies(content)) == ("Jobs.json", ["Bolt"])
    # The page is still open, and its menus are closed.
    expect(menu).to_be_hidden()

    _, content = download(page, open_menu(page).get_by_role("group", name="All rows").get_by_text("JSON"))
    assert companies(content) == [row["Company"] for row in ROWS]

    page.get_by_label("Search rows").fill("")
    expect(page.locator("table-grid [data-count]")).to_have_text("3 rows")
    head = page.locator("thead").get_by_role("link", name="Company")
    head.click()
    head.click()
    expect(page.locator('tbody[data-body="rows"] td.is-primary')).to_have_text(["Crux", "Bolt", "Acme"])

    menu = open_menu(page)
    expect(menu.locator("#export-shown")).to_be_hidden()
    link = menu.get_by_role("group", name="All rows").get_by_text("JSON")
    # The module that adds the view to the links is loaded later.
    expect(link).to_have_attribute("href", re.compile("sort="))
    _, content = download(page, link)
    assert companies(content) == ["Crux", "Bolt", "Acme"]


def test_values_that_do_not_fit_a_workbook_are_reported_on_a_page_with_links(open_table: OpenTable) -> None:
    page = open_table()
    send(page, "POST", f"{api(page)}rows/", {"Company": "bell\x07"})
    menu = open_menu(page)
    expect(menu.locator("#export-all")).to_have_text("All rows: 4")
    menu.get_by_role("group", name="All rows").get_by_text("Excel").click()

    expect(page.get_by_role("heading", name="This export does not fit in an Excel file")).to_be_visible()
    expect(page.get_by_text("Row 4 of the export")).to_be_visible()
    name, content = download(page, page.get_by_role("link", name="Download as CSV"))
    assert (name, b"bell\x07" in content) == ("Jobs.csv", True)
    page.get_by_role("link", name="Back to table").click()
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
