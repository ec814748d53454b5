"""Direct writes of a tool can be undone on the card of the tool and with the Undo of the page."""
from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.actions import open_with_socket, send_message, wait_for_answer
from tests.browser.small_table import OpenTable
from tests.scripted_model import ScriptedModel, refuse, use
from tests.scripted_model import say as reply


def test_a_row_added_by_a_tool_is_undone_on_its_card(open_scripted_table: OpenTable, scripted: ScriptedModel) -> None:
    page = open_scripted_table(query="?search=Zeppelin")
    row = {"Company": "Zeppelin Works", "Status": "Applied"}
    scripted.add(use(("create_row", {"data": row})), reply("Added."))
    send_message(page, "add a row for Zeppelin Works")

    grid, card = page.get_by_role("grid"), page.get_by_role("log").locator(".toolrow")
    undo = page.get_by_role("banner").get_by_role("button", name="Undo")
    expect(grid.get_by_text("Zeppelin Works")).to_be_visible()
    wait_for_answer(page, "Added.")
    undo.click()
    expect(card.locator("summary")).to_contain_text("Undone")
    expect(grid.get_by_text("Zeppelin Works")).to_have_count(0)
    card.get_by_role("button", name="Redo").click()
    expect(grid.get_by_text("Zeppelin Works")).to_be_visible()
    expect(undo).to_be_enabled()
    card.get_by_role("button", name="Undo").click()
    expect(card.locator("summary")).to_contain_text("Undone")
    expect(grid.get_by_text("Zeppelin Works")).to_have_count(0)
    expect(undo).to_be_disabled()

    page.reload()
    expect(card.locator("summary")).to_contain_text("Undone")
    card.get_by_role("button", name="Redo").press("Enter")
    expect(grid.get_by_text("Zeppelin Works")).to_be_visible()
    expect(card.locator("summary")).to_contain_text("Zeppelin Works")
    expect(card.get_by_role("button", name="Undo")).to_be_focused()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(undo).to_be_in_viewport()


def test_page_undo_undoes_the_write_of_a_tool_in_a_turn_that_failed_later(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(use(("create_row", {"data": {"Company": "Aerostat"}})), refuse(401, kind="authentication_error"))
    send_message(page, "add a row for Aerostat")
    expect(page.get_by_role("log").get_by_role("button", name="Try again")).to_be_visible()
    page.get_by_role("banner").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("log").locator(".toolrow summary")).to_contain_text("Undone")


def test_undo_of_an_added_row_that_was_changed_since_asks_first(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(query="?search=Montgolfier")
    log, grid = page.get_by_role("log"), page.get_by_role("grid")
    scripted.add(use(("create_row", {"data": {"Company": "Montgolfier", "Status": "Applied"}})), reply("Added."))
    send_message(page, "add a row for Montgolfier")
    wait_for_answer(page, "Added.")
    first = log.locator(".toolrow").first
    expect(first.locator("pre").last).to_contain_text("Added row")
    number = re.search(r"Added row (\d+)", first.locator("pre").last.text_content() or "")
    assert number is not None
    changed = {"row_id": int(number[1]), "changes": {"Company": "Montgolfier Brothers"}}
    scripted.add(use(("update_row", changed)), reply("Changed."))
    send_message(page, "call it Montgolfier Brothers")
    expect(grid.get_by_text("Montgolfier Brothers")).to_be_visible()
    expect(log).to_contain_text("Changed.")

    first.get_by_role("button", name="Undo").click()
    expect(first.get_by_role("alert")).to_contain_text("Company of row 1 is now “Montgolfier Brothers”.")
    first.get_by_role("button", name="Keep later changes").click()
    expect(first.get_by_role("alert")).to_have_text("Nothing is left to undo in this change.")
    expect(grid.get_by_text("Montgolfier Brothers")).to_be_visible()
    first.get_by_role("button", name="Undo").click()
    first.get_by_role("button", name="Overwrite later changes").click()
    expect(grid.get_by_text("Montgolfier Brothers")).to_have_count(0)
    expect(first.get_by_role("button", name="Redo")).to_be_visible()


def test_focus_stays_on_a_card_that_is_undone_in_another_tab(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(use(("create_row", {"data": {"Company": "Blimp"}})), reply("Added."))
    send_message(page, "add a row for Blimp")
    wait_for_answer(page, "Added.")
    other = page.context.new_page()
    open_with_socket(other, page.url)
    line, there = (tab.get_by_role("log").locator("details.tool summary") for tab in (page, other))
    line.focus()
    other.get_by_role("log").get_by_role("button", name="Undo").click()
    expect(there).to_contain_text("Undone")
    expect(line).to_contain_text("Undone")
    # Enter only opens the card.
    expect(line).to_be_focused()
