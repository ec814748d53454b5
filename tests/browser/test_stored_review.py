"""The review of a proposal outlives a reload, is shown in other tabs and goes on with the proposal that replaces it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.reviewing import apply_button, operation, propose, row_operations, selected, toasts
from tests.browser.small_table import row_ids, values
from tests.scripted import ScriptedModel

SAVED = "/review/"


def saved(page: Page, act: Callable[[], Any]) -> None:
    """Does this, and waits until it is stored."""
    with page.expect_response(lambda answer: answer.url.endswith(SAVED) and answer.ok):
        act()


def correct(page: Page, index: int, column: str, text: str) -> None:
    """Types another value over the proposed one."""
    operation(page, index).locator(f'td[data-label="{column}"]').dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_ticks_and_edits_outlive_a_reload_and_are_applied(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    saved(page, page.get_by_role("checkbox", name="Delete Crux").uncheck)
    saved(page, page.get_by_role("checkbox", name="Add Echo").uncheck)
    saved(page, lambda: correct(page, 0, "Salary", "3500"))
    page.reload()
    selected(page, "2 of 4 changes")
    expect(page.get_by_role("checkbox", name="Delete Crux")).not_to_be_checked()
    expect(page.get_by_role("checkbox", name="Add Echo")).not_to_be_checked()
    expect(operation(page, 0).locator('td[data-label="Salary"]')).to_have_text("3500")
    apply_button(page).click()
    expect(toasts(page)).to_contain_text("Applied 2 of 4 changes")
    assert [(row["Company"], row.get("Salary")) for row in values(page)][3:] == [("Dyno", 3500)]


def test_what_is_unticked_just_before_the_page_is_left_is_stored(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    saved(page, page.get_by_role("checkbox", name="Delete Crux").uncheck)
    page.get_by_role("checkbox", name="Add Echo").uncheck()
    page.reload()
    selected(page, "2 of 4 changes")
