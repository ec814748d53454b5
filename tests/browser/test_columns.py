"""The menu of a column: sort, hide, width, moves for everybody, and the two ways to the assistant."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, OpenTable, cell, saved, send, share_table


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def menu(page: Page, name: str) -> Locator:
    """The menu of this column, opened with its button."""
    head(page, name).hover()
    head(page, name).get_by_role("button", name="Column menu").click()
    return page.get_by_role("menu", name=name)


def order(page: Page) -> list[str]:
    table = re.search(r"/tables/(\d+)/", page.url)
    assert table is not None
    return [column["name"] for column in send(page, "GET", f"/api/tables/{table[1]}/")["columns"]]


def columns_are(page: Page, *names: str) -> None:
    expect(page.get_by_role("grid").get_by_role("columnheader").get_by_role("link")).to_have_text(list(names))


def test_rows_are_sorted_from_the_menu_and_the_menu_says_how(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Salary").get_by_role("menuitemradio", name="Sort descending").click()
    expect(head(page, "Salary")).to_have_attribute("aria-sort", "descending")
    expect(cell(page, 0, 0)).to_have_text("Bolt")
    opened = menu(page, "Salary")
    expect(opened.get_by_role("menuitemradio", name="Sort descending")).to_be_checked()
    expect(opened.get_by_role("menuitemradio", name="Sort ascending")).not_to_be_checked()
    opened.get_by_role("menuitem", name="Remove sorting").click()
    expect(head(page, "Salary")).not_to_have_attribute("aria-sort", "descending")
    expect(cell(page, 0, 0)).to_have_text("Acme")


def test_a_column_is_hidden_from_its_menu_for_oneself_and_shown_again(open_table: OpenTable) -> None:
    page = open_table()
    with page.expect_response(lambda answer: answer.url.endswith("/view/") and answer.ok):
        menu(page, "Status").get_by_role("menuitem", name="Hide column").click()
    expect(head(page, "Status")).to_have_count(0)
    assert "Status" in order(page)
    expect(page.get_by_role("button", name="Visible columns, 1 hidden")).to_be_visible()
    page.reload()
    expect(head(page, "Salary")).to_be_visible()
    expect(head(page, "Status")).to_have_count(0)
    page.get_by_role("button", name="Visible columns, 1 hidden").click()
    page.get_by_role("button", name="Show all columns").click()
    expect(head(page, "Status")).to_be_visible()


def test_the_menu_is_opened_walked_and_left_by_keys(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 2).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    opened = page.get_by_role("menu", name="Salary")
    expect(opened.get_by_role("menuitemradio", name="Sort ascending")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(opened.get_by_role("menuitem").last).to_be_focused()
    page.keyboard.press("h")
    expect(opened.get_by_role("menuitem", name="Hide column")).to_be_focused()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(page.get_by_role("grid")).to_be_focused()
    expect(cell(page, 0, 2)).to_have_class(re.compile("is-focus"))
    head(page, "Due").get_by_role("link").focus()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menu", name="Due").get_by_role("menuitemradio").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(head(page, "Due").get_by_role("button", name="Column menu")).to_be_focused()


def test_a_column_gets_its_width_from_the_arrow_keys_and_keeps_it(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Status").get_by_role("menuitem", name="Change width").click()
    edge = head(page, "Status").get_by_role("separator", name="Width of Status")
    expect(edge).to_be_focused()
    before = int(edge.get_attribute("aria-valuenow") or 0)
    for key in ("ArrowRight", "Shift+ArrowRight", "ArrowLeft"):
        with page.expect_response(lambda answer: answer.url.endswith("/view/") and answer.ok):
            page.keyboard.press(key)
    expect(edge).to_have_attribute("aria-valuenow", str(before + 64))
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_be_focused()
    page.reload()
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    drawn = head(page, "Status").bounding_box()
    assert drawn is not None
    assert round(drawn["width"]) == before + 64
    # Pressed twice, its edge does the same as "Automatic width" in the menu.
    page.mouse.dblclick(drawn["x"] + drawn["width"] - 2, drawn["y"] + 10)
    expect(page.locator("colgroup col[width]")).to_have_count(0)
    assert "sort=" not in page.url


def test_a_column_is_moved_for_everybody_and_back_with_one_undo(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Salary").get_by_role("menuitem", name="Move left").click()
    # Under the pointer it stays.
    page.get_by_role("status").get_by_role("button", name="Undo").hover()
    saved(page)
    columns_are(page, "Company", "Salary", "Status", "Due", "Remote")
    assert order(page)[:3] == ["Company", "Salary", "Status"]
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    columns_are(page, "Company", "Status", "Salary", "Due", "Remote")
    assert order(page)[:3] == ["Company", "Status", "Salary"]
    expect(menu(page, "Company").get_by_role("menuitem", name="Move left")).to_be_disabled()


def test_the_cursor_goes_along_with_the_column_it_moves(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 0).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    expect(page.get_by_role("menu", name="Company")).to_be_visible()
    for key in "m":
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Move right")).to_be_focused()
    page.keyboard.press("Enter")
    columns_are(page, "Status", "Company", "Salary", "Due", "Remote")
    expect(cell(page, 0, 1)).to_have_class(re.compile("is-focus"))
    expect(cell(page, 0, 1)).to_have_text("Acme")
    expect(page.get_by_role("grid")).to_be_focused()


def test_a_head_is_dragged_to_another_place_and_left_where_it_was_with_escape(open_table: OpenTable) -> None:
    page = open_table()
    start, end = (head(page, name).bounding_box() for name in ("Due", "Company"))
    assert start is not None
    assert end is not None
    for key in ("Escape", ""):
        page.mouse.move(start["x"] + 40, start["y"] + 10)
        page.mouse.down()
        page.mouse.move(end["x"] + end["width"] - 20, end["y"] + 10, steps=4)
        expect(head(page, "Company")).to_have_class(re.compile("is-drop-after"))
        if key:
            page.keyboard.press(key)
            expect(head(page, "Company")).not_to_have_class(re.compile("is-drop-after"))
            # To let go over the head where it began is no click on it.
            page.mouse.move(start["x"] + 40, start["y"] + 10)
        page.mouse.up()
        if key:
            assert "sort=" not in page.url
            assert order(page)[1] == "Status"
    columns_are(page, "Company", "Due", "Status", "Salary", "Remote")
    assert order(page) == ["Company", "Due", "Status", "Salary", "Remote"]
    assert "sort=" not in page.url


def test_a_head_is_dragged_to_a_place_that_was_out_of_sight(open_table: OpenTable) -> None:
    page = open_table(width=820)
    start, sight = (place.bounding_box() for place in (head(page, "Status"), page.locator(".grid-scroll")))
    assert start is not None
    assert sight is not None
    expect(head(page, "Remote")).not_to_be_in_viewport(ratio=0.5)
    page.mouse.move(start["x"] + 40, start["y"] + 10)
    page.mouse.down()
    # Held at the edge, no further: what is past it comes.
    page.mouse.move(sight["x"] + sight["width"] - 4, start["y"] + 10, steps=4)
    expect(head(page, "Remote")).to_have_class(re.compile("is-drop-after"))
    page.mouse.up()
    columns_are(page, "Company", "Salary", "Due", "Remote", "Status")


def test_what_a_head_shows_under_the_mouse_covers_nothing_of_it(open_table: OpenTable) -> None:
    page = open_table()
    head(page, "Status").get_by_role("link").click()
    expect(head(page, "Status")).to_have_attribute("aria-sort", "ascending")
    # With the rows the heads are drawn once more.
    expect(cell(page, 1, 0)).to_have_text("Crux")
    for name, shown in (("Salary", ".col > span"), ("Status", ".col__sort")):
        head(page, name).hover()
        opens = head(page, name).get_by_role("button", name="Column menu")
        expect(opens).to_be_visible()
        button = opens.bounding_box()
        beside = head(page, name).locator(shown).first.bounding_box()
        assert button is not None
        assert beside is not None
        assert button["width"] >= 24
        assert button["x"] + button["width"] <= beside["x"] or beside["x"] + beside["width"] <= button["x"]


def test_the_assistant_is_asked_about_a_column_in_words_one_can_finish(open_table: OpenTable) -> None:
    page = open_table()
    composer = page.get_by_role("textbox", name="Message the assistant")
    opened = menu(page, "Salary")
    # The demo model cannot fill columns.
    expect(opened.get_by_role("menuitem", name="Fill with the assistant")).to_have_count(0)
    asking = opened.get_by_role("menuitem", name="Ask the assistant about this column")
    expect(asking).to_be_in_viewport(ratio=1)
    asking.click()
    expect(composer).to_be_focused()
    expect(composer).to_have_value("About the column “Salary”: ")


def test_the_way_to_the_edit_page_leads_to_the_column(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Salary").get_by_role("menuitem", name="Edit column").click()
    expect(page.locator("li.is-open").get_by_label("Column name")).to_have_value("Salary")
    expect(page.locator("li.is-open").get_by_label("Column name")).to_be_focused()


def test_who_may_only_read_can_sort_and_hide_and_changes_nothing_for_others(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=app.link_for_new_user("columns_owner"))
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    other = open_page(sign_in=app.link_for_new_user("columns_viewer"))
    share_table(page, other, f"/tables/{table['id']}/")
    other.goto(f"{app.address}/tables/{table['id']}/")
    expect(other.get_by_role("grid")).to_have_attribute("tabindex", "0")
    opened = menu(other, "Salary")
    expect(opened.get_by_role("menuitemradio", name="Sort ascending")).to_be_visible()
    expect(opened.get_by_role("menuitem", name="Hide column")).to_be_visible()
    for act in ("Move left", "Edit column", "Add a column", "Fill with the assistant"):
        expect(opened.get_by_role("menuitem", name=act)).to_have_count(0)


def test_on_a_phone_the_menu_lies_within_the_screen_and_what_it_hides_comes_back(open_table: OpenTable) -> None:
    page = open_table(width=390)
    opened = menu(page, "Company")
    box = opened.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    opened.get_by_role("menuitem", name="Hide column").click()
    expect(head(page, "Company")).to_have_count(0)
    page.get_by_role("button", name="Visible columns, 1 hidden").click()
    page.get_by_role("button", name="Show all columns").click()
    expect(head(page, "Company")).to_be_visible()


def test_a_column_is_duplicated_with_its_values_and_deleted_each_with_one_undo(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Status").get_by_role("menuitem", name="Duplicate column").click()
    expect(page.get_by_text("Added Status (copy)")).to_be_visible()
    columns_are(page, "Company", "Status", "Status (copy)", "Salary", "Due", "Remote")
    expect(cell(page, 1, 2)).to_have_text("Offer")
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    columns_are(page, "Company", "Status", "Salary", "Due", "Remote")
    menu(page, "Status").get_by_role("menuitem", name="Delete column").click()
    columns_are(page, "Company", "Salary", "Due", "Remote")
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    columns_are(page, "Company", "Status", "Salary", "Due", "Remote")
    expect(cell(page, 1, 1)).to_have_text("Offer")


def test_whole_columns_are_selected_from_the_menu_and_by_their_heads(open_table: OpenTable) -> None:
    page = open_table()
    selected = page.locator('td.cell[aria-selected="true"]')
    menu(page, "Status").get_by_role("menuitem", name="Select column").click()
    expect(selected).to_have_text(["Applied", "Offer", "Applied"])
    expect(page.get_by_role("grid")).to_be_focused()
    head(page, "Due").get_by_role("link").click(modifiers=["Shift"])
    expect(selected).to_have_count(9)
    assert "sort=" not in page.url
    page.keyboard.press("Escape")
    head(page, "Company").get_by_role("link").click(modifiers=["ControlOrMeta"])
    expect(selected).to_have_text(["Acme", "Bolt", "Crux"])
    # Without selected columns, it is one more to sort by.
    page.keyboard.press("Escape")
    head(page, "Due").get_by_role("link").click(modifiers=["Shift"])
    expect(head(page, "Due")).to_have_attribute("aria-sort", "ascending")
