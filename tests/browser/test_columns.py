"""The column menu: sorting, hiding, width, moving for all users, and asking the assistant."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.small_table import OpenTable, api, cell, row_ids, saved, send, values


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def menu(page: Page, name: str) -> Locator:
    """Open the menu of a column with its button and return it."""
    head(page, name).hover()
    head(page, name).get_by_role("button", name="Column menu").click()
    return page.get_by_role("menu", name=name)


def order(page: Page) -> list[str]:
    table = re.search(r"/tables/(\d+)/", page.url)
    assert table is not None
    return [column["name"] for column in send(page, "GET", f"/api/tables/{table[1]}/")["columns"]]


def expect_columns(page: Page, *names: str) -> None:
    expect(page.get_by_role("grid").get_by_role("columnheader").get_by_role("link")).to_have_text(list(names))


def test_the_column_menu_sorts_rows_and_hides_a_column_for_the_user_only(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Salary").get_by_role("menuitemradio", name="Sort highest first").click()
    expect(head(page, "Salary")).to_have_attribute("aria-sort", "descending")
    expect(cell(page, 0, 0)).to_have_text("Bolt")
    opened = menu(page, "Salary")
    expect(opened.get_by_role("menuitemradio", name="Sort highest first")).to_be_checked()
    expect(opened.get_by_role("menuitemradio", name="Sort lowest first")).not_to_be_checked()
    opened.get_by_role("menuitem", name="Remove sorting").click()
    expect(head(page, "Salary")).not_to_have_attribute("aria-sort", "descending")
    expect(cell(page, 0, 0)).to_have_text("Acme")

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

    page.keyboard.press("Escape")

    # The menu fits a phone.
    page.set_viewport_size({"width": 390, "height": 844})
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


def test_the_column_menu_moves_columns_and_sets_their_width_by_keyboard(open_table: OpenTable) -> None:
    page = open_table()
    cell(page, 0, 2).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    opened = page.get_by_role("menu", name="Salary")
    expect(opened.get_by_role("menuitemradio", name="Sort lowest first")).to_be_focused()
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

    cell(page, 0, 0).click()
    page.keyboard.press("Alt+Shift+ArrowDown")
    expect(page.get_by_role("menu", name="Company")).to_be_visible()
    for key in "m":
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Move right")).to_be_focused()
    page.keyboard.press("Enter")
    expect_columns(page, "Status", "Company", "Salary", "Due", "Remote")
    expect(cell(page, 0, 1)).to_have_class(re.compile("is-focus"))
    expect(cell(page, 0, 1)).to_have_text("Acme")
    expect(page.get_by_role("grid")).to_be_focused()
    _change_width(page)


def _change_width(page: Page) -> None:
    """Change the width of Status by keyboard, and back by a double click."""
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
    # A double click on the edge does the same as "Automatic width" in the menu.
    page.mouse.dblclick(drawn["x"] + drawn["width"] - 2, drawn["y"] + 10)
    expect(page.locator("colgroup col[width]")).to_have_count(0)
    assert "sort=" not in page.url


def test_a_column_is_moved_also_by_dragging_duplicated_and_deleted_for_all_users(open_table: OpenTable) -> None:
    page = open_table()
    menu(page, "Salary").get_by_role("menuitem", name="Move left").click()
    # A toast does not time out under the pointer.
    page.get_by_role("status").get_by_role("button", name="Undo").hover()
    saved(page)
    expect_columns(page, "Company", "Salary", "Status", "Due", "Remote")
    assert order(page)[:3] == ["Company", "Salary", "Status"]
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect_columns(page, "Company", "Status", "Salary", "Due", "Remote")
    assert order(page)[:3] == ["Company", "Status", "Salary"]
    expect(menu(page, "Company").get_by_role("menuitem", name="Move left")).to_be_disabled()

    page.keyboard.press("Escape")

    menu(page, "Status").get_by_role("menuitem", name="Duplicate column").click()
    expect(page.get_by_text("Added Status (copy)")).to_be_visible()
    expect_columns(page, "Company", "Status", "Status (copy)", "Salary", "Due", "Remote")
    expect(cell(page, 1, 2)).to_have_text("Offer")
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+z")
    expect_columns(page, "Company", "Status", "Salary", "Due", "Remote")
    menu(page, "Status").get_by_role("menuitem", name="Delete column").click()
    expect_columns(page, "Company", "Salary", "Due", "Remote")
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect_columns(page, "Company", "Status", "Salary", "Due", "Remote")
    expect(cell(page, 1, 1)).to_have_text("Offer")
    _drag_headers(page)


def _drag_headers(page: Page) -> None:
    """Drag a header, without and with Escape, and to the edge of a narrow page."""
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
            # Dropping a header where the drag started is not a click.
            page.mouse.move(start["x"] + 40, start["y"] + 10)
        page.mouse.up()
        if key:
            assert "sort=" not in page.url
            assert order(page)[1] == "Status"
    expect_columns(page, "Company", "Due", "Status", "Salary", "Remote")
    assert order(page) == ["Company", "Due", "Status", "Salary", "Remote"]
    assert "sort=" not in page.url

    page.set_viewport_size({"width": 820, "height": 900})
    start, sight = (place.bounding_box() for place in (head(page, "Status"), page.locator(".grid-scroll")))
    assert start is not None
    assert sight is not None
    expect(head(page, "Remote")).not_to_be_in_viewport(ratio=0.5)
    page.mouse.move(start["x"] + 40, start["y"] + 10)
    page.mouse.down()
    # Holding the header at the edge scrolls.
    page.mouse.move(sight["x"] + sight["width"] - 4, start["y"] + 10, steps=4)
    expect(head(page, "Remote")).to_have_class(re.compile("is-drop-after"))
    page.mouse.up()
    expect_columns(page, "Company", "Due", "Salary", "Remote", "Status")


def test_columns_are_selected_by_their_headers_whose_menu_starts_messages_and_edits(open_table: OpenTable) -> None:
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
    # Without selected columns, the click adds the column to the sort order.
    page.keyboard.press("Escape")
    head(page, "Due").get_by_role("link").click(modifiers=["Shift"])
    expect(head(page, "Due")).to_have_attribute("aria-sort", "ascending")

    head(page, "Status").get_by_role("link").click()
    expect(head(page, "Status")).to_have_attribute("aria-sort", "ascending")
    # The headers are drawn again together with the rows.
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

    composer = page.get_by_role("textbox", name="Message the assistant")
    opened = menu(page, "Salary")
    expect(opened.get_by_role("menuitem", name="Fill with the assistant")).to_be_visible()
    asking = opened.get_by_role("menuitem", name="Ask the assistant about this column")
    expect(asking).to_be_in_viewport(ratio=1)
    asking.click()
    expect(composer).to_be_focused()
    expect(composer).to_have_value("About the column “Salary”: ")
    menu(page, "Salary").get_by_role("menuitem", name="Edit column").click()
    expect(page.locator("li.is-open").get_by_label("Column name")).to_have_value("Salary")
    expect(page.locator("li.is-open").get_by_label("Column name")).to_be_focused()


def test_values_of_computed_columns_are_shown_but_not_edited(open_table: OpenTable) -> None:
    page = open_table()
    for name, kind in (("No", "autonumber"), ("Changed", "updated_at")):
        send(page, "POST", f"{api(page)}columns/", {"name": name, "type": kind})
    page.reload()
    cell(page, 0, 5).dblclick()
    expect(page.get_by_text("Values of “No” cannot be edited.")).to_be_visible()
    expect(page.locator(".is-editing")).to_have_count(0)
    # A change by another page.
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[0]}/", {"data": {"Company": "Elsewhere"}})
    # Moments have minutes only, so that of the change may be that of before.
    expect(cell(page, 0, 0)).to_have_text("Elsewhere")
    expect(cell(page, 0, 6).locator("time")).to_have_attribute("datetime", values(page)[0]["Changed"])
    cell(page, 0, 5).click(button="right")
    page.get_by_role("menuitem", name="Duplicate row").click()
    expect(cell(page, 1, 0)).to_have_text("Elsewhere")
    expect(cell(page, 1, 5)).to_have_text("4")
