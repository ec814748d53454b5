"""States of proposals under review: rows and columns, beside the grid and on the columns page."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept
from tests.browser.small_table import send
from tests.browser.states.stage import Stage, State
from tests.scripted_model import Gate
from tests.scripted_model import say as reply

APPLYING = re.compile(r"/apply/$")
BUSY = {"error": "busy", "detail": "The table is busy. Try again in a moment."}
COLUMN_CHANGES: dict[str, Any] = {
    "mode": "update", "reasoning": "So that it can be sorted by what matters", "operations": [
        {"action": "add", "column": {"name": "Priority", "type": "select", "options": ["High", "Low"]},
         "after_column_id": "Company"},
        {"action": "modify", "column_id": "Salary", "changes": {"name": "Base salary"}},
        {"action": "modify", "column_id": "Status", "changes": {"type": "number"}},
        {"action": "remove", "column_id": "Due"},
    ],
}  # fmt: skip


def apply_button(page: Page, name: str = "Apply") -> Any:
    """Return the visible apply button: above the grid, on a phone below it."""
    return page.get_by_role("button", name=name).locator("visible=true").first


def rows_under_review(stage: Stage) -> Iterator[State]:
    """Proposed rows: under review, only the changes, with a conflict, applied."""
    page = stage.open_blank()
    address = stage.open_table(page)
    api = f"/api{address.removeprefix(stage.app.address)}rows/"
    first, _, third = [row["id"] for row in send(page, "GET", api)["rows"]]
    stage.propose(page, "DATA_PROPOSAL", {"reasoning": "As you asked", "operations": [
        {"action": "add", "data": {"Company": "Dyno", "Status": "Offer", "Salary": "$3,000"}},
        {"action": "add", "data": {"Company": "Echo"}},
        {"action": "update", "row_id": first, "changes": {"Status": "Rejected"}, "reason": "No reply"},
        {"action": "delete", "row_id": third, "reason": "Empty"},
    ]})  # fmt: skip
    expect(page.locator("[data-op]").first).to_be_attached()
    yield State("review-rows-in-chat", page)
    stage.hide_chat(page)
    expect(apply_button(page)).to_be_enabled()
    yield State("review-rows", page)
    if not stage.phone:  # there the cards show nothing else
        page.get_by_text("Only changes").click()
        page.get_by_text("Old values").click()
        yield State("review-rows-only-changes", page)
    send(page, "PATCH", f"{api}{first}/", {"data": {"Status": "Offer"}})
    page.reload()
    expect(page.get_by_text("1 conflict").first).to_be_attached()
    expect(apply_button(page)).to_be_enabled()
    page.locator("td.is-conflict").click()
    yield State("review-rows-conflict", page)
    held = HeldRequests(page, APPLYING)
    apply_button(page).click()
    expect(page.get_by_role("heading", name="Applying 3 changes")).to_be_visible()
    yield State("review-rows-applying", page)
    held.release()
    expect(page.locator("#toasts").get_by_role("button", name="Undo")).to_be_visible()
    yield State("review-rows-applied", page)
    stage.show_chat(page)
    yield State("review-rows-receipt", page)


def refused_rows(stage: Stage) -> Iterator[State]:
    """Proposed rows: streaming, many, with errors, refused, dismissed."""
    page = stage.open_blank()
    stage.open_table(page)
    gate = Gate()
    operations = [{"action": "add", "data": {"Company": f"Company {i}", "Status": "Offer"}} for i in range(24)]
    operations[0]["data"]["Status"] = "Hired"
    operations[1]["data"] |= {"Salary": "$3,000", "Company": "Acme", "Status": "Applied", "Due": "2026-03-15"}
    text = f"Here it is.\n\nDATA_PROPOSAL: {json.dumps({'reasoning': 'As you asked', 'operations': operations})}"
    # An unknown option is corrected once; the second answer is used as it is.
    stage.ask(page, "please", reply(text, sizes=(400,), gate=gate, gate_after=4), reply(text, sizes=(4_000,)))
    expect(page.get_by_role("log")).to_contain_text("so far")
    stage.hide_chat(page)
    expect(page.get_by_role("region", name="Incoming changes")).to_be_visible()
    yield State("review-rows-arriving", page)
    gate.open()
    expect(apply_button(page)).to_be_enabled()
    expect(page.get_by_role("button", name="1 error")).to_be_attached()
    yield State("review-rows-error", page)
    if not stage.phone:
        page.locator(".review").get_by_role("button", name="Previous change").click()
        yield State("review-rows-far", page)
    intercept(page, APPLYING, lambda route: route.fulfill(status=409, json=BUSY))
    apply_button(page).click()
    expect(page.get_by_role("region", name="Proposed changes").get_by_role("alert")).to_be_visible()
    yield State("review-rows-refused", page)
    page.get_by_role("button", name="Dismiss").locator("visible=true").first.click()
    # On a phone, other buttons replace these below the page.
    expect(page.get_by_role("region", name="Proposed changes")).to_have_count(0)
    stage.show_chat(page)
    expect(page.get_by_role("log")).to_contain_text("Dismissed")
    yield State("review-rows-dismissed", page)


def carried_over_review(stage: Stage) -> Iterator[State]:
    """A proposal that replaces a reviewed one, and the part of the review that could not be carried over."""
    page = stage.open_blank()
    stage.open_table(page)
    for company in ("Dyno", "Dyno Ltd"):
        operations = [{"action": "add", "data": {"Company": name}} for name in (company, "Echo")]
        stage.propose(page, "DATA_PROPOSAL", {"reasoning": f"As you asked: {company}", "operations": operations})
        stage.hide_chat(page)
        expect(page.locator(".review__text")).to_contain_text(f"As you asked: {company}")
        expect(apply_button(page)).to_be_enabled()
        if company == "Dyno":
            conversation = send(page, "GET", "/api/chat/conversations/")["conversations"][0]["id"]
            messages = send(page, "GET", f"/api/chat/conversations/{conversation}/messages/")["messages"]
            review = f"/api/chat/payloads/{messages[-1]['custom_payload']['id']}/review/"
            send(page, "PATCH", review, {"unchecked": {"1": True}, "edits": {"0": {"Company": "Dyno Corporation"}}})
    expect(page.get_by_role("checkbox", name="Add Echo")).not_to_be_checked()
    expect(page.get_by_text("could not be carried over")).to_be_visible()
    yield State("review-rows-carried-over", page)


def columns_under_review(stage: Stage) -> Iterator[State]:
    """Proposed columns: beside the grid and on the columns page, and refused before values are lost."""
    page = stage.open_blank()
    address = stage.open_table(page)
    stage.propose(page, "SCHEMA_PROPOSAL", COLUMN_CHANGES)
    review = page.get_by_role("region", name="Proposed column changes")
    expect(review).to_be_attached()
    stage.hide_chat(page)
    expect(apply_button(page)).to_be_enabled()
    yield State("review-columns", page)
    apply_button(page).click()
    expect(page.get_by_role("alert").first).to_be_visible()
    yield State("review-columns-refused", page)
    page.get_by_label("Clear these cells").check()
    page.get_by_role("button", name="Close").last.click()
    apply_button(page).click()
    # A toast does not time out under the pointer.
    page.locator("#toasts").get_by_role("button", name="Undo").hover()
    yield State("review-columns-applied", page)
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("columnheader", name="Salary", exact=True)).to_be_visible()
    page.goto(f"{address}edit/")
    stage.propose(page, "SCHEMA_PROPOSAL", COLUMN_CHANGES)
    expect(review).to_be_attached()
    stage.hide_chat(page)
    expect(apply_button(page)).to_be_enabled()
    yield State("review-columns-edit", page)
