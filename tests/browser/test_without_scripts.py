"""Pages without scripts show the controls that work and hide those that need scripts."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import create_table

NEEDS_SCRIPTS = (
    "[data-theme-toggle]", "#tray-toggle", ".composer", "[data-part=new]", "[data-part=title]", "[data-undo]",
    "[data-redo]", "[data-add-row]", "[data-check-all]",
)  # fmt: skip


def unscripted_table(app: RunningApp, open_page: Callable[..., Page], browser: Browser, *, width: int) -> Page:
    """Open the page of a new table without scripts."""
    page = open_page(sign_in=app.link_for_new_user())
    table = create_table(page, app)
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 844}, storage_state=page.context.storage_state()
    )
    page = context.new_page()
    page.goto(table)
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_controls_that_need_scripts_are_hidden(
    app: RunningApp, open_page: Callable[..., Page], browser: Browser, width: int
) -> None:
    page = unscripted_table(app, open_page, browser, width=width)
    for part in NEEDS_SCRIPTS:
        expect(page.locator(part)).to_have_count(1)
        expect(page.locator(part)).to_be_hidden()
    if width < 800:
        page.get_by_role("button", name="Ask, or describe a change").click()
    expect(page.locator(".tray__note")).to_be_visible()
    if width < 800:
        page.keyboard.press("Escape")
    page.get_by_role("link", name="Company").click()
    expect(page.get_by_role("columnheader", name="Company")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("searchbox", name="Search rows").fill("bolt")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 matching row", exact=True)).to_be_visible()
    page.goto(f"{page.url.split('?')[0]}sharing/")
    for form in ("Invite", "Create read-only link"):
        expect(page.get_by_role("button", name=form, exact=True)).to_be_visible()
    page.context.close()


def test_a_user_without_tables_is_offered_an_import(
    app: RunningApp, open_page: Callable[..., Page], browser: Browser
) -> None:
    signed_in = open_page(sign_in=app.link_for_new_user()).context.storage_state()
    context = browser.new_context(java_script_enabled=False, storage_state=signed_in)
    page = context.new_page()
    page.goto(f"{app.address}/tables/")
    expect(page.get_by_role("heading", name="Import a file")).to_be_visible()
    expect(page.locator("[data-for-scripts]")).to_have_count(2)
    for part in page.locator("[data-for-scripts], .composer").all():
        expect(part).to_be_hidden()
    context.close()


def test_rows_are_added_changed_and_deleted_with_plain_forms(
    app: RunningApp, open_page: Callable[..., Page], browser: Browser
) -> None:
    page = unscripted_table(app, open_page, browser, width=390)
    page.get_by_role("link", name="Add row").click()
    page.get_by_label("Company").fill("Zinc")
    page.get_by_role("button", name="Add row").click()
    page.get_by_role("link", name="Edit Zinc").click()
    expect(page.get_by_role("heading", name="Edit Zinc")).to_be_visible()
    page.get_by_label("Company").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved.")
    page.get_by_label("Company").fill("Zinc & Co")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("gridcell", name="Zinc & Co", exact=True)).to_be_visible()
    page.get_by_role("link", name="Edit Zinc & Co").click()
    page.get_by_role("button", name="Delete row").click()
    expect(page.get_by_role("link", name="Edit Zinc & Co")).to_have_count(0)
    page.context.close()


def test_links_to_plain_forms_are_hidden_if_scripts_run(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(sign_in=app.link_for_new_user())
    page.goto(create_table(page, app))
    expect(page.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Add row")).to_have_count(0)
    expect(page.locator(".gutter__edit")).to_have_count(0)
