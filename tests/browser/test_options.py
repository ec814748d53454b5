"""Options of a select column, edited where they are: created in a cell, renamed, recoloured, moved and deleted."""
from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.held_responses import Held
from tests.browser.small_table import OpenTable, api, cell, saved, send, values

GIVEN = ["Applied", "Offer", "Rejected"]
SAVING = re.compile(r"/api/tables/\d+/columns/\w+/")
LIST = re.compile(r"/static/tables/option_list\.[0-9a-f]+\.js")


def status(page: Page) -> dict[str, Any]:
    """The select column as the server has it."""
    return next(each for each in send(page, "GET", api(page))["columns"] if each["name"] == "Status")


def changes(page: Page, *, last: int) -> list[str]:
    """What was done, the latest first."""
    return [each["summary"] for each in send(page, "GET", f"{api(page)}changes/")["changes"]][:last]


def options_shown(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Status").get_by_role("option")


def opened_editor(page: Page) -> Locator:
    """The editor of the options, opened from the menu of the column by keys."""
    cell(page, 0, 1).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    page.get_by_role("menuitem", name="Edit options").click()
    editor = page.get_by_role("dialog", name="Options of Status")
    expect(editor).to_be_visible()
    return editor


def settled(page: Page, **fields: Any) -> None:
    """These fields of the select column are what the server has, once it has been saved."""
    saved(page)
    now = status(page)
    assert {key: now[key] for key in fields} == fields


def test_an_option_is_created_while_typing_in_a_cell_and_undone_with_it(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 1).click()
    page.keyboard.type("Paused")
    expect(options_shown(page)).to_have_text(["Create “Paused”"])
    page.keyboard.press("Enter")
    expect(cell(page, 2, 1).locator(".badge")).to_have_attribute("data-c", "purple")
    settled(page, options=[*GIVEN, "Paused"])
    assert values(page)[2]["Status"] == "Paused"
    assert changes(page, last=2) == ["Changed 1 row, added option Paused to Status", "Added 3 rows"]
    page.keyboard.press("Control+z")
    expect(cell(page, 2, 1)).to_have_text("Applied")
    settled(page, options=GIVEN)
    page.keyboard.press("Control+Shift+z")
    expect(cell(page, 2, 1)).to_have_text("Paused")
    settled(page, options=[*GIVEN, "Paused"])


def test_what_is_an_option_up_to_case_is_chosen_and_not_created(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 1).click()
    page.keyboard.type("offer")
    expect(options_shown(page)).to_have_text(["Offer"])
    page.keyboard.press("Enter")
    expect(cell(page, 2, 1)).to_have_text("Offer")
    settled(page, options=GIVEN)


def test_a_search_that_is_left_half_typed_creates_nothing(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 2, 1).click()
    page.keyboard.type("Paused")
    expect(options_shown(page)).to_have_count(1)
    cell(page, 0, 2).click()
    expect(cell(page, 2, 1)).to_have_text("Applied")
    # What is written next is saved after what was written before it.
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    settled(page, options=GIVEN)
    assert [row.get("Status") for row in values(page)] == ["Applied", "Offer", "Applied"]


def test_an_option_is_taken_with_tab_although_the_list_is_still_loading(open_table: OpenTable) -> None:
    page = open_table()
    held = Held(page, LIST)
    cell(page, 2, 1).click()
    page.keyboard.type("Paused")
    held.asked()
    page.keyboard.press("Tab")
    held.let_go()
    expect(cell(page, 2, 1)).to_have_text("Paused")
    expect(cell(page, 2, 2)).to_have_class(re.compile("is-focus"))
    settled(page, options=[*GIVEN, "Paused"])


def test_an_option_is_taken_with_tab_in_the_details_although_the_list_is_still_loading(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 1, 0).click()
    page.keyboard.press("Shift+Enter")
    field = page.get_by_role("dialog", name="Bolt").get_by_role("combobox", name="Status")
    held = Held(page, LIST)
    field.fill("Paused")
    held.asked()
    field.press("Tab")
    held.let_go()
    expect(options_shown(page)).to_have_count(0)
    expect(field).to_have_value("Paused")
    settled(page, options=[*GIVEN, "Paused"])


def test_a_new_row_brings_an_option_along(open_table: OpenTable) -> None:
    page = open_table()
    page.get_by_role("button", name="Add row").click()
    page.keyboard.press("Tab")
    page.keyboard.type("Paused")
    expect(options_shown(page)).to_have_text(["Create “Paused”"])
    page.keyboard.press("Enter")
    draft = page.locator("tr.is-draft")
    draft.locator("td.cell").first.click()
    page.keyboard.type("Dyno")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    settled(page, options=[*GIVEN, "Paused"])
    assert values(page)[3] == {"Company": "Dyno", "Status": "Paused"}


def test_an_option_is_created_in_the_details_of_a_row_on_a_phone(open_table: OpenTable) -> None:
    page = open_table(width=390)
    cell(page, 1, 0).click()
    page.keyboard.press("Shift+Enter")
    sheet = page.get_by_role("dialog", name="Bolt")
    field = sheet.get_by_role("combobox", name="Status")
    field.fill("Paused")
    options_shown(page).get_by_text("Create “Paused”").click()
    expect(field).to_have_value("Paused")
    settled(page, options=[*GIVEN, "Paused"])
    assert values(page)[1]["Status"] == "Paused"


def test_a_reader_cannot_edit_options(open_table: OpenTable) -> None:
    page = open_table()
    # What the server says of the role would take this one's place.
    page.route_web_socket(re.compile("/ws/tables/"), lambda socket: None)
    page.reload()
    expect(page.get_by_role("button", name="Add row")).to_be_enabled()
    page.evaluate("document.querySelector('table-grid').takeRole('viewer')")
    cell(page, 0, 1).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    expect(page.get_by_role("menuitem", name="Hide column")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Edit options")).to_have_count(0)


def test_an_option_is_renamed_in_its_place_as_one_change(open_table: OpenTable) -> None:
    page = open_table()
    editor = opened_editor(page)
    name = editor.get_by_role("textbox", name="Name of Applied")
    name.fill("Sent")
    name.press("Enter")
    expect(editor.get_by_role("textbox", name="Name of Sent")).to_be_focused()
    expect(cell(page, 2, 1)).to_have_text("Sent")
    settled(page, options=["Sent", "Offer", "Rejected"])
    assert status(page)["optionColors"]["Sent"] == "blue"
    assert [row["Status"] for row in values(page)] == ["Sent", "Offer", "Sent"]
    page.keyboard.press("Escape")
    expect(editor).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(cell(page, 2, 1)).to_have_text("Applied")
    settled(page, options=GIVEN)


def test_a_name_that_is_taken_is_refused_where_it_is_typed(open_table: OpenTable) -> None:
    page = open_table()
    editor = opened_editor(page)
    name = editor.get_by_role("textbox", name="Name of Applied")
    name.fill("offer")
    name.press("Enter")
    expect(editor.get_by_role("alert")).to_have_text("An option “Offer” already exists.")
    assert status(page)["options"] == GIVEN


def test_an_option_gets_another_color_by_keys(open_table: OpenTable) -> None:
    page = open_table()
    editor = opened_editor(page)
    editor.get_by_role("button", name="Color of Offer: Orange").press("Enter")
    swatches = editor.get_by_role("group", name="Color of Offer").get_by_role("button")
    expect(swatches).to_have_count(12)
    expect(swatches.nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(editor.get_by_role("button", name="Color of Offer: Lime")).to_be_focused()
    expect(cell(page, 1, 1).locator(".badge")).to_have_attribute("data-c", "lime")
    settled(page, optionColors={"Applied": "blue", "Offer": "lime", "Rejected": "teal"})


def test_what_is_typed_while_a_color_is_saved_stays_and_is_saved_after_it(open_table: OpenTable) -> None:
    page = open_table()
    editor = opened_editor(page)
    held = Held(page, SAVING)
    editor.get_by_role("button", name="Color of Applied: Blue").click()
    editor.get_by_role("group", name="Color of Applied").get_by_role("button", name="Lime").click()
    held.asked()
    name = editor.get_by_role("textbox", name="Name of Offer")
    name.fill("Off")
    held.let_go()
    expect(editor.get_by_role("button", name="Color of Applied: Lime")).to_be_visible()
    expect(name).to_be_focused()
    expect(name).to_have_value("Off")
    editor.get_by_role("textbox", name="Add an option to Status").fill("Paused")
    settled(page, options=["Applied", "Off", "Rejected"])
    cell(page, 0, 0).click()
    expect(editor).to_have_count(0)
    settled(page, options=["Applied", "Off", "Rejected", "Paused"])


def test_options_are_moved_by_keys_and_by_dragging(open_table: OpenTable) -> None:
    page = open_table()
    editor = opened_editor(page)
    editor.get_by_role("textbox", name="Name of Applied").press("Alt+ArrowDown")
    handle = editor.get_by_role("button", name="Move Applied.")
    expect(handle).to_be_focused()
    settled(page, options=["Offer", "Applied", "Rejected"])
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
    settled(page, options=["Rejected", "Offer", "Applied"])
    assert status(page)["optionColors"] == {"Applied": "blue", "Offer": "orange", "Rejected": "teal"}
    assert changes(page, last=3) == ["Changed column Status", "Changed column Status", "Added 3 rows"]


def test_deleting_an_option_says_how_many_rows_use_it_and_can_be_undone(open_table: OpenTable) -> None:
    page = open_table()
    editor = opened_editor(page)
    editor.get_by_role("button", name="Delete Applied").click()
    question = editor.get_by_role("group", name="Delete Applied")
    expect(question.get_by_text("2 rows use “Applied”. Their cells will be cleared.")).to_be_visible()
    expect(question.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Enter")
    settled(page, options=["Offer", "Rejected"])
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(cell(page, 2, 1)).to_have_text("Applied")
    settled(page, options=GIVEN)


def test_an_option_that_no_row_uses_is_deleted_at_once_and_the_last_one_never(open_table: OpenTable) -> None:
    page = open_table([{"Company": "Acme"}])
    editor = opened_editor(page)
    for option in ("Applied", "Offer"):
        editor.get_by_role("button", name=f"Delete {option}").click()
        expect(editor.get_by_role("button", name=f"Delete {option}")).to_have_count(0)
    expect(editor.get_by_role("button", name="Delete Rejected")).to_have_attribute("aria-disabled", "true")
    settled(page, options=["Rejected"])


def test_an_option_is_added_in_the_editor_that_the_list_of_a_cell_opens(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 1).dblclick()
    options_shown(page).get_by_text("Edit options").click()
    field = page.get_by_role("dialog", name="Options of Status").get_by_role("textbox", name="Add an option to Status")
    expect(field).to_be_focused()
    field.fill("Paused")
    field.press("Enter")
    settled(page, options=[*GIVEN, "Paused"])
    assert status(page)["optionColors"]["Paused"] == "purple"
