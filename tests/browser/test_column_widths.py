"""Hidden columns and column widths: stored per user, and ignored while a proposal is reviewed."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.test_sharing import open_table

OpenPage = Callable[..., Page]


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def toggle_column(page: Page, name: str) -> None:
    """Show or hide a column."""
    page.get_by_role("button", name="Visible columns").click()
    with page.expect_response(lambda answer: answer.url.endswith("/view/") and answer.ok):
        page.locator("[data-shown-form]").get_by_label(name).click()
    page.keyboard.press("Escape")


def test_a_column_is_hidden_until_it_is_shown_or_required_by_a_new_row(app: RunningApp, open_page: OpenPage) -> None:
    page = open_table(app, open_page, name="look_hide")
    toggle_column(page, "Salary")
    expect(head(page, "Salary")).to_have_count(0)
    expect(page.get_by_text("1000")).to_have_count(0)
    page.reload()
    expect(head(page, "Status")).to_be_visible()
    expect(head(page, "Salary")).to_have_count(0)
    page.get_by_role("button", name="Visible columns, 1 hidden").click()
    page.get_by_role("button", name="Show all columns").click()
    expect(head(page, "Salary")).to_be_visible()
    expect(page.locator("tbody").get_by_text("1000")).to_be_visible()
    page.keyboard.press("Escape")
    toggle_column(page, "Company")
    expect(head(page, "Company")).to_have_count(0)
    page.get_by_role("button", name="Add row").click()
    expect(head(page, "Company")).to_be_visible()


def test_a_dragged_column_width_is_stored(app: RunningApp, open_page: OpenPage) -> None:
    page = open_table(app, open_page, name="look_width")
    box = head(page, "Status").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 10)
    page.mouse.down()
    with page.expect_response(lambda answer: answer.url.endswith("/view/") and answer.ok):
        page.mouse.move(box["x"] + box["width"] + 97, box["y"] + 10, steps=4)
        page.mouse.up()
    assert "sort=" not in page.url
    for _ in range(2):
        drawn = head(page, "Status").bounding_box()
        assert drawn is not None
        assert abs(drawn["width"] - box["width"] - 100) <= 1
        page.reload()
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()


def test_all_columns_are_shown_while_a_proposal_is_reviewed(app: RunningApp, open_page: OpenPage) -> None:
    page = open_table(app, open_page, name="look_review")
    toggle_column(page, "Salary")
    send_message(page, "Add 3 sample rows")
    expect(page.get_by_role("button", name="Apply 3")).to_be_visible()
    expect(head(page, "Salary")).to_be_visible()
    page.get_by_role("button", name="Dismiss").first.click()
    expect(head(page, "Salary")).to_have_count(0)
