"""Sharing under a person's hands: the dialog of the owner, the page of the invited, the link for reading."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.running import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, send

OpenPage = Callable[..., Page]


def open_table(app: RunningApp, open_page: OpenPage, *, name: str) -> Page:
    """A new table of a new person."""
    page = open_page(app.link_for_new_user(name))
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{app.address}/tables/{table['id']}/")
    return page


def open_dialog(page: Page) -> None:
    page.get_by_role("button", name="Jobs", exact=True).click()
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_role("heading", name="Share this table")).to_be_visible()


def test_an_owner_shares_and_a_viewer_reads(app: RunningApp, open_page: OpenPage) -> None:
    other = open_page(app.link_for_new_user("share_viewer"))
    page = open_table(app, open_page, name="share_owner")
    open_dialog(page)
    page.get_by_label("User name").fill("share_viewer")
    page.get_by_role("dialog").get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_label("Role of share_viewer")).to_have_value("viewer")
    other.goto(page.url)
    expect(other.get_by_text("Acme")).to_be_visible()
    expect(other.get_by_role("button", name="Add row")).to_be_hidden()
    with page.expect_response(lambda answer: answer.url.endswith("/members/share_viewer/") and answer.ok):
        page.get_by_label("Role of share_viewer").select_option("editor")
    page.get_by_role("button", name="Done").click()
    other.reload()
    expect(other.get_by_role("button", name="Add row")).to_be_enabled()


def test_an_invitation_and_a_link_are_passed_on(app: RunningApp, open_page: OpenPage) -> None:
    page = open_table(app, open_page, name="link_owner")
    open_dialog(page)
    page.get_by_role("button", name="Make a link for reading").click()
    anybody = open_page(page.get_by_label("Link", exact=True).input_value())
    expect(anybody.get_by_text("Acme")).to_be_visible()
    page.get_by_role("button", name="Invitation link").click()
    expect(page.get_by_text("It works once, for seven days")).to_be_visible()
    invited = open_page(app.link_for_new_user("link_guest"))
    invited.goto(page.get_by_label("Link", exact=True).input_value())
    invited.get_by_role("button", name="Accept").click()
    expect(invited.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()
    page.get_by_role("button", name="Remove the link").click()
    expect(page.get_by_text("Nobody can read this table without signing in.")).to_be_visible()
