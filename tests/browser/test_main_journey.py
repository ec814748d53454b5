"""The main journey of a new user: a request, a table, rows, a deletion and its undo."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp

REQUEST = "Track my job applications with company, position, status and date applied"


def test_a_new_user_creates_fills_and_changes_a_table_with_the_assistant(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(app.link_for_new_user("maya"))
    expect(page.get_by_role("heading", name="Describe the table you need")).to_be_visible()
    expect(page.get_by_text("Built-in demo model.")).to_be_visible()

    send_message(page, REQUEST)
    proposed = page.get_by_role("region", name="Proposed table")
    expect(proposed.get_by_label("Name of the column Company")).to_have_value("Company")
    proposed.get_by_role("checkbox", name="Include the").uncheck()
    expect(proposed.get_by_role("checkbox", name="Then: Suggest next steps")).to_be_checked()
    proposed.get_by_role("button", name="Create table").click()
    page.wait_for_url("**/tables/*/")
    expect(page.get_by_role("columnheader", name="Date Applied")).to_be_visible()
    log = page.get_by_role("log")
    expect(log).to_contain_text("What would you like to do next?")
    page.reload()
    expect(log.get_by_text("Then: Suggest next steps")).to_have_count(1)
    expect(page.get_by_role("group", name="Suggestions").get_by_role("button").first).to_be_enabled()

    send_message(page, "add 8 sample applications")
    review = page.get_by_role("region", name="Proposed changes")
    expect(review.get_by_role("button", name="Apply 8")).to_be_enabled()
    boxes = page.get_by_role("grid").get_by_role("checkbox", name="Add ")
    expect(boxes).to_have_count(8)
    boxes.nth(2).uncheck()
    boxes.nth(5).uncheck()
    review.get_by_role("button", name="Apply 6").click()
    expect(log.get_by_text("Applied 6 of 8")).to_be_visible()
    expect(page.get_by_role("grid").locator('tbody[data-body="rows"] tr[data-row]')).to_have_count(6)

    expect(page.get_by_text("Job Applications, 6 rows")).to_be_visible()

    page.goto(page.url + "history/")
    expect(page.get_by_role("listitem").filter(has_text="Added 6 rows")).to_have_count(1)
    page.go_back()

    log.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("grid").locator('tbody[data-body="rows"] tr[data-row]')).to_have_count(0)


def test_names_of_a_proposed_table_can_be_edited(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user())
    send_message(page, REQUEST)
    proposed = page.get_by_role("region", name="Proposed table")
    create = proposed.get_by_role("button", name="Create table")
    company, status, applied = (
        proposed.get_by_label(f"Name of the column {name}") for name in ("Company", "Status", "Date Applied")
    )
    proposed.get_by_label("Name of the table").fill("Wishes")
    proposed.get_by_role("checkbox", name="Include Position").uncheck()
    # Duplicate names are an error, whichever of the two fields reports it.
    status.fill("company")
    status.press("Tab")
    expect(proposed.get_by_role("alert").filter(visible=True)).to_contain_text("already exists")
    expect(proposed.get_by_role("checkbox", name="Include Status")).to_be_disabled()
    status.fill("State")
    expect(proposed.get_by_role("checkbox", name="Include Status")).to_be_checked()
    # The other column can be renamed as well, until the table is created.
    company.fill("State")
    company.press("Tab")
    expect(proposed.get_by_role("checkbox", name="Include Status")).not_to_be_checked()
    company.fill("Employer")
    expect(proposed.get_by_role("checkbox", name="Include Status")).to_be_checked()
    # A column without a name gets the proposed one.
    applied.fill(" ")
    applied.press("Tab")
    expect(applied).to_have_value("Date Applied")
    create.click()
    page.wait_for_url("**/tables/*/")
    expect(page.get_by_role("heading", name="Wishes")).to_be_visible()
    heads = page.get_by_role("grid").locator("thead th[data-col]")
    expect(heads).to_contain_text(["Employer", "State", "Date Applied"])
    # The values of the sample rows were created too.
    expect(page.get_by_role("grid").locator("tbody td.cell").first).not_to_be_empty()
