"""Options of a select column: created in a cell; renamed, recolored, moved and deleted in the editor."""
from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import OpenTable, api, cell, saved, send, values

OPTIONS = ["Applied", "Offer", "Rejected"]
COLUMN_URL = re.compile(r"/api/tables/\d+/columns/\w+/")
LIST_MODULE = re.compile(r"/static/tables/combobox\.[0-9a-f]+\.js")


def status(page: Page) -> dict[str, Any]:
    """Return the select column stored on the server."""
    return next(column for column in send(page, "GET", api(page))["columns"] if column["name"] == "Status")


def changes(page: Page, *, last: int) -> list[str]:
    """Return the summaries of the last changes, latest first."""
    return [change["summary"] for change in send(page, "GET", f"{api(page)}changes/")["changes"]][:last]


def options_shown(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Status").get_by_role("option")


def open_editor(page: Page) -> Locator:
    """Open the editor of the options by keyboard and return it."""
    cell(page, 0, 1).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    page.get_by_role("menuitem", name="Edit options").click()
    editor = page.get_by_role("dialog", name="Options of Status")
    expect(editor).to_be_visible()
    return editor


def expect_stored(page: Page, **fields: Any) -> None:
    """Wait until all is saved, and expect these fields of the stored select column."""
    saved(page)
    stored = status(page)
    assert {key: stored[key] for key in fields} == fields


def test_typing_in_a_cell_or_a_new_row_creates_an_option_and_undo_removes_it(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 1).click()
    page.keyboard.type("Paused")
    expect(options_shown(page)).to_have_text(["Create “Paused”"])
    page.keyboard.press("Enter")
    expect(cell(page, 2, 1).locator(".badge")).to_have_attribute("data-c", "purple")
    expect_stored(page, options=[*OPTIONS, "Paused"])
    assert values(page)[2]["Status"] == "Paused"
    assert changes(page, last=2) == ["Changed 1 row, added option Paused to Status", "Created “Jobs”"]
    page.keyboard.press("Control+z")
    expect(cell(page, 2, 1)).to_have_text("Applied")
    expect_stored(page, options=OPTIONS)
    page.keyboard.press("Control+Shift+z")
    expect(cell(page, 2, 1)).to_have_text("Paused")
    expect_stored(page, options=[*OPTIONS, "Paused"])

    page.get_by_role("button", name="Add row").click()
    page.keyboard.press("Tab")
    page.keyboard.type("Waiting")
    expect(options_shown(page)).to_have_text(["Create “Waiting”"])
    page.keyboard.press("Enter")
    draft = page.locator("tr.is-draft")
    draft.locator("td.cell").first.click()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect_stored(page, options=[*OPTIONS, "Paused", "Waiting"])
    assert values(page)[3] == {"Company": "Dyno", "Status": "Waiting"}


def test_typing_creates_no_option_if_it_exists_in_another_case_or_the_search_is_left(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 1).click()
    page.keyboard.press("Enter")
    active = page.locator("#option-list .is-active")
    expect(active).to_have_text("Applied")
    page.keyboard.press("ArrowDown")
    expect(active).to_have_text(OPTIONS[1])
    expect(page.get_by_role("combobox", name="Status")).to_have_attribute("aria-activedescendant", "option-1")
    page.keyboard.press("Escape")
    page.keyboard.type("Paused")
    expect(options_shown(page)).to_have_count(1)
    cell(page, 0, 2).click()
    expect(cell(page, 2, 1)).to_have_text("Applied")
    # Edits are saved in order.
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect_stored(page, options=OPTIONS)
    assert [row.get("Status") for row in values(page)] == ["Applied", "Offer", "Applied"]
    cell(page, 2, 1).click()
    page.keyboard.type("offer")
    expect(options_shown(page)).to_have_text(["Offer"])
    page.keyboard.press("Enter")
    expect(cell(page, 2, 1)).to_have_text("Offer")
    expect_stored(page, options=OPTIONS)


def test_tab_selects_an_option_while_the_list_is_loading(open_table: OpenTable) -> None:
    page = open_table()
    held = HeldRequests(page, LIST_MODULE)
    cell(page, 2, 1).click()
    page.keyboard.type("Paused")
    held.wait_for_request()
    page.keyboard.press("Tab")
    held.release()
    expect(cell(page, 2, 1)).to_have_text("Paused")
    expect(cell(page, 2, 2)).to_have_class(re.compile("is-focus"))
    expect_stored(page, options=[*OPTIONS, "Paused"])


def test_options_are_created_in_the_row_details(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 1, 0).click()
    page.keyboard.press("Shift+Enter")
    sheet = page.get_by_role("dialog", name="Bolt")
    field, chips = sheet.get_by_role("combobox", name="Status"), sheet.locator(".chipfield .badge")
    field.fill("Paused")
    field.press("Tab")
    expect(options_shown(page)).to_have_count(0)
    expect(chips).to_have_text(["Paused"])
    expect_stored(page, options=[*OPTIONS, "Paused"])

    page.set_viewport_size({"width": 390, "height": 844})
    field.fill("Waiting")
    options_shown(page).get_by_text("Create “Waiting”").click()
    expect(chips).to_have_text(["Waiting"])
    expect_stored(page, options=[*OPTIONS, "Paused", "Waiting"])
    assert values(page)[1]["Status"] == "Waiting"


def test_options_are_recolored_and_renamed_as_one_change_each_also_during_a_save(open_table: OpenTable) -> None:
    page = open_table()
    editor = open_editor(page)
    editor.get_by_role("button", name="Color of Offer: Orange").press("Enter")
    swatches = editor.get_by_role("group", name="Color of Offer").get_by_role("button")
    expect(swatches).to_have_count(12)
    expect(swatches.nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(editor.get_by_role("button", name="Color of Offer: Lime")).to_be_focused()
    expect(cell(page, 1, 1).locator(".badge")).to_have_attribute("data-c", "lime")
    expect_stored(page, optionColors={"Applied": "blue", "Offer": "lime", "Rejected": "teal"})
    name = editor.get_by_role("textbox", name="Name of Applied")
    name.fill("offer")
    name.press("Enter")
    expect(editor.get_by_role("alert")).to_have_text("An option “Offer” already exists.")
    assert status(page)["options"] == OPTIONS
    name.fill("Sent")
    name.press("Enter")
    expect(editor.get_by_role("textbox", name="Name of Sent")).to_be_focused()
    expect(cell(page, 2, 1)).to_have_text("Sent")
    expect_stored(page, options=["Sent", "Offer", "Rejected"])
    assert status(page)["optionColors"]["Sent"] == "blue"
    assert [row["Status"] for row in values(page)] == ["Sent", "Offer", "Sent"]
    page.keyboard.press("Escape")
    expect(editor).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(cell(page, 2, 1)).to_have_text("Applied")
    expect_stored(page, options=OPTIONS)

    editor = open_editor(page)
    held = HeldRequests(page, COLUMN_URL)
    editor.get_by_role("button", name="Color of Applied: Blue").click()
    editor.get_by_role("group", name="Color of Applied").get_by_role("button", name="Lime").click()
    held.wait_for_request()
    name = editor.get_by_role("textbox", name="Name of Offer")
    name.fill("Off")
    held.release()
    expect(editor.get_by_role("button", name="Color of Applied: Lime")).to_be_visible()
    expect(name).to_be_focused()
    expect(name).to_have_value("Off")
    editor.get_by_role("textbox", name="Add an option to Status").fill("Paused")
    expect_stored(page, options=["Applied", "Off", "Rejected"])
    cell(page, 0, 0).click()
    expect(editor).to_have_count(0)
    expect_stored(page, options=["Applied", "Off", "Rejected", "Paused"])


def test_options_are_moved_by_keyboard_and_by_dragging(open_table: OpenTable) -> None:
    page = open_table()
    editor = open_editor(page)
    editor.get_by_role("textbox", name="Name of Applied").press("Alt+ArrowDown")
    handle = editor.get_by_role("button", name="Move Applied.")
    expect(handle).to_be_focused()
    expect_stored(page, options=["Offer", "Applied", "Rejected"])
    source = editor.get_by_role("button", name="Move Rejected.").bounding_box()
    target = editor.get_by_role("button", name="Move Offer.").bounding_box()
    assert source is not None
    assert target is not None
    page.mouse.move(source["x"] + 5, source["y"] + 10)
    page.mouse.down()
    page.mouse.move(source["x"] + 5, target["y"] + 20, steps=4)
    page.mouse.move(source["x"] + 5, target["y"] + 2, steps=4)
    page.mouse.up()
    expect(editor.get_by_role("textbox").first).to_have_accessible_name("Name of Rejected")
    expect_stored(page, options=["Rejected", "Offer", "Applied"])
    assert status(page)["optionColors"] == {"Applied": "blue", "Offer": "orange", "Rejected": "teal"}
    assert changes(page, last=3) == ["Changed column Status", "Changed column Status", "Created “Jobs”"]


def test_options_are_added_and_deleted_with_a_question_if_rows_use_them_and_the_last_one_never(
    open_table: OpenTable,
) -> None:
    page = open_table()
    cell(page, 0, 1).dblclick()
    options_shown(page).get_by_text("Edit options").click()
    editor = page.get_by_role("dialog", name="Options of Status")
    field = editor.get_by_role("textbox", name="Add an option to Status")
    expect(field).to_be_focused()
    field.fill("Paused")
    field.press("Enter")
    expect_stored(page, options=[*OPTIONS, "Paused"])
    assert status(page)["optionColors"]["Paused"] == "purple"
    editor.get_by_role("button", name="Delete Paused").click()
    expect(editor.get_by_role("button", name="Delete Paused")).to_have_count(0)
    editor.get_by_role("button", name="Delete Rejected").click()
    expect(editor.get_by_role("button", name="Delete Rejected")).to_have_count(0)
    expect_stored(page, options=["Applied", "Offer"])
    editor.get_by_role("button", name="Delete Applied").click()
    question = editor.get_by_role("group", name="Delete Applied")
    expect(question.get_by_text("2 rows use “Applied”. Their cells will be cleared.")).to_be_visible()
    expect(question.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Enter")
    expect_stored(page, options=["Offer"])
    expect(editor.get_by_role("button", name="Delete Offer")).to_have_attribute("aria-disabled", "true")
    page.locator(".toast").get_by_role("button", name="Undo").last.click()
    expect(cell(page, 2, 1)).to_have_text("Applied")
    expect_stored(page, options=["Applied", "Offer"])
