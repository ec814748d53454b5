"""States of the table pages of an owner: the list, the grid, the columns, the history."""
from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.small_table import api, cell, row_ids, send, share_table
from tests.browser.states.stage import Stage, State

LONG = "Applications for the autumn in Berlin, Hamburg and everywhere else that is within reach"
PLANTS = {
    "mode": "create", "reasoning": "What one wants to know of a plant", "table_name": "Plants",
    "table_description": "What grows where",
    "operations": [
        {"action": "add", "column": {"name": "Name", "type": "text", "required": True}},
        {"action": "add", "column": {"name": "Height", "type": "number"}},
        {"action": "add", "column": {"name": "Light", "type": "select", "options": ["Sun", "Shade"]}},
        {"action": "add", "column": {"name": "Watered", "type": "date"}},
    ],
    "sample_rows": [{"Name": "Fern", "Height": 40, "Light": "Shade"}, {"Name": "Basil", "Height": 25, "Light": "Sun"}],
}  # fmt: skip


def lists(stage: Stage) -> Iterator[State]:
    """The list: of a new user, with a proposed table, with tables, with an empty search result."""
    page = stage.open_as_new_user()
    expect(page.locator("chat-tray").get_by_text("What do you want to track")).to_be_attached()
    yield State("list-newcomer", page)
    stage.propose(page, "SCHEMA_PROPOSAL", PLANTS)
    expect(page.get_by_role("log")).to_contain_text("Plants")
    stage.hide_chat(page)
    expect(page.get_by_role("button", name="Create table").locator("visible=true").first).to_be_enabled()
    expect(page.get_by_role("columnheader", name="Height")).to_be_visible()
    yield State("list-proposed-table", page)
    columns = [{"name": "Company", "type": "text"}, {"name": "Due", "type": "date"}]
    for name in ("Jobs", LONG, "Books to read"):
        send(page, "POST", "/api/tables/", {"name": name, "description": "Kept by hand", "columns": columns})
    stage.show_chat(page)
    proposed = page.get_by_role("region", name="Proposed table")
    proposed.get_by_role("button", name="Dismiss").first.dispatch_event("click")
    expect(page.get_by_role("log")).to_contain_text("Dismissed the new table")
    page.goto(page.url)
    yield State("list", page)
    page.locator("[popovertarget=orderings]").click()
    yield State("list-orderings", page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More actions for Jobs").click()
    yield State("list-card-menu", page)
    page.get_by_role("button", name="Move to trash").click()
    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    yield State("list-moved-to-trash", page)
    page.get_by_role("link", name="Trash").click()
    expect(page.get_by_role("button", name="Restore Jobs")).to_be_visible()
    yield State("trash", page)
    page.goto(f"{stage.app.address}/tables/?search=nowhere")
    yield State("list-nothing-found", page)
    me = send(page, "GET", "/api/me/")["username"]
    body = {"name": "Chores", "columns": [*columns, {"name": "Lead", "type": "person"}]}
    table = send(page, "POST", "/api/tables/", {**body, "rows": [{"Company": "Acme", "Due": "2026-03-15"}]})
    row = send(page, "GET", f"/api/tables/{table['id']}/rows/")["rows"][0]["id"]
    send(page, "PATCH", f"/api/tables/{table['id']}/rows/{row}/?typecast=true", {"data": {"Lead": me}})
    page.goto(f"{stage.app.address}/tables/assigned/")
    yield State("assigned-rows", page)
    page.get_by_role("link", name="Acme").focus()
    page.keyboard.press("Enter")
    lead = page.get_by_role("button", name="Lead", exact=True)
    expect(lead.or_(page.get_by_role("heading", name="Acme")).first).to_be_visible()
    page.goto(f"{stage.app.address}/tables/{table['id']}/")
    lead.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name=re.compile(r"^Me\b"))).to_be_visible()
    yield State("grid-people-menu", page)


def grids(stage: Stage) -> Iterator[State]:
    """The grid: without rows, with few rows, filtered, with open menus and editors."""
    page = stage.open_blank()
    stage.open_table(page, name=LONG, rows=[])
    yield State("grid-empty", page)
    page.get_by_role("button", name="Add row").click()
    yield State("grid-new-row", page)
    address = stage.open_table(page)
    yield State("grid", page)
    cell(page, 1, 0).click()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    yield State("grid-range", page)
    # A number has the input field of a date, without the date in words.
    for column, name in ((0, "text"), (1, "select"), (3, "date")):
        cell(page, 0, column).dblclick()
        if name == "select":
            expect(page.get_by_role("listbox", name="Status")).to_be_visible()
        yield State(f"grid-editing-{name}", page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    yield from _options(page)
    page.get_by_role("checkbox", name="Select Bolt").check()
    yield State("grid-selected-row", page)
    yield from _menus(stage, page)
    either = '{"or":[{"column":"Company","op":"not_empty"},{"column":"Due","op":"empty"}]}'
    narrowed = f'[{{"column":"Salary","op":"gte","value":0}},{either}]'
    page.goto(f"{address}?sort=Salary,-Company&search=o&filter={narrowed}")
    yield State("grid-sorted-found", page)
    page.goto(f"{address}?search=nowhere")
    yield State("grid-nothing-found", page)


def _options(page: Page) -> Iterator[State]:
    cell(page, 0, 1).dblclick()
    page.get_by_role("listbox", name="Status").get_by_text("Edit options").click()
    editor = page.get_by_role("dialog", name="Options of Status")
    editor.get_by_role("button", name="Color of Applied").click()
    yield State("grid-option-colors", page)
    editor.get_by_role("button", name="Delete Applied").click()
    expect(editor.get_by_role("group", name="Delete Applied")).to_be_visible()
    yield State("grid-option-deleted", page)
    page.keyboard.press("Escape")


def _menus(stage: Stage, page: Page) -> Iterator[State]:
    page.goto(page.url)
    expect(page.get_by_role("button", name="Add row")).to_be_enabled()
    menus = ["#table-menu", "#account"] + ([] if stage.phone else ["#shown-columns"])
    for menu in (*menus, "#sort-menu", "#filter-builder", "[data-filter-menus] .menu"):
        target = page.locator(menu).first.get_attribute("id")
        page.locator(f'[popovertarget="{target}"]').first.click()
        expect(page.locator(menu).first).to_be_visible()
        if menu == "#filter-builder":
            expect(page.get_by_role("button", name="Show rows")).to_be_visible()
        yield State(f"grid-menu-{re.sub('[^a-z]+', '-', menu).strip('-')}", page)
        page.keyboard.press("Escape")
    page.locator("[data-sort-button]").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    yield State("shortcuts", page)
    page.keyboard.press("Escape")
    page.locator("[popovertarget=table-menu]").click()
    page.get_by_role("link", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Create read-only link").click()
    dialog.get_by_role("button", name="Invitation link").click()
    expect(dialog.get_by_text("The link is only shown now:").last).to_be_visible()
    yield State("share", page)
    table = page.url.partition("?")[0].removeprefix(stage.app.address)
    share_table(page, stage.open_blank(), table)
    send(page, "POST", f"/api{table}members/", {"kind": "user", "name": "mistyped", "role": "viewer"})
    page.keyboard.press("Escape")
    page.locator("[popovertarget=table-menu]").click()
    page.get_by_role("link", name="Share", exact=True).click()
    dialog.get_by_role("button", name="Transfer ownership").click()
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    yield State("share-given", page)
    page.keyboard.press("Escape")


def columns(stage: Stage) -> Iterator[State]:
    """The columns: unchanged, with open settings and unsaved changes, before values are lost; and the history."""
    page = stage.open_blank()
    address = stage.open_table(page)
    page.goto(f"{address}edit/")
    expect(page.get_by_role("button", name="Add column")).to_be_enabled()
    yield State("edit", page)
    for name in ("Status", "Salary"):
        page.get_by_role("button", name=f"Show settings of {name}").click()
    page.get_by_role("button", name="Add column").click()
    page.get_by_label("Type of Company").select_option("date")
    page.get_by_role("button", name="Remove Due").click()
    yield State("edit-unsaved", page)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_have_text("A column needs a name.")
    yield State("edit-faults", page)
    page.goto(page.url)
    page.get_by_label("Type of Company").select_option("date")
    page.get_by_role("button", name="Save", exact=False).locator("visible=true").first.click()
    expect(page.get_by_role("dialog").or_(page.get_by_role("alert")).first).to_be_visible()
    yield State("edit-values-lost", page)
    page.goto(f"{address}history/")
    row = row_ids(page)[0]
    for company in ("Apex", "Apogee"):
        send(page, "PATCH", f"{api(page)}rows/{row}/", {"data": {"Company": company}})
    page.reload()
    page.get_by_role("button", name="Undo").nth(1).click()
    expect(page.get_by_role("alert")).to_contain_text("Company of row 1 is now “Apogee”.")
    yield State("history-changed-since", page)
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("undone").first).to_be_visible()
    yield State("history", page)
    for summary in page.get_by_text("Show changes").all():
        summary.click()
    yield State("history-unfolded", page)
    page.get_by_role("link", name="Created “Jobs”", exact=True).click()
    expect(page.get_by_role("heading", name="Created “Jobs”")).to_be_visible()
    yield State("change", page)
    page.get_by_role("link", name="Restore: Created “Jobs”").click()
    expect(page.get_by_role("button", name="Restore table")).to_be_visible()
    yield State("restore", page)


def row_forms(stage: Stage) -> Iterator[State]:
    """The form of a row for browsers without scripts: unchanged, and with errors."""
    page = stage.open_blank()
    address = stage.open_table(page)
    page.goto(f"{address}rows/{row_ids(page)[0]}/")
    expect(page.get_by_role("button", name="Save")).to_be_visible()
    yield State("row-form", page)
    page.get_by_label("Company").fill("")
    page.get_by_label("Salary").fill("a lot")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved.")
    yield State("row-form-faults", page)
