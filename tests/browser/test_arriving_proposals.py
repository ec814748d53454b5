"""A proposal while it is streamed: rows and columns appear early, a correction restarts them, errors are shown."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.held_responses import HeldRequests
from tests.browser.small_table import send
from tests.scripted_model import Gate, Reply, ScriptedModel, use
from tests.scripted_model import say as reply

Json = dict[str, Any]
CHUNK_SIZE = 7


def held_after(text: str, mark: str, gate: Gate) -> Reply:
    """Return the text in small chunks, held back after `mark` was sent."""
    deltas = -(-(text.index(mark) + len(mark)) // CHUNK_SIZE)
    return reply(text, sizes=(CHUNK_SIZE,), gate=gate, gate_after=deltas)


def rows_of(*companies: str, status: str = "Offer") -> str:
    operations = [{"action": "add", "data": {"Company": name, "Status": status}} for name in companies]
    return f"Here they are.\n\nDATA_PROPOSAL: {json.dumps({'reasoning': 'As you asked', 'operations': operations})}"


def arriving(page: Page) -> Any:
    return page.locator("tr.is-incoming")


def test_rows_appear_while_they_are_streamed_also_when_corrected(page: Page, scripted: ScriptedModel) -> None:
    gate = Gate()
    scripted.add(held_after(rows_of("Dyno", "Echo", "Fable"), '"Echo", "Status": "Offer"}}', gate))
    send_message(page, "add three")
    expect(arriving(page)).to_have_count(2)
    expect(arriving(page).nth(1)).to_contain_text("Echo")
    bar = page.get_by_role("region", name="Incoming changes")
    expect(bar).to_contain_text("2 changes so far")
    expect(page.get_by_role("log")).to_contain_text("2 so far")
    expect(page.get_by_role("button", name="Apply")).to_have_count(0)

    gate.open()
    expect(page.get_by_role("button", name="Apply 3")).to_be_enabled()
    expect(arriving(page)).to_have_count(0)

    # A correction replaces the streamed rows.
    gate = Gate()
    scripted.add(reply(rows_of("Dyno", "Echo", status="Hired")))
    scripted.add(held_after(rows_of("Dyno", "Echo"), '"Dyno", "Status": "Offer"}}', gate))
    send_message(page, "add two who were hired")
    expect(page.get_by_role("log")).to_contain_text("1 so far")
    expect(arriving(page)).to_have_count(1)

    gate.open()
    expect(page.get_by_role("button", name="Apply 2")).to_be_enabled()
    assert "operations[1].data.Status" in scripted.requests[-1]["messages"][-1]["content"][0]["text"]

    # An invalid operation cannot be applied until it is edited.
    faulty = rows_of("Dyno", status="Hired").replace("]}", ', {"action": "add", "data": {"Company": "Echo"}}]}')
    scripted.add(reply(faulty), reply(faulty))
    send_message(page, "add two")
    expect(page.get_by_role("button", name="Apply 1")).to_be_enabled()
    boxes = page.get_by_role("grid").get_by_role("checkbox", name="Add ")
    expect(boxes.nth(0)).not_to_be_checked()
    expect(boxes.nth(1)).to_be_checked()
    expect(boxes.nth(0)).to_be_disabled()


def test_invalid_values_are_reported_with_choices_also_after_a_reload(page: Page, scripted: ScriptedModel) -> None:
    broken = 'Here.\n\nDATA_PROPOSAL: {"operations": [{"action": "add", "data": {"Colour": "red"}}]}'
    scripted.add(reply(broken), reply(broken))
    send_message(page, "add one")
    log = page.get_by_role("log")
    expect(log).to_contain_text("There is no column “Colour”.")
    for _ in range(2):
        lid = log.get_by_text("Show what the assistant wrote")
        expect(log.get_by_text('"Colour"')).not_to_be_visible()
        lid.click()
        expect(log.get_by_text('"Colour"')).to_be_visible()
        page.reload()
        expect(log).to_contain_text("There is no column “Colour”.")
    expect(arriving(page)).to_have_count(0)


def test_a_new_table_appears_column_by_column_with_its_name(page: Page, scripted: ScriptedModel) -> None:
    page.goto(page.url.split("/tables/")[0] + "/tables/")
    gate = Gate()
    columns = [{"action": "add", "column": {"name": name, "type": "text"}} for name in ("Title", "Author", "Year")]
    content = {
        "mode": "create", "reasoning": "To keep them", "table_name": "Books", "table_description": "What I read",
        "operations": columns, "sample_rows": [{"Title": "Momo"}],
    }  # fmt: skip
    scripted.add(held_after(f"SCHEMA_PROPOSAL: {json.dumps(content)}", '"Author", "type": "text"}}', gate))
    send_message(page, "I want to keep track of books")
    region = page.get_by_role("region", name="Incoming table")
    expect(region.get_by_role("heading", name="Books")).to_be_visible()
    expect(region.get_by_role("columnheader")).to_have_count(2)
    expect(region).to_contain_text("2 columns so far")

    gate.open()
    expect(page.get_by_role("button", name="Create table")).to_be_enabled()


def columns_of(page: Page) -> Json:
    """Return the columns of the table by name, with their ids."""
    table = send(page, "GET", f"/api/tables/{page.url.rstrip('/').split('/')[-1]}/")
    return {column["name"]: column["id"] for column in table["columns"]}


def column_changes(page: Page) -> str:
    ids = columns_of(page)
    content = {
        "mode": "update", "reasoning": "To plan ahead",
        "operations": [
            {
                "action": "add", "column": {"name": "Priority", "type": "select", "options": ["High", "Low"]},
                "after_column_id": ids["Company"],
            },
            {"action": "modify", "column_id": ids["Salary"], "changes": {"name": "Pay"}},
            {"action": "remove", "column_id": ids["Remote"]},
        ],
    }  # fmt: skip
    return f"Here.\n\nSCHEMA_PROPOSAL: {json.dumps(content)}"


def test_column_changes_appear_one_by_one_and_stay_visible_until_their_review(
    page: Page, scripted: ScriptedModel
) -> None:
    gate = Gate()
    scripted.add(reply(f"Rows.\n\n{rows_of('Dyno')}"))
    scripted.add(held_after(column_changes(page), '"changes": {"name": "Pay"}}', gate))
    send_message(page, "add one")
    expect(page.get_by_role("button", name="Apply 1 change")).to_be_enabled()
    previews = HeldRequests(page, re.compile(r"/preview/\?"))
    send_message(page, "or rather plan ahead")
    strip = page.get_by_role("region", name="Incoming column changes")
    expect(strip).to_contain_text("2 changes so far")
    expect(strip).to_contain_text("Add Priority")
    expect(strip).to_contain_text("Change Salary")
    expect(strip).not_to_contain_text("Remove")
    heads = page.get_by_role("grid").get_by_role("columnheader")
    priority = heads.filter(has_text="Priority")
    expect(priority).to_have_attribute("data-op", "add")
    expect(heads.filter(has_text="Salary")).to_have_attribute("data-op", "update")
    expect(page.locator("thead th[data-col]").nth(1)).to_contain_text("Priority")

    gate.open()
    previews.wait_for_request()
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    expect(strip).to_contain_text("Add Priority")
    expect(priority).to_have_count(1)
    # Neither of the requested preview nor of the one before it.
    expect(page.get_by_role("button", name="Apply")).to_have_count(0)
    previews.release()
    expect(page.get_by_role("button", name="Apply 3 changes")).to_be_enabled()
    expect(strip).to_have_count(0)
    expect(priority).to_have_count(1)


def test_streamed_rows_stay_until_the_review_of_the_columns_that_replace_them(
    page: Page, scripted: ScriptedModel
) -> None:
    scripted.add(use(("get_rows", {"limit": 1}), text=rows_of("Dyno", "Echo"), sizes=(CHUNK_SIZE,)))
    gate = Gate()
    scripted.add(reply(f"Columns.\n\n{column_changes(page)}", gate=gate))
    previews = HeldRequests(page, re.compile(r"/preview/\?"))
    send_message(page, "rows, or rather columns")
    expect(arriving(page)).to_have_count(2)

    gate.open()
    previews.wait_for_request()
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    # The rows, or the columns if there was time to draw them while they were streamed.
    expect(page.get_by_role("region", name=re.compile("^Incoming"))).to_have_count(1)
    expect(page.get_by_role("button", name="Apply")).to_have_count(0)
    previews.release()
    expect(page.get_by_role("button", name="Apply 3 changes")).to_be_enabled()
    expect(arriving(page)).to_have_count(0)
    page.get_by_role("region", name="Proposed column changes").get_by_role("button", name="Dismiss").click()
    expect(page.locator("table.is-reviewing")).to_have_count(0)


def test_interrupted_changes_leave_the_table_and_the_review_unchanged(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(held_after(column_changes(page), '"changes": {"name": "Pay"}}', Gate()))
    send_message(page, "plan ahead")
    heads = page.get_by_role("grid").get_by_role("columnheader")
    expect(heads.filter(has_text="Priority")).to_have_count(1)
    page.get_by_role("button", name="Stop").click()

    expect(page.get_by_role("log")).to_contain_text("Stopped")
    expect(heads.filter(has_text="Priority")).to_have_count(0)
    expect(page.get_by_role("region", name="Incoming column changes")).to_have_count(0)
    expect(page.locator("th[data-op]")).to_have_count(0)

    scripted.add(reply(f"Columns.\n\n{column_changes(page)}"))
    send_message(page, "change the columns")
    expect(page.get_by_role("button", name="Apply 3 changes")).to_be_enabled()
    scripted.add(held_after(rows_of("Dyno", "Echo"), '"Dyno", "Status": "Offer"}}', Gate()))
    send_message(page, "and add two")
    expect(arriving(page)).to_have_count(1)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Apply 3 changes")).to_be_enabled()
    expect(arriving(page)).to_have_count(0)


def test_column_changes_appear_on_the_columns_page(page: Page, scripted: ScriptedModel) -> None:
    text = column_changes(page)
    page.goto(f"{page.url}edit/")
    gate = Gate()
    scripted.add(held_after(text, '"changes": {"name": "Pay"}}', gate))
    send_message(page, "plan ahead")
    strip = page.get_by_role("region", name="Incoming column changes")
    expect(strip).to_contain_text("Add Priority")
    gate.open()
    expect(page.get_by_role("button", name="Apply 3 changes")).to_be_enabled()


def test_focus_stays_in_the_grid_when_a_proposal_is_replaced_during_an_edit(
    page: Page, scripted: ScriptedModel
) -> None:
    gate = Gate()
    scripted.add(reply(rows_of("Dyno", "Echo")), reply(rows_of("Fable"), gate=gate))
    send_message(page, "add two")
    expect(page.get_by_role("button", name="Apply 2")).to_be_enabled()
    send_message(page, "rather another")
    page.locator('tr[data-index="0"] td[data-label="Company"]').dblclick()
    page.keyboard.type("Dyn")

    gate.open()
    expect(page.get_by_role("button", name="Apply 1")).to_be_enabled()
    expect(page.get_by_role("grid")).to_be_focused()
