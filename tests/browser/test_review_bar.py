"""The parts around changes under review: bar, switches, notes and corrections, and concurrent changes."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.actions import send_message
from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept
from tests.browser.reviews import apply_button, operation, proposal, propose, row_operations, selected, toasts
from tests.browser.small_table import ROWS, OpenTable, api, cell, row_ids, send, values
from tests.browser.test_conversations import menu
from tests.scripted_model import ScriptedModel

APPLY_URL = re.compile(r"/apply/$")


def note(page: Page, index: int) -> str:
    """Return the text of the line below the row of an operation."""
    note = operation(page, index).locator("xpath=following-sibling::tr[1]")
    expect(note).to_have_class(re.compile("opnote"))
    return note.text_content() or ""


def test_the_bar_replaces_filters_and_checks_changes_together_or_by_kind(page: Page, scripted: ScriptedModel) -> None:
    page.get_by_role("searchbox", name="Search rows").fill("Bolt")
    expect(page.get_by_text("1 matching row")).to_be_visible()
    bolt = page.get_by_role("checkbox", name="Select Bolt")
    bolt.check()
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    expect(page.get_by_role("group", name="Filters", exact=True)).to_be_hidden()
    search = page.get_by_role("searchbox", name="Search rows")
    expect(search).to_be_disabled()
    # All rows are shown, so the field has no words that were searched for.
    expect(search).to_have_value("")
    expect(page.locator('tbody[data-body="rows"] tr[data-op="update"]')).to_contain_text("Acme")
    expect(operation(page, 3)).to_contain_text("Crux")
    everything = page.get_by_role("checkbox", name="Select all rows")
    everything.uncheck()
    selected(page, "0 of 4 changes")
    expect(apply_button(page)).to_be_disabled()
    expect(page.locator("tr[data-index].is-off")).to_have_count(4)
    everything.check()
    selected(page, "4 of 4 changes")
    for kind, left in (
        ("1 to change", "3 of 4 changes"),
        ("1 to delete", "2 of 4 changes"),
        ("2 to add", "0 of 4 changes"),
    ):
        page.get_by_role("button", name=kind, exact=True).click()
        expect(page.get_by_role("button", name=kind, exact=True)).to_have_attribute("aria-pressed", "false")
        selected(page, left)
    cell(page, 1, 0).click()
    page.keyboard.press("j")
    expect(page.get_by_text("1 of 4", exact=True)).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_text("4 of 4", exact=True).last).to_be_visible()
    page.locator(".review__actions").get_by_role("button", name="Dismiss").click()
    expect(page.locator("[data-op]")).to_have_count(0)
    expect(page.get_by_text("1 matching row")).to_be_visible()
    expect(search).to_have_value("Bolt")
    expect(page.get_by_role("group", name="Filters", exact=True)).to_be_visible()
    expect(page.locator('tbody[data-body="rows"] tr')).to_have_count(1)
    expect(bolt).to_be_checked()
    expect(page.get_by_text("1 row selected", exact=True)).to_be_visible()
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]


def test_old_values_can_be_shown_and_new_values_of_every_type_corrected(page: Page, scripted: ScriptedModel) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    changed = page.locator("td.is-changed")
    expect(changed.locator("del")).to_be_hidden()
    expect(changed.locator("ins")).to_have_text("Rejected")
    page.get_by_text("Old values").click()
    expect(changed.locator("del")).to_be_visible()
    expect(changed.locator("del")).to_have_text("Applied")
    page.get_by_text("Old values").click()
    expect(changed.locator("del")).to_be_hidden()
    # Only the old name identifies a renamed row, so it is shown until the user switches it off.
    renamed = {"action": "update", "row_id": row_ids(page)[1], "changes": {"Company": "B"}}
    propose(page, scripted, "DATA_PROPOSAL", renamed)
    expect(changed.locator("del")).to_be_visible()
    page.get_by_role("checkbox", name="Old values").uncheck()
    expect(changed.locator("del")).to_be_hidden()
    # The setting of the user is not changed by redrawing.
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[0]}/", {"data": {"Status": "Rejected"}})
    expect(cell(page, 0, 1)).to_have_text("Rejected")
    expect(changed.locator("del")).to_be_hidden()

    propose(page, scripted, "DATA_PROPOSAL", {"action": "add", "data": {"Company": "Dyno", "Remote": True}})

    def proposed(column: str) -> Locator:
        return operation(page, 0).locator(f'td[data-label="{column}"]')

    fields = {
        "Company": ("Dynamo", "Dynamo"), "Salary": ("$1,500", "1500"), "Due": ("2026-04-01", "Apr 1, 2026"),
        "Status": ("off", "Offer"),
    }  # fmt: skip
    for column, (typed, shown) in fields.items():
        proposed(column).click()
        page.keyboard.press("Enter")
        field = page.locator("td.is-editing :is(input, textarea)")
        field.fill(typed)
        field.press("Enter")
        # Redrawn with the value as parsed by the server.
        expect(proposed(column)).to_have_text(shown)
    expect(proposed("Remote").get_by_role("img", name="Yes")).to_be_visible()
    proposed("Remote").click()
    page.keyboard.press("Space")
    expect(proposed("Remote").get_by_role("img", name="Yes")).to_have_count(0)
    apply_button(page).click()
    expect(toasts(page).get_by_text("Applied 1 of 1 change")).to_be_visible()
    wanted = {"Company": "Dynamo", "Status": "Offer", "Salary": 1500, "Due": "2026-04-01", "Remote": False}
    assert values(page)[3] == wanted


def test_warnings_conflicts_and_errors_are_shown_at_their_rows(page: Page, scripted: ScriptedModel) -> None:
    first, second, third = row_ids(page)
    operations = [
        {"action": "add", "data": ROWS[0]},
        {"action": "update", "row_id": first, "changes": {"Status": "Offer"}},
        {"action": "delete", "row_id": third, "reason": "Empty"},
        {"action": "update", "row_id": second, "changes": {"Salary": 5}},
    ]
    propose(page, scripted, "DATA_PROPOSAL", *operations)
    assert "Empty" in note(page, 2)
    expect(operation(page, 0).get_by_role("checkbox")).to_be_checked()
    assert note(page, 0).strip() == "Same as row 1."
    send(page, "PATCH", f"{api(page)}rows/{first}/", {"data": {"Status": "Rejected"}})
    send(page, "POST", f"{api(page)}rows/delete/", {"ids": [second]})
    page.reload()
    selected(page, "2 of 4 changes")
    expect(operation(page, 1).get_by_role("checkbox")).not_to_be_checked()
    assert note(page, 1).strip() == "Status was changed since."
    expect(operation(page, 1).locator("td.is-conflict del")).to_have_text("Rejected")
    deleted = operation(page, 3).get_by_role("checkbox")
    expect(deleted).not_to_be_checked()
    expect(deleted).to_be_disabled()
    assert note(page, 3).strip() == "This row no longer exists."
    expect(page.get_by_role("button", name="2 conflicts")).to_be_visible()
    # The user may apply it nevertheless.
    operation(page, 1).get_by_role("checkbox").check()
    apply_button(page).click()
    expect(toasts(page).get_by_text("Applied 3 of 4 changes")).to_be_visible()
    assert [row["Status"] for row in values(page)] == ["Offer", "Applied"]


def test_a_failed_apply_leaves_the_proposal_open_and_a_retry_applies_it_once(
    page: Page, scripted: ScriptedModel
) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    held = HeldRequests(page, APPLY_URL)
    with page.expect_request(APPLY_URL):
        apply_button(page).click()
    expect(page.get_by_role("heading", name="Applying 4 changes")).to_be_visible()
    expect(apply_button(page)).to_be_disabled()
    expect(page.locator(".grid-scroll")).to_have_class(re.compile("is-applying"))
    expect(operation(page, 0).locator(".gutter__result")).to_be_visible()
    # Another user changes the cell before the server receives the request.
    send(page, "PATCH", f"{api(page)}rows/{row_ids(page)[0]}/", {"data": {"Status": "Offer"}})
    held.release()
    expect(page.get_by_role("region", name="Proposed changes").get_by_role("alert")).to_be_visible()
    selected(page, "3 of 4 changes")
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]
    expect(apply_button(page)).to_have_text(re.compile("Try again"))

    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort("aborted")

    # The page sends the request again by itself.
    intercept(page, APPLY_URL, lose_response, times=1)
    apply_button(page).click()
    expect(page.get_by_role("log")).to_contain_text("Applied 3 of 4")
    expect(page.locator("[data-op]")).to_have_count(0)
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Dyno", "Echo"]


def test_a_newer_proposal_replaces_the_older_and_only_one_is_reviewed_at_a_time(
    page: Page, scripted: ScriptedModel
) -> None:
    propose(page, scripted, "DATA_PROPOSAL", *row_operations(page))
    propose(page, scripted, "DATA_PROPOSAL", {"action": "add", "data": {"Company": "Fable"}})
    selected(page, "1 of 1 change")
    expect(page.locator("tr[data-index]")).to_have_count(1)
    expect(page.get_by_role("log")).to_contain_text("Replaced by a newer proposal")
    propose(page, scripted, "DATA_PROPOSAL", {"action": "add", "data": {"Company": "Gusto"}})
    expect(operation(page, 0)).to_contain_text("Gusto")
    assert "superseded" in str(scripted.requests[-1])

    page.get_by_role("button", name="New conversation").last.click()
    applied: list[str] = []
    page.on("request", lambda request: applied.append(request.url) if APPLY_URL.search(request.url) else None)
    scripted.add(proposal("DATA_PROPOSAL", {"action": "add", "data": {"Company": "Fable"}}))
    send_message(page, "A row")
    selected(page, "1 of 1 change")
    page.get_by_role("button", name="New conversation").last.click()
    priority = {"action": "add", "column": {"name": "Priority", "type": "text"}}
    scripted.add(proposal("SCHEMA_PROPOSAL", priority, mode="update"))
    send_message(page, "A column")
    selected(page, "1 of 1 column change")
    for title, words in (("A row", "1 of 1 change"), ("A column", "1 of 1 column change")):
        menu(page).get_by_text(title).click()
        selected(page, words)
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("log")).to_contain_text("Applied 1 column change")
    assert len(applied) == 1
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Crux"]


def test_changes_are_cards_with_only_changed_values_on_a_phone(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(width=390)
    page.locator('#dock [popovertarget="tray"]').click()
    scripted.add(proposal("DATA_PROPOSAL", *row_operations(page)))
    send_message(page, "please")
    page.get_by_role("log").get_by_role("button", name=re.compile("4 changes waiting")).click()
    expect(page.get_by_role("log")).to_be_hidden()
    cards = page.locator("tr[data-index]")
    expect(cards).to_have_count(4)
    changed = operation(page, 2)
    expect(changed.get_by_role("gridcell", name=re.compile("Rejected"))).to_be_visible()
    expect(changed.locator('td[data-label="Salary"]')).to_be_hidden()
    expect(changed.locator('td[data-label="Company"]')).to_be_visible()
    expect(changed.locator("del")).to_be_visible()
    operation(page, 1).get_by_role("checkbox").uncheck()
    dock = page.locator("#dock")
    dock.get_by_role("button", name="Apply 3 changes").click()
    expect(toasts(page).get_by_text("Applied 3 of 4 changes")).to_be_visible()
    expect(dock.get_by_role("button", name="Apply")).to_have_count(0)
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt", "Dyno"]
