"""A table is taken along from the menu of its page: what is filtered at that moment, or all rows."""
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


def downloaded(page: Page, link: Locator) -> tuple[str, bytes]:
    """The name and the bytes of the file that a link leads to."""
    with page.expect_download() as waiting:
        link.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def companies(content: bytes) -> list[Any]:
    return [record["Company"] for record in json.loads(content)]


def test_what_is_filtered_is_taken_along_and_so_are_all_rows(open_table: OpenTable) -> None:
    page = open_table()
    page.get_by_label("Search rows").fill("bolt")
    expect(page.locator("table-grid [data-count]")).to_have_text("1 matching row")

    menu = open_menu(page)
    expect(menu.locator("#export-shown")).to_have_text("Filtered rows: 1")
    expect(menu.locator("#export-all")).to_have_text("All rows: 3")
    name, content = downloaded(page, menu.get_by_role("group", name="Filtered rows").get_by_text("JSON"))
    assert (name, companies(content)) == ("Jobs.json", ["Bolt"])
    # The page is still there, and its menus are closed.
    expect(menu).to_be_hidden()

    _, content = downloaded(page, open_menu(page).get_by_role("group", name="All rows").get_by_text("JSON"))
    assert companies(content) == [row["Company"] for row in ROWS]


def test_the_file_has_the_order_that_is_seen(open_table: OpenTable) -> None:
    page = open_table()
    head = page.locator("thead").get_by_role("link", name="Company")
    head.click()
    head.click()
    expect(page.locator('tbody[data-body="rows"] td.is-primary')).to_have_text(["Crux", "Bolt", "Acme"])

    menu = open_menu(page)
    expect(menu.locator("#export-shown")).to_be_hidden()
    link = menu.get_by_role("group", name="All rows").get_by_text("JSON")
    # The module that gives the links their view is loaded later.
    expect(link).to_have_attribute("href", re.compile("sort="))
    _, content = downloaded(page, link)
    assert companies(content) == ["Crux", "Bolt", "Acme"]


def test_with_the_keyboard_alone(open_table: OpenTable) -> None:
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


def test_what_is_in_no_workbook_is_said_on_a_page_with_a_way_on(open_table: OpenTable) -> None:
    page = open_table()
    send(page, "POST", f"{api(page)}rows/", {"Company": "bell\x07"})
    menu = open_menu(page)
    expect(menu.locator("#export-all")).to_have_text("All rows: 4")
    menu.get_by_role("group", name="All rows").get_by_text("Excel").click()

    expect(page.get_by_role("heading", name="This export does not fit in an Excel file")).to_be_visible()
    expect(page.get_by_text("Row 4 of the export")).to_be_visible()
    name, content = downloaded(page, page.get_by_role("link", name="Download as CSV"))
    assert (name, b"bell\x07" in content) == ("Jobs.csv", True)
    page.get_by_role("link", name="Back to table").click()
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
