"""Client actions that the page runs for the assistant on request: once, and with undo."""
from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.actions import open_with_socket, send_message, wait_for_answer
from tests.browser.small_table import cell, saved
from tests.scripted_model import Gate, Reply, ScriptedModel
from tests.scripted_model import say as reply


def run(text: str, *actions: tuple[str, dict[str, Any]]) -> Reply:
    """Return an answer with actions that are run at once."""
    entries = [{"label": name, "action": name, "data": data, "run": True} for name, data in actions]
    return reply(f"{text}\n\nSUGGESTED_ACTIONS: {json.dumps(entries)}")


def test_a_sort_runs_once_and_can_be_undone(page: Page, scripted: ScriptedModel) -> None:
    page.goto(f"{page.url}?sort=-Company&search=c")
    before = page.url
    first, log = cell(page, 0, 0), page.get_by_role("log")
    receipt = log.locator("[data-receipt=sort_rows]")
    expect(first).to_have_text("Crux")
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    other = page.context.new_page()
    open_with_socket(other, before)
    gate = Gate()
    answer = run("By salary, the highest first.", ("sort_rows", {"by": [{"column": "Salary", "descending": True}]}))
    scripted.add(answer.but(sizes=(10,), gate=gate, gate_after=1))
    send_message(page, "sort by salary")
    expect(other.get_by_role("log")).to_contain_text("By sal")
    gate.open()
    expect(receipt).to_contain_text("Sorted by Salary, highest first")
    expect(first).to_have_text("Acme")
    assert page.url != before

    # A reload shows the receipt again without sorting, because the user has changed the order since.
    page.goto(before)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    expect(receipt).to_contain_text("Sorted by Salary, highest first")
    expect(first).to_have_text("Crux")
    # Another tab that followed the answer offers the action for its own view.
    expect(other.get_by_role("log").get_by_role("button", name="sort_rows")).to_be_visible()
    expect(cell(other, 0, 0)).to_have_text("Crux")

    page.get_by_role("grid").get_by_role("columnheader", name="Company").get_by_role("link").click()
    expect(first).to_have_text("Acme")
    receipt.get_by_role("button", name="Undo").press("Enter")
    expect(first).to_have_text("Crux")
    expect(page).to_have_url(before)
    expect(receipt).to_contain_text("Undone")
    expect(receipt.get_by_role("button")).to_have_count(0)


def test_each_action_leaves_a_receipt(page: Page, scripted: ScriptedModel) -> None:
    grid, log = page.get_by_role("grid"), page.get_by_role("log")
    rows = grid.locator('tbody[data-body="rows"] tr')
    offers = {"column": "Status", "op": "any_of", "value": ["Offer"]}
    scripted.add(run("Only offers.", ("filter_rows", {"filter": offers}), ("hide_columns", {"columns": ["Salary"]})))
    send_message(page, "only show offers, without the salary")
    expect(rows).to_have_count(1)
    expect(grid.get_by_role("columnheader", name="Salary")).to_have_count(0)
    expect(log).to_contain_text("Filtered: Status is Offer")
    log.locator("[data-receipt=filter_rows]").get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(3)
    expect(grid.get_by_role("columnheader", name="Salary")).to_have_count(0)
    log.locator("[data-receipt=hide_columns]").get_by_role("button", name="Undo").click()
    expect(grid.get_by_role("columnheader", name="Salary")).to_be_visible()

    # An action that does not fit the table is not run, and its receipt has the reason.
    scripted.add(run("By wage.", ("sort_rows", {"by": [{"column": "Wage"}]})))
    send_message(page, "sort by wage")
    expect(log.locator("[data-receipt=sort_rows]")).to_contain_text("There is no column “Wage” in this table.")

    scripted.add(run("As a file.", ("export_table", {"format": "csv"})))
    with page.expect_download() as download:
        send_message(page, "export as CSV")
    assert download.value.suggested_filename.endswith(".csv")
    expect(log.locator("[data-receipt=export_table]")).to_contain_text("Export started: all rows")

    name = cell(page, 0, 0)
    name.click()
    page.keyboard.type("Zenith")
    page.keyboard.press("Enter")
    saved(page)
    scripted.add(run("Undoing it.", ("undo_change", {})))
    send_message(page, "undo that")
    wait_for_answer(page, "Undoing it.")
    expect(name).to_have_text("Acme")
    undone = log.locator("[data-receipt=undo_change]")
    expect(undone).to_contain_text("Your last change was undone")
    undone.get_by_role("button", name="Redo").click()
    expect(name).to_have_text("Zenith")
    expect(undone).to_contain_text("Redone")


def test_actions_on_a_phone_close_the_chat_if_they_show_something(page: Page, scripted: ScriptedModel) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    log, toasts = page.get_by_role("log"), page.locator("#toasts")
    opener = page.locator("#dock").get_by_role("button", name="Ask, or describe a change")
    opener.click()
    # The receipts of a failed action and of a download are seen in the chat.
    scripted.add(run("By wage.", ("sort_rows", {"by": [{"column": "Wage"}]}), ("export_table", {"format": "csv"})))
    with page.expect_download():
        send_message(page, "sort by wage and export")
    expect(log.locator("[data-receipt=sort_rows]")).to_be_visible()
    expect(log.locator("[data-receipt=export_table]")).to_be_visible()
    expect(toasts.get_by_role("button")).to_have_count(0)

    # The second action runs when the first has closed the chat.
    scripted.add(run("Hidden.", *[("hide_columns", {"columns": [name]}) for name in ("Salary", "Status")]))
    send_message(page, "hide two columns")
    expect(toasts.get_by_role("button", name="Undo")).to_have_count(2)
    expect(log).to_be_hidden()
    expect(opener).to_have_accessible_description("New answer")
    toasts.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("columnheader", name="Salary")).to_be_visible()

    opener.click()
    page.evaluate("""() => {
      window.print = () => { document.body.dataset.printed = ""; };
      new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
        if (added.some((toast) => /opened/.test(toast.textContent))) document.body.dataset.covered = "";
      }).observe(document.getElementById("toasts"), { childList: true });
    }""")
    scripted.add(run("Opened.", ("print_table", {}), ("open_sharing", {})))
    send_message(page, "print and share it")
    expect(page.get_by_role("dialog", name="Share")).to_be_visible()
    expect(page.locator("body[data-printed]")).to_be_attached()
    expect(log).to_be_hidden()
    expect(page.locator("body[data-covered]")).to_have_count(0)
    page.keyboard.press("Escape")

    opener.click()
    scripted.add(run("Here it is.", ("open_history", {})))
    send_message(page, "show the history")
    expect(page).to_have_url(re.compile("/history/$"))
