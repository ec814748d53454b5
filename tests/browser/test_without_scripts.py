"""Pages where scripts do not run: what works is offered, what would do nothing is not."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.running import RunningApp
from tests.browser.small_table import made_table

NEEDS_SCRIPTS = (
    "[data-theme-toggle]", "#tray-toggle", ".composer", "[data-part=new]", "[data-part=title]", "[data-undo]",
    "[data-redo]", "[data-add-row]", "[data-check-all]",
)  # fmt: skip


@pytest.mark.parametrize("width", [1440, 390])
def test_only_what_works_is_offered(
    app: RunningApp, open_page: Callable[..., Page], browser: Browser, width: int
) -> None:
    page = open_page(app.link_for_new_user())
    table = made_table(page, app)
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 844}, storage_state=page.context.storage_state()
    )
    page = context.new_page()
    page.goto(table)
    for part in NEEDS_SCRIPTS:
        expect(page.locator(part)).to_have_count(1)
        expect(page.locator(part)).to_be_hidden()
    if width < 800:
        page.get_by_role("button", name="Ask or tell me what to change").click()
    expect(page.locator(".tray__note")).to_be_visible()
    if width < 800:
        page.keyboard.press("Escape")
    page.get_by_role("link", name="Company").click()
    expect(page.get_by_role("columnheader", name="Company")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("searchbox", name="Search rows").fill("bolt")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 matching row", exact=True)).to_be_visible()
    context.close()
