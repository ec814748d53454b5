"""Swagger UI, served by the app, sends requests with the session of the signed-in user."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp


def test_the_api_explorer_sends_requests_as_the_user(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(sign_in=app.link_for_new_user("explorer"))
    page.goto(f"{app.address}/api-explorer/")
    expect(page.get_by_role("button", name="Authorize")).to_be_visible()
    expect(page.get_by_text("Servers")).to_be_hidden()
    operation = page.locator("#operations-tables-api_tables_post")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("201")
    page.goto(f"{app.address}/tables/")
    expect(page.get_by_role("link", name="Jobs")).to_be_visible()
