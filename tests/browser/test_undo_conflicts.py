"""Taking back what was changed since: the grid names what stands in the way, asks, and does as it is told."""
from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser import small_table
from tests.browser.reviews import apply_button, propose
from tests.browser.small_table import OpenTable, api, cell, row_ids, saved, send, status_shown, values, watch_status
from tests.scripted_model import ScriptedModel

DUPLICATED = "Duplicated 1 row"


def duplicate_first(page: Page) -> Locator:
    """A second row like the first; the note that says so, which stays under the pointer."""
    cell(page, 0, 0).hover()
    page.get_by_role("checkbox", name="Select Acme").check()
    page.get_by_role("toolbar", name="Selected rows").get_by_role("button", name="Duplicate").click()
    told = page.locator("#toasts .toast").filter(has_text=DUPLICATED)
    told.hover()
    saved(page)
    return told


def changed_since(page: Page, row: int, **cells: Any) -> None:
    """Another tab has written into this row of the table, counted from 0."""
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[row]}/", {"data": cells})


def asked(page: Page, *words: str) -> Locator:
    """The note that names what stands in the way; nothing has been undone."""
    note = page.get_by_role("alert")
    expect(note).to_contain_text("Undo failed.")
    for sentence in words:
        expect(note).to_contain_text(sentence)
    return note


def a_new_row_that_was_changed_since(page: Page) -> Locator:
    """The note that asks about it."""
    page.get_by_role("button", name="Add row").click()
    page.locator("tr.is-draft td.cell").first.dblclick()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    saved(page)
    changed_since(page, 3, Salary=9)
    expect(cell(page, 3, 2)).to_have_text("9")
    page.get_by_role("button", name="Undo", exact=True).click()
    note = asked(page, "Salary of row 4 is now “9”.")
    assert len(values(page)) == 4
    return note


def test_a_cell_that_was_written_since_is_overwritten_only_when_told(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    page.keyboard.type("Apex")
    page.keyboard.press("Enter")
    saved(page)
    changed_since(page, 0, Company="Axle")
    expect(cell(page, 0, 0)).to_have_text("Axle")
    page.keyboard.press("Control+z")
    note = asked(page, "Company of row 1 is now “Axle”.")
    assert values(page)[0]["Company"] == "Axle"
    # Its long buttons leave the words their room.
    words, whole = note.locator("span").bounding_box(), note.bounding_box()
    assert words is not None
    assert whole is not None
    assert words["width"] > whole["width"] / 2
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(cell(page, 0, 0)).to_have_text("Acme")


def test_what_is_undone_around_later_changes_can_be_done_again(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    page.evaluate(small_table.PASTE, "Apex\nBoltz")
    saved(page)
    changed_since(page, 1, Company="Bulb")
    expect(cell(page, 1, 0)).to_have_text("Bulb")
    page.keyboard.press("Control+z")
    note = asked(page, "Company of row 2 is now “Bulb”.")
    assert [row["Company"] for row in values(page)] == ["Apex", "Bulb", "Crux"]
    note.get_by_role("button", name="Keep later changes").press("Enter")
    expect(cell(page, 0, 0)).to_have_text("Acme")
    assert [row["Company"] for row in values(page)] == ["Acme", "Bulb", "Crux"]
    redo = page.get_by_role("button", name="Redo")
    expect(redo).to_be_enabled()
    redo.click()
    expect(cell(page, 0, 0)).to_have_text("Apex")
    assert [row["Company"] for row in values(page)] == ["Apex", "Bulb", "Crux"]


def test_a_new_row_that_somebody_changed_since_goes_only_when_told(open_table: OpenTable) -> None:
    page = open_table()
    note = a_new_row_that_was_changed_since(page)
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(page.get_by_role("button", name="Redo", exact=True)).to_be_enabled()
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert len(values(page)) == 3


def test_where_all_that_was_done_is_kept_nothing_is_told_as_undone(open_table: OpenTable) -> None:
    page = open_table()
    note = a_new_row_that_was_changed_since(page)
    watch_status(page)
    note.get_by_role("button", name="Keep later changes").press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Nothing is left to undo in this change.")
    status_shown(page, "")
    assert "Saved" not in small_table.status_texts(page)
    for button in ("Undo", "Redo"):
        expect(page.get_by_role("button", name=button, exact=True)).to_be_disabled()
    assert len(values(page)) == 4


def test_ones_own_later_edits_are_asked_about_too(open_table: OpenTable) -> None:
    page = open_table()
    told = duplicate_first(page)
    expect(cell(page, 3, 0)).to_have_text("Acme")
    page.get_by_role("grid").focus()
    for key in ("Control+End", "Home", "A", "x", "l", "e"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(cell(page, 3, 0)).to_have_text("Axle")
    saved(page)
    told.get_by_role("button", name="Undo").click()
    asked(page, "Company of row 4 is now “Axle”.").get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(page.get_by_text("3 rows", exact=True)).to_be_visible()
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]


def test_a_row_far_from_those_in_sight_is_named_by_what_it_holds(open_table: OpenTable) -> None:
    page = open_table([{"Company": "Acme", "Salary": 1}, *({"Company": f"C {number}"} for number in range(249))])
    duplicate_first(page)
    expect(page.get_by_text("251 rows", exact=True)).to_be_visible()
    last = send(page, "GET", f"{api(page)}rows/?offset=250")["rows"][0]["id"]
    send(page, "PATCH", f"{api(page)}rows/{last}/", {"data": {"Company": "Zenith", "Salary": None, "Status": "Offer"}})
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    note = asked(page, "Status of “Zenith” is now “Offer”.", "Salary of “Zenith” is now empty.")
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(page.get_by_text("250 rows", exact=True)).to_be_visible()


def test_a_new_column_that_was_filled_since_goes_only_when_told(page: Page, scripted: ScriptedModel) -> None:
    added = {"action": "add", "column": {"name": "Priority", "type": "text"}, "after_column_id": "Company"}
    propose(page, scripted, "SCHEMA_PROPOSAL", added, mode="update")
    apply_button(page).click()
    head = page.get_by_role("columnheader", name="Priority", exact=True)
    expect(page.get_by_role("log")).to_contain_text("Applied 1 column change")
    expect(head).to_be_visible()
    changed_since(page, 1, Priority="high" + "!" * 100)
    expect(cell(page, 1, 1)).to_contain_text("high")
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    # Of a long text as much as a sentence can hold.
    note = asked(page, f"Priority of row 2 is now “high{'!' * 75}…”.")
    expect(head).to_be_visible()
    note.get_by_role("button", name="Overwrite later changes").press("Enter")
    expect(head).to_have_count(0)
    expect(page.get_by_role("log")).to_contain_text("Undone")


def test_what_is_undone_and_redone_elsewhere_is_still_the_last_step_here(page: Page, scripted: ScriptedModel) -> None:
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
