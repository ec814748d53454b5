"""The profile: by mouse, by keyboard, in the dark theme, on a phone."""
from __future__ import annotations

import re
from collections.abc import Callable
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import api, send
from tests.browser.test_sharing import open_table

OpenPage = Callable[..., Page]


@pytest.fixture
def open_profile(app: RunningApp, open_page: OpenPage) -> OpenPage:
    """Open the profile of a new user."""

    def open_profile(name: str, *, width: int = 1440, dark: bool = False) -> Page:
        page = open_page(sign_in=app.link_for_new_user(name), width=width, dark=dark)
        page.goto(f"{app.address}/profile/")
        return page

    return open_profile


def status_with(token: str, *, app: RunningApp) -> int:
    """Return the status of an API request with this token."""
    connection = HTTPConnection(urlsplit(app.address).netloc, timeout=60)
    connection.request("GET", "/api/me/", headers={"Authorization": f"Bearer {token}"})
    return connection.getresponse().status


def test_all_controls_are_reached_by_keyboard_and_a_token_is_created_used_and_revoked(
    app: RunningApp, open_profile: OpenPage
) -> None:
    page = open_profile("profile_tokens")
    page.get_by_label("Name", exact=True).focus()
    seen = []
    for _ in range(17):
        seen.append(page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()"))
        page.keyboard.press("Tab")
    wanted = [
        "name", "theme", "time_zone", "Detect", "locale", "language", "Save", "API documentation", "token_name",
        "scope", "days", "Create token", "Set password", "Set up", "Show sessions", "Download my data",
        "Delete my account",
    ]  # fmt: skip
    assert seen[: len(wanted)] == wanted

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Token name").fill("Nightly report")
    page.get_by_role("button", name="Create token").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    token = page.evaluate("navigator.clipboard.readText()")
    assert (token, status_with(token, app=app)) == (page.get_by_label("New token").input_value(), 200)
    page.goto(page.url)
    expect(page.get_by_label("New token")).to_have_count(0)
    page.get_by_role("button", name="Revoke Nightly report").click()
    expect(page.get_by_text("You have no tokens.")).to_be_visible()
    assert status_with(token, app=app) == 401


def test_the_theme_settings_of_the_profile_and_the_header_agree(open_profile: OpenPage) -> None:
    page = open_profile("profile_theme")
    page.get_by_role("radio", name="Dark").check(force=True)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Detect").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_label("Time zone")).not_to_have_value("")
    expect(page.get_by_role("button", name="Detect")).to_be_hidden()
    with page.expect_response("**/api/me/"):
        page.get_by_role("button", name="Switch between light and dark").click()
    expect(page.get_by_role("radio", name="Light")).to_be_checked()
    page.context.clear_cookies(name="theme")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_sign_out_everywhere_signs_out_another_browser(app: RunningApp, open_page: OpenPage) -> None:
    page = open_page(sign_in=app.link_for_new_user("profile_out"))
    other = open_page(sign_in=app.link_for("profile_out"))
    page.goto(f"{app.address}/profile/")
    expect(page.get_by_text("2 browsers")).to_be_visible()
    page.get_by_role("link", name="Show sessions").click()
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page).to_have_url(re.compile("/sign-in/"))
    other.goto(f"{app.address}/tables/")
    expect(other).to_have_url(re.compile("/sign-in/"))


def save_region(page: Page, region: str) -> None:
    page.get_by_label("Numbers and dates").fill(region)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()


def test_numbers_and_dates_use_the_region_of_the_profile(app: RunningApp, open_page: OpenPage) -> None:
    page = open_table(app, open_page, name="profile_locale")
    send(page, "POST", f"{api(page)}rows/", {"data": {"Company": "Dyno", "Salary": 1234.5}})
    expect(page.locator("tbody").get_by_text("1234.5")).to_be_visible()
    table = page.url
    page.goto(f"{app.address}/profile/")
    save_region(page, "de")
    page.goto(table)
    expect(page.locator("tbody").get_by_text("1234,5")).to_be_visible()
    expect(page.locator("tbody").get_by_text("15.03.2026")).to_be_visible()
    page.goto(f"{app.address}/profile/")
    # For a well-formed language tag that browsers do not know, their default is used.
    save_region(page, "en-12345678-12345678-12")
    page.goto(table)
    expect(page.locator("tbody").get_by_text("1234.5")).to_be_visible()
