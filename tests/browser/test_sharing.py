"""Sharing: the dialog of the owner, the page of an invited user and the read-only link."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldResponses
from tests.browser.small_table import COLUMNS, ROWS, cell, send, share_table

OpenPage = Callable[..., Page]
# Whether the content of a field is visible without scrolling.
NOT_CUT_OFF = "(it) => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight"


def open_table(app: RunningApp, open_page: OpenPage, *, name: str) -> Page:
    """Open a new table of a new user."""
    page = open_page(sign_in=app.link_for_new_user(name))
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{app.address}/tables/{table['id']}/")
    return page


def open_dialog(page: Page) -> None:
    page.get_by_role("button", name="Jobs", exact=True).click()
    page.get_by_role("link", name="Share", exact=True).click()
    expect(page.get_by_role("heading", name="Share this table")).to_be_visible()


def invite(page: Page, name: str) -> Locator:
    """Invite this user in the open dialog; return their line."""
    page.get_by_label("Username").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Invite", exact=True).click()
    line = page.get_by_role("dialog").get_by_role("listitem").filter(has_text=name)
    expect(line).to_contain_text("Invited")
    return line


def give_role(page: Page, user: str, role: str) -> None:
    """Change the role of a member in the open dialog."""
    with page.expect_response(lambda answer: answer.url.endswith(f"/members/{user}/") and answer.ok):
        page.get_by_label(f"Role of {user}").select_option(role)


def test_a_role_change_updates_the_open_page_of_the_member_without_losing_input(
    app: RunningApp, open_page: OpenPage
) -> None:
    other = open_page(sign_in=app.link_for_new_user("share_viewer"))
    page = open_table(app, open_page, name="share_owner")
    open_dialog(page)
    invite(page, "share_viewer")
    other.goto(f"{app.address}/tables/")
    expect(other.get_by_text("share_owner invites you to “Jobs” as a viewer")).to_be_visible()
    other.get_by_role("button", name="Accept the invitation to Jobs").click()
    expect(other).to_have_url(page.url)
    page.get_by_role("button", name="Done").click()
    open_dialog(page)
    expect(page.get_by_label("Role of share_viewer")).to_have_value("viewer")
    expect(other.locator("table-grid[data-live]")).to_be_attached()
    composer = other.get_by_role("textbox", name="Message the assistant")
    composer.fill("How many")
    cell(other, 1, 0).hover()
    other.get_by_role("button", name="Row details").click()
    sheet = other.get_by_role("dialog", name="Bolt")
    expect(sheet.get_by_role("textbox")).to_have_count(0)
    for control in (other.get_by_role("button", name="Add row"), other.get_by_role("link", name="Columns")):
        expect(control).to_be_hidden()
    give_role(page, "share_viewer", "editor")
    expect(other.get_by_role("button", name="Add row")).to_be_enabled()
    expect(other.get_by_role("link", name="Columns")).to_be_visible()
    # The menu was replaced, and its items still work.
    other.evaluate("() => { window.print = () => { document.body.dataset.printed = ''; }; }")
    other.locator("[data-print]").dispatch_event("click")
    expect(other.locator("body[data-printed]")).to_be_attached()
    expect(other.get_by_text("Or describe a change.")).to_be_visible()
    expect(other.get_by_role("button", name="Add 8 sample rows")).to_be_visible()
    expect(composer).to_have_value("How many")
    sheet.get_by_role("textbox", name="Company").fill("Bolt & Sons")
    give_role(page, "share_viewer", "viewer")
    expect(other.get_by_role("button", name="Add row")).to_be_hidden()
    expect(other.get_by_role("link", name="Columns")).to_be_hidden()
    # Input stays until the field is left, and can be saved once the role allows it again.
    expect(sheet.get_by_role("button", name="Delete")).to_be_hidden()
    sheet.get_by_role("textbox", name="Company").press("Control+Enter")
    refused = other.get_by_role("alert").filter(has_text="Company was not saved.")
    expect(refused).to_be_visible()
    expect(sheet.get_by_role("textbox")).to_have_count(0)
    cell(other, 2, 0).dblclick()
    expect(other.locator("td.is-editing")).to_have_count(0)
    give_role(page, "share_viewer", "editor")
    expect(other.get_by_role("button", name="Add row")).to_be_enabled()
    refused.get_by_role("button", name="Retry").click()
    expect(cell(page, 1, 0)).to_have_text("Bolt & Sons")


def test_a_dialog_requested_twice_opens_once_and_an_invitation_of_an_unknown_name_can_be_withdrawn(
    app: RunningApp, open_page: OpenPage
) -> None:
    other = open_page(sign_in=app.link_for_new_user("invitee"))
    page = open_table(app, open_page, name="inviter")
    held = HeldResponses(page, re.compile(r"/members/\?limit="))
    for _ in range(2):
        with page.expect_request(held.address):
            page.get_by_role("button", name="Jobs", exact=True).click()
            page.get_by_role("link", name="Share", exact=True).click()
    held.wait_for_response()
    held.release()
    page.get_by_role("button", name="Done").click()
    expect(page.locator("dialog")).to_have_count(0)
    open_dialog(page)
    line = invite(page, "invitteee")
    expect(page.get_by_label("Role of invitteee")).to_have_count(0)
    # It is not offered as the new owner either.
    expect(page.get_by_label("New owner")).to_have_count(0)
    line.get_by_role("button", name="Withdraw").click()
    expect(line).to_have_count(0)
    invite(page, "invitee")
    share_table(page, other, page.url)
    page.get_by_role("button", name="Done").click()
    open_dialog(page)
    expect(page.get_by_label("New owner").locator("option")).to_have_text(["invitee"])
    other.goto(page.url)
    expect(other.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()


def test_invitation_link_and_read_only_link_work(app: RunningApp, open_page: OpenPage) -> None:
    page = open_table(app, open_page, name="link_owner")
    open_dialog(page)
    page.get_by_label("Expiration of a new link").select_option("For 7 days")
    page.get_by_role("button", name="Create read-only link").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    expect(page.get_by_text(re.compile(r"can view this table until \w+"))).to_be_visible()
    expect(page.get_by_label("Expiration of a new link")).to_have_value("7")
    assert page.get_by_label("Link", exact=True).evaluate(NOT_CUT_OFF)
    link = page.get_by_label("Link", exact=True).input_value()
    visitor = open_page(link)
    expect(visitor.get_by_text("Acme")).to_be_visible()
    page.get_by_role("button", name="Invitation link").click()
    expect(page.get_by_text("The first person to accept becomes a member.")).to_be_visible()
    invited = open_page(sign_in=app.link_for_new_user("link_guest"))
    invited.goto(page.get_by_label("Link", exact=True).input_value())
    invited.get_by_role("button", name="Accept").click()
    expect(invited.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()
    invited.goto(link)
    invited.get_by_role("button", name="Make a copy").click()
    expect(invited.get_by_role("button", name="Add row")).to_be_enabled()
    page.get_by_role("button", name="Remove link").click()
    expect(page.get_by_text("No read-only link.")).to_be_visible()


def test_ownership_is_transferred_after_a_confirmation(app: RunningApp, open_page: OpenPage) -> None:
    other = open_page(sign_in=app.link_for_new_user("heir"))
    page = open_table(app, open_page, name="giver")
    share_table(page, other, page.url)
    other.goto(page.url)
    expect(other.locator("table-grid[data-live]")).to_be_attached()
    open_dialog(page)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("New owner")).to_have_value("heir")
    dialog.get_by_role("button", name="Transfer ownership").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Only heir can transfer it back.")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog.get_by_role("button", name="Transfer ownership")).to_be_focused()
    dialog.get_by_role("button", name="Transfer ownership").press("Enter")
    dialog.get_by_role("button", name="Transfer to heir").click()
    expect(dialog.get_by_text("This table now belongs to heir. You can still edit it.")).to_be_visible()
    dialog.get_by_role("button", name="Done").press("Enter")
    expect(page.get_by_role("link", name="Share", exact=True, include_hidden=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Add row")).to_be_enabled()
    expect(page.get_by_text("This table now has another owner")).to_have_count(0)
    toast = other.locator("#toasts .toast").filter(has_text="You now own this table.")
    expect(toast).to_be_visible()
    open_dialog(other)
    expect(other.get_by_label("Role of giver")).to_have_value("editor")


def test_a_member_leaves_from_the_list_and_open_pages_are_updated(app: RunningApp, open_page: OpenPage) -> None:
    link = app.link_for_new_user("leaver")
    page = open_table(app, open_page, name="stayer")
    other = open_page(sign_in=link)
    share_table(page, other, page.url)
    second = open_page(sign_in=app.link_for("leaver"))
    second.goto(page.url)
    expect(second.locator("table-grid[data-live]")).to_be_attached()
    other.goto(f"{app.address}/tables/")
    other.get_by_role("button", name="More actions for Jobs").click()
    other.get_by_role("link", name="Leave table").click()
    expect(other.get_by_text("Only stayer can share it with you again.")).to_be_visible()
    other.get_by_role("button", name="Leave table").click()
    expect(other.get_by_text("You have left “Jobs”.")).to_be_visible()
    expect(second.get_by_text("You no longer have access to this table")).to_be_visible()
