"""What the assistant announces with a proposal it does by itself once that is applied, unless it is told not to."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.doing import say
from tests.browser.running import RunningApp
from tests.browser.small_table import send, values

WISH = "Add a Priority column after Status with High, Medium, Low, and fill it from the notes"
COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "Status", "type": "select", "options": ["Applied", "Offer"]},
    {"name": "Notes", "type": "text"},
]
ROWS = [
    {"Company": "Acme", "Status": "Applied", "Notes": "Urgent, they want an answer"},
    {"Company": "Bolt", "Status": "Offer", "Notes": "No rush at all"},
    {"Company": "Crux", "Status": "Applied"},
]


def opened_table(app: RunningApp, page: Page) -> None:
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{app.address}/tables/{table['id']}/")


def test_a_column_is_added_and_then_filled(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user("going_on"))
    opened_table(app, page)
    say(page, WISH)
    columns = page.get_by_role("region", name="Proposed column changes")
    expect(columns.get_by_role("checkbox", name="Then: Fill Priority from the notes")).to_be_checked()
    page.locator(".review__acts").get_by_role("button", name="Apply").click()

    rows = page.get_by_role("region", name="Proposed changes")
    expect(rows.get_by_role("heading", name="2 of 2 changes selected")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("Then: Fill Priority from the notes")
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("Then: Fill Priority from the notes")
    expect(rows.get_by_role("heading", name="2 of 2 changes selected")).to_be_visible()
    page.locator(".review__acts").get_by_role("button", name="Apply 2").click()
    expect(page.get_by_role("log")).to_contain_text("Applied 2 changes")
    assert [row.get("Priority") for row in values(page)] == ["High", "Low", None]


def test_what_is_switched_off_does_not_follow(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user("not_going_on"))
    opened_table(app, page)
    say(page, WISH)
    page.get_by_role("checkbox", name="Then: Fill Priority from the notes").uncheck()
    page.locator(".review__acts").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("log")).to_contain_text("Applied 1 column change")
    say(page, "How many rows are there?")
    expect(page.get_by_role("log")).to_contain_text("3 rows")
    expect(page.get_by_role("log")).not_to_contain_text("Then:")


def test_in_a_new_table_the_assistant_offers_what_to_do_next(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(app.link_for_new_user("what_next"))
    say(page, "Track my plants with name and height")
    proposed = page.get_by_role("region", name="Proposed table")
    expect(proposed.get_by_role("checkbox", name="Then: Offer what to do next")).to_be_checked()
    proposed.get_by_role("button", name="Create table").click()
    page.wait_for_url("**/tables/*/")
    log = page.get_by_role("log")
    expect(log).to_contain_text("What would you like to do next?")
    page.reload()
    expect(log.get_by_text("Then: Offer what to do next")).to_have_count(1)
    page.get_by_role("group", name="Suggestions").get_by_role("button").first.click()
    expect(log.locator(".bubble--user")).to_have_count(2)
