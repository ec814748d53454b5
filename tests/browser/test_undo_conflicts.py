"""Undo conflicts: the grid lists later changes, asks, and overwrites or keeps them."""
from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser import small_table
from tests.browser.reviews import apply_button, propose
from tests.browser.small_table import OpenTable, api, cell, row_ids, saved, send, status_shown, values, watch_status
from tests.scripted_model import ScriptedModel

DUPLICATED = "Duplicated 1 row"


def duplicate_first(page: Page) -> Locator:
    """Duplicate the first row; return the toast, which does not time out under the pointer."""
    cell(page, 0, 0).hover()
    page.get_by_role("checkbox", name="Select Acme").check()
    page.get_by_role("toolbar", name="Selected rows").get_by_role("button", name="Duplicate").click()
    toast = page.locator("#toasts .toast").filter(has_text=DUPLICATED)
    toast.hover()
    saved(page)
    return toast


def change_elsewhere(page: Page, row: int, **cells: Any) -> None:
    """Change this row, with an index starting at 0, as another tab would."""
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[row]}/", {"data": cells})


def expect_conflicts(page: Page, *words: str) -> Locator:
    """Expect an alert about these conflicts and return it."""
    note = page.get_by_role("alert")
    expect(note).to_contain_text("Undo failed.")
    for sentence in words:
        expect(note).to_contain_text(sentence)
    return note


def undo_changed_new_row(page: Page) -> Locator:
    """Add a row, change it elsewhere and undo; return the alert about the conflict."""
    page.get_by_role("button", name="Add row").click()
    page.locator("tr.is-draft td.cell").first.dblclick()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    saved(page)
    change_elsewhere(page, 3, Salary=9)
    expect(cell(page, 3, 2)).to_have_text("9")
    page.get_by_role("button", name="Undo", exact=True).click()
    note = expect_conflicts(page, "Salary of row 4 is now “9”.")
    assert len(values(page)) == 4
    return note


def test_cells_changed_since_are_overwritten_or_left_on_request(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    page.keyboard.type("Apex")
    page.keyboard.press("Enter")
    saved(page)
    change_elsewhere(page, 0, Company="Axle")
    expect(cell(page, 0, 0)).to_have_text("Axle")
    page.keyboard.press("Control+z")
    note = expect_conflicts(page, "Company of row 1 is now “Axle”.")
    assert values(page)[0]["Company"] == "Axle"
    # The long buttons leave enough space for the text.
    words, whole = note.locator("span").bounding_box(), note.bounding_box()
    assert words is not None
    assert whole is not None
    assert words["width"] > whole["width"] / 2
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(cell(page, 0, 0)).to_have_text("Acme")

    expect(note).to_have_count(0)
    saved(page)

    cell(page, 0, 0).click()
    page.evaluate(small_table.PASTE, "Apex\nBoltz")
    saved(page)
    change_elsewhere(page, 1, Company="Bulb")
    expect(cell(page, 1, 0)).to_have_text("Bulb")
    page.keyboard.press("Control+z")
    note = expect_conflicts(page, "Company of row 2 is now “Bulb”.")
    assert [row["Company"] for row in values(page)] == ["Apex", "Bulb", "Crux"]
    note.get_by_role("button", name="Keep later changes").press("Enter")
    expect(cell(page, 0, 0)).to_have_text("Acme")
    assert [row["Company"] for row in values(page)] == ["Acme", "Bulb", "Crux"]
    redo = page.get_by_role("button", name="Redo")
    expect(redo).to_be_enabled()
    redo.click()
    expect(cell(page, 0, 0)).to_have_text("Apex")
    assert [row["Company"] for row in values(page)] == ["Apex", "Bulb", "Crux"]


def test_a_new_row_changed_since_is_deleted_only_on_request(open_table: OpenTable) -> None:
    page = open_table()
    note = undo_changed_new_row(page)
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(page.get_by_role("button", name="Redo", exact=True)).to_be_enabled()
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert len(values(page)) == 3

    expect(note).to_have_count(0)

    note = undo_changed_new_row(page)
    watch_status(page)
    note.get_by_role("button", name="Keep later changes").press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Nothing is left to undo in this change.")
    status_shown(page, "")
    assert "Saved" not in small_table.status_texts(page)
    for button in ("Undo", "Redo"):
        expect(page.get_by_role("button", name=button, exact=True)).to_be_disabled()
    assert len(values(page)) == 4


def test_undo_also_asks_about_own_later_edits(open_table: OpenTable) -> None:
    page = open_table()
    toast = duplicate_first(page)
    expect(cell(page, 3, 0)).to_have_text("Acme")
    page.get_by_role("grid").focus()
    for key in ("Control+End", "Home", "A", "x", "l", "e"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(cell(page, 3, 0)).to_have_text("Axle")
    saved(page)
    toast.get_by_role("button", name="Undo").click()
    alert = expect_conflicts(page, "Company of row 4 is now “Axle”.")
    alert.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]


def test_a_conflict_outside_the_view_is_named_by_the_value_of_its_row(open_table: OpenTable) -> None:
    page = open_table([{"Company": "Acme", "Salary": 1}, *({"Company": f"C {number}"} for number in range(249))])
    duplicate_first(page)
    expect(page.get_by_text("251 rows", exact=True)).to_be_visible()
    last = send(page, "GET", f"{api(page)}rows/?offset=250")["rows"][0]["id"]
    send(page, "PATCH", f"{api(page)}rows/{last}/", {"data": {"Company": "Zenith", "Salary": None, "Status": "Offer"}})
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    note = expect_conflicts(page, "Status of “Zenith” is now “Offer”.", "Salary of “Zenith” is now empty.")
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(page.get_by_text("250 rows", exact=True)).to_be_visible()


def test_a_new_column_filled_since_is_deleted_only_on_request(page: Page, scripted: ScriptedModel) -> None:
    added = {"action": "add", "column": {"name": "Priority", "type": "text"}, "after_column_id": "Company"}
    propose(page, scripted, "SCHEMA_PROPOSAL", added, mode="update")
    apply_button(page).click()
    head = page.get_by_role("columnheader", name="Priority", exact=True)
    expect(page.get_by_role("log")).to_contain_text("Applied 1 column change")
    expect(head).to_be_visible()
    change_elsewhere(page, 1, Priority="high" + "!" * 100)
    expect(cell(page, 1, 1)).to_contain_text("high")
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    # A long text is shortened.
    note = expect_conflicts(page, f"Priority of row 2 is now “high{'!' * 75}…”.")
    expect(head).to_be_visible()
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(head).to_have_count(0)
    expect(page.get_by_role("log")).to_contain_text("Undone")


def test_undo_and_redo_in_another_tab_do_not_change_the_last_step_here(page: Page, scripted: ScriptedModel) -> None:
    operation = {"action": "modify", "column_id": "Salary", "changes": {"name": "Pay"}}
    propose(page, scripted, "SCHEMA_PROPOSAL", operation, mode="update")
    apply_button(page).click()
    log, undo = page.get_by_role("log"), page.locator("[data-undo]")
    expect(log).to_contain_text("Applied 1 column change")
    change = send(page, "GET", f"{api(page)}changes/")["changes"][0]["id"]
    send(page, "POST", f"{api(page)}changes/{change}/undo/")
    expect(log).to_contain_text("Undone")
    send(page, "POST", f"{api(page)}changes/{change}/redo/")
    expect(log).not_to_contain_text("Undone")
    undo.click()
    expect(page.get_by_role("columnheader", name="Salary", exact=True)).to_be_visible()
    expect(log).to_contain_text("Undone")
