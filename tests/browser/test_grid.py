"""The grid: keyboard, edits that are saved at once, new rows, undo and search."""
from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept
from tests.browser.small_table import COPY, PASTE, OpenTable, api, cell, saved, send, values


def expect_editors_of_types(page: Page) -> None:
    """Edit a cell of each column type in its own editor."""
    cell(page, 1, 1).click()
    page.keyboard.press("Enter")
    expect(page.get_by_role("option")).to_have_count(5)
    page.keyboard.type("rej")
    page.keyboard.press("Enter")
    cell(page, 1, 2).click()
    page.keyboard.type("$1,200.50")
    page.keyboard.press("Enter")
    cell(page, 1, 3).click()
    page.keyboard.type("2026-12-24")
    note = page.get_by_role("status").filter(has_text="December 24, 2026")
    expect(note).to_be_visible()
    expect(cell(page, 1, 3).get_by_role("textbox")).to_have_accessible_description("Thursday, December 24, 2026")
    page.keyboard.press("Enter")
    expect(note).to_have_count(0)
    cell(page, 1, 4).click()
    page.keyboard.press("Space")
    saved(page)
    assert values(page)[1] == {
        "Company": "Bolt!!",
        "Status": "Rejected",
        "Salary": 1200.5,
        "Due": "2026-12-24",
        "Remote": True,
    }


def expect_links(page: Page) -> None:
    """Type an address in a column of links; only a click on the link and Ctrl+Enter open it."""
    site = urlsplit(page.url)._replace(path="/healthz").geturl()
    send(page, "POST", f"{api(page)}columns/", {"name": "Site", "type": "text", "format": "url"})
    expect(page.get_by_role("columnheader", name="Site")).to_be_visible()
    cell(page, 0, 5).click()
    page.keyboard.type(f" {site}")
    page.keyboard.press("Enter")
    link = cell(page, 0, 5).get_by_role("link", name=site, exact=True)
    expect(link).to_be_visible()
    box = cell(page, 0, 5).bounding_box()
    assert box is not None
    with page.expect_popup() as opened:
        cell(page, 0, 5).click(position={"x": box["width"] - 4, "y": box["height"] / 2})
        expect(cell(page, 0, 5)).to_have_class(re.compile("is-focus"))
        page.keyboard.press("Control+Enter")
    assert opened.value.url == site
    opened.value.close()


def test_typing_replaces_a_value_in_the_editor_of_its_type_and_escape_cancels(open_table: OpenTable) -> None:
    page = open_table()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method) if request.method != "GET" else None)
    cell(page, 0, 0).click()
    page.keyboard.type("never")
    page.keyboard.press("Escape")
    expect(cell(page, 0, 0)).to_have_text("Acme")
    cell(page, 2, 2).dblclick()
    page.keyboard.press("Enter")
    cell(page, 2, 3).dblclick()
    page.keyboard.press("Tab")
    assert sent == []

    cell(page, 0, 0).click()
    page.keyboard.type("Apex")
    page.keyboard.press("Enter")
    cell(page, 2, 0).dblclick()
    page.keyboard.type(" Ltd")
    page.keyboard.press("Enter")
    for key in ("Enter", "F2"):
        cell(page, 1, 0).click()
        page.keyboard.press(key)
        page.keyboard.type("!")
        page.keyboard.press("Enter")
    cell(page, 0, 0).click()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    saved(page)
    assert [row["Company"] for row in values(page)] == ["Apex", "Bolt!!", "Crux Ltd"]
    expect(page.get_by_role("grid")).to_have_attribute("aria-activedescendant", re.compile(r"^cell-\d+-0$"))
    expect(cell(page, 1, 0)).to_have_class(re.compile("is-focus"))

    expect_editors_of_types(page)
    expect_links(page)


def test_a_date_is_parsed_if_the_parser_loads_after_the_last_key(open_table: OpenTable) -> None:
    page = open_table()
    for script in ("date_text", "value_hint"):
        held = HeldRequests(page, re.compile(rf"/{script}[.\w]*\.js$"))
        cell(page, 1, 3).click()
        page.keyboard.type("24 Dec 2026")
        held.wait_for_request()
        held.release()
        expect(page.get_by_role("status").filter(has_text="December 24, 2026")).to_be_visible()
        page.reload()
    held = HeldRequests(page, re.compile(r"/date_text[.\w]*\.js$"))
    cell(page, 1, 3).click()
    page.keyboard.type("24 Dec 2026")
    page.keyboard.press("Enter")
    expect(page.locator("[data-saving]")).to_have_text("Saving…")
    held.release()
    saved(page)
    assert values(page)[1]["Due"] == "2026-12-24"


def test_a_refused_value_can_be_corrected_or_discarded_in_its_cell(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 1, 2).click()
    page.keyboard.type("lots")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Salary was not saved. “lots” is not a number")
    expect(cell(page, 1, 2)).to_have_text("lots")
    expect(cell(page, 1, 2)).to_have_attribute("title", re.compile("^Not saved. “lots” is not a number"))
    expect(page.locator("[data-saving]")).to_have_text("Not saved")
    page.get_by_role("alert").get_by_role("button", name="Edit").click()
    expect(cell(page, 1, 2).get_by_role("textbox")).to_have_value("lots")
    with page.expect_response(re.compile(r"/rows/\d+/")) as answer:
        page.keyboard.press("Enter")
    assert answer.value.status == 422
    page.get_by_role("alert").get_by_role("button", name="Edit").click()
    page.keyboard.type(" of it")
    page.keyboard.press("Escape")
    expect(cell(page, 1, 2)).to_have_text("lots")
    page.keyboard.press("Escape")
    expect(cell(page, 1, 2)).to_have_text("2000")
    expect(page.locator("td.is-failed")).to_have_count(0)
    expect(page.locator("[data-saving]")).to_have_text("")


def test_edits_while_offline_are_reported_in_one_toast_and_sent_when_online(open_table: OpenTable) -> None:
    page = open_table()
    page.on("dialog", lambda dialog: None)
    cell(page, 0, 0).click()
    # Chromium logs network failures as errors, but not aborted requests.
    intercept(page, re.compile(r"/rows/\d+/"), lambda route: route.abort("aborted"))
    for name in ("Apex", "Bond", "Core"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    note = page.get_by_role("alert")
    expect(note).to_have_count(1)
    expect(note).to_contain_text("3 cells are not saved.")
    note.get_by_role("button", name="Show").click()
    expect(cell(page, 0, 0)).to_have_class(re.compile("is-focus"))
    expect(page.locator(".value-hint")).to_contain_text("Not saved. The server could not be reached.")
    with page.expect_event("dialog") as opened:
        page.evaluate("setTimeout(() => location.reload())")
    opened.value.dismiss()
    page.unroute(re.compile(r"/rows/\d+/"))
    cell(page, 0, 2).click()
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    expect(page.locator("td.is-failed, td.is-saving")).to_have_count(0)
    expect(note).to_have_count(0)
    assert [row["Company"] for row in values(page)] == ["Apex", "Bond", "Core"]


def test_a_concurrent_change_of_another_user_is_not_overwritten(open_table: OpenTable) -> None:
    page = open_table()
    path = f"{api(page)}rows/"
    first = send(page, "GET", path)["rows"][0]["id"]
    cell(page, 0, 2).click()
    page.keyboard.type("9")
    send(page, "PATCH", f"{path}{first}/", {"data": {"Salary": 7}})
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Salary was not saved. You entered “9”. It is now “7”.")
    expect(cell(page, 0, 2)).to_have_text("9")
    # "Overwrite" replaces the value that was shown, and no later one.
    send(page, "PATCH", f"{path}{first}/", {"data": {"Salary": None}})
    alert.get_by_role("button", name="Overwrite").press("Enter")
    expect(alert).to_contain_text("Salary was not saved. You entered “9”. It is now empty.")
    alert.get_by_role("button", name="Overwrite").press("Enter")
    expect(cell(page, 0, 2)).to_have_text("9")
    saved(page)
    assert values(page)[0]["Salary"] == 9


def test_a_new_row_is_saved_when_its_required_cells_are_filled(open_table: OpenTable) -> None:
    page = open_table()
    page.get_by_role("button", name="Add row").click()
    page.keyboard.press("Tab")
    assert len(values(page)) == 3
    draft = page.locator("tr.is-draft td.cell")
    draft.nth(0).dblclick()
    page.keyboard.type("Dyno")
    page.keyboard.press("Tab")
    page.keyboard.type("off")
    page.keyboard.press("Enter")
    # The option is chosen when the list is loaded; the row may be saved before that.
    expect(page.get_by_role("row", name="Dyno")).to_contain_text("Offer")
    saved(page)
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    assert values(page)[3] == {"Company": "Dyno", "Status": "Offer"}


def test_duplicating_and_deleting_checked_rows_is_one_change_each(open_table: OpenTable) -> None:
    page = open_table()
    for row, name in ((1, "Bolt"), (0, "Acme")):
        cell(page, row, 0).hover()
        page.get_by_role("checkbox", name=f"Select {name}").check()
    bar = page.get_by_role("toolbar", name="Selected rows")
    bar.get_by_role("button", name="Duplicate").click()
    duplicated = page.locator("#toasts .toast").filter(has_text="Duplicated 2 rows")
    duplicated.hover()
    expect(page.get_by_text("5 rows", exact=True)).to_be_visible()
    saved(page)
    rows = values(page)
    assert rows[3:] == rows[:2]
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    # Its “Undo” has nothing left to undo, although a toast under the pointer does not time out.
    expect(duplicated).to_have_count(0)
    bar.get_by_role("button", name="Delete").click()
    toast = page.locator("#toasts .toast").filter(has_text="Deleted 2 rows")
    toast.hover()
    expect(page.get_by_text("1 row", exact=True)).to_be_visible()
    toast.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]


def test_cells_are_copied_to_and_pasted_from_a_spreadsheet(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 3).click()
    assert page.evaluate(COPY) == "2026-03-15"
    cell(page, 0, 1).click()
    page.evaluate(PASTE, "offer\t1,500\r\nRejected\t\r\n")
    saved(page)
    expect(cell(page, 0, 2)).to_have_text("1500")
    assert [row.get("Status") for row in values(page)] == ["Offer", "Rejected", "Applied"]
    assert "Salary" not in values(page)[1]
    page.keyboard.press("Control+z")
    expect(cell(page, 0, 2)).to_have_text("1000")


def test_column_edits_are_saved_together_after_a_preview_of_lost_values(open_table: OpenTable) -> None:
    page = open_table()
    page.get_by_role("link", name="Columns").click()
    page.get_by_role("textbox", name="Column name").nth(0).fill("Employer")
    page.get_by_role("combobox", name="Type of Status").select_option("number")
    page.get_by_role("button", name="Remove Due").click()
    page.get_by_role("button", name="Add column").click()
    page.keyboard.type("Priority")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Status 3 values will be lost")
    expect(dialog).to_contain_text("Due 1 value will be lost")
    dialog.get_by_role("button", name="Save anyway").click()
    page.wait_for_url(re.compile(r"/tables/\d+/$"))
    heads = page.get_by_role("grid").get_by_role("columnheader").get_by_role("link")
    expect(heads).to_have_text(["Employer", "Status", "Salary", "Remote", "Priority"])
    page.reload()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(heads).to_have_text(["Company", "Status", "Salary", "Due", "Remote"])
    page.reload()
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(heads).to_have_text(["Employer", "Status", "Salary", "Remote", "Priority"])
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("listitem")).to_have_count(4)
