"""User input while a response is pending is not lost and not handled twice."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.actions import send_message
from tests.browser.held_responses import HeldRequests, HeldResponses
from tests.browser.interception import intercept
from tests.browser.reviews import propose
from tests.browser.small_table import OpenTable, api, cell, saved, send, values
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

ROWS_READ = re.compile(r"/rows/\?.*offset=")
PREVIEW = re.compile(r"/preview/\?")


def hold_rows(page: Page) -> HeldRequests:
    """Add a row as another client, so that the page reads its rows again; hold back the response."""
    held = HeldRequests(page, ROWS_READ)
    with page.expect_request(ROWS_READ):
        send(page, "POST", f"{api(page)}rows/", {"Company": "Dyno"})
    return held


def test_text_the_focus_and_a_press_are_not_lost_while_rows_are_read(page: Page) -> None:
    held = hold_rows(page)
    cell(page, 1, 0).click()
    page.keyboard.type("Bolt & So")
    held.release()
    page.keyboard.type("ns")
    page.keyboard.press("Enter")
    saved(page)
    expect(cell(page, 3, 0)).to_have_text("Dyno")
    assert [row["Company"] for row in values(page)] == ["Acme", "Bolt & Sons", "Crux", "Dyno"]

    chip = page.locator("[data-filters]").get_by_role("link", name="Remote")
    held = hold_rows(page)
    chip.focus()
    held.release()
    expect(page.get_by_text("5 rows", exact=True)).to_be_visible()
    expect(chip).to_be_focused()

    # A press is valid for one second, in which only the browser itself acts.
    held = HeldResponses(page, ROWS_READ)
    send(page, "POST", f"{api(page)}rows/", {"Company": "Dyno"})
    held.wait_for_response()
    page.locator("[data-filters]").get_by_text("Remote").hover()
    page.mouse.down()
    held.release()
    page.mouse.up()
    expect(page).to_have_url(re.compile("filter="))
    expect(page.get_by_text("1 matching row")).to_be_visible()


def test_rows_are_read_during_a_save_and_once_more_after_it(open_scripted_table: OpenTable) -> None:
    page = open_scripted_table([{"Company": f"C {number}"} for number in range(350)])
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if ROWS_READ.search(request.url) else None)
    held = HeldRequests(page, re.compile(r"/rows/\d+/\?"))
    cell(page, 0, 0).click()
    page.keyboard.type("First")
    with page.expect_request(held.address):
        page.keyboard.press("Enter")
    page.locator(".grid-scroll").evaluate("it => { it.scrollTop = it.scrollHeight; }")
    expect(page.get_by_text("C 349", exact=True)).to_be_visible()
    assert len(requests) <= 2
    before = len(requests)
    with page.expect_response(ROWS_READ):
        held.release()
    saved(page)
    page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
    assert before < len(requests) <= before + 2
    expect(page.get_by_text("C 349", exact=True)).to_be_visible()
    page.keyboard.press("Control+Home")
    expect(cell(page, 0, 0)).to_have_text("First")
    # An added row is counted once and drawn once, whatever else is read meanwhile.
    page.get_by_role("button", name="Add row").click()
    page.keyboard.type("New")
    page.keyboard.press("Enter")
    counted = page.locator("table-grid [data-count]")
    expect(counted).to_have_text("351 rows")
    for top, company in ((150 * 36, "C 150"), (350 * 36, "New")):
        page.locator(".grid-scroll").evaluate("(it, top) => { it.scrollTop = top; }", top)
        expect(page.get_by_role("gridcell", name=company, exact=True)).to_be_visible()
        expect(counted).to_have_text("351 rows")
    expect(page.get_by_role("gridcell", name="New", exact=True)).to_have_count(1)


def test_text_typed_into_a_proposed_cell_is_not_lost_while_another_is_checked(
    page: Page, scripted: ScriptedModel
) -> None:
    operations = [{"action": "add", "data": {"Company": company}} for company in ("Dyno", "Echo")]
    # Rows of a proposal are redrawn until it can be applied: a double click across two drawings opens no editor.
    propose(page, scripted, "DATA_PROPOSAL", *operations)
    first, second = (page.locator(f'tr[data-index="{index}"] td[data-label="Company"]') for index in (0, 1))
    first.dblclick()
    page.keyboard.press("Control+a")
    page.keyboard.type("Dynamo")
    held = HeldRequests(page, PREVIEW)
    with page.expect_request(PREVIEW):
        page.keyboard.press("Enter")
    second.dblclick()
    page.keyboard.type(" & So")
    held.release()
    page.keyboard.type("ns")
    page.keyboard.press("Enter")
    expect(first).to_have_text("Dynamo")
    expect(second).to_have_text("Echo & Sons")
    apply = page.locator(".review__actions").get_by_role("button", name="Apply 2")
    expect(apply).to_be_enabled()
    apply.click()
    expect(cell(page, 4, 0)).to_have_text("Echo & Sons")
    assert [row["Company"] for row in values(page)][3:] == ["Dynamo", "Echo & Sons"]


def test_returning_to_saved_columns_shows_their_current_state(page: Page) -> None:
    page.goto(f"{page.url}edit/")
    table = re.compile(r"/tables/\d+/$")
    # Browsers restore a page from the back/forward cache. Here the page stays visible in the same state.
    intercept(page, table, lambda route: route.fulfill(status=204))
    name = page.get_by_role("textbox", name="Column name").first
    name.fill("Employer")
    with page.expect_request(table):
        page.keyboard.press("Control+s")
    expect(page.locator("form[inert]")).to_be_attached()
    page.evaluate("setTimeout(() => dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true})))")
    expect(page.locator("form[inert]")).to_have_count(0)
    expect(name).to_have_value("Employer")
    name.fill("Employers")
    expect(page.get_by_text("1 unsaved change")).to_be_visible()


def test_column_edits_are_not_lost_before_scripts_are_loaded_or_while_the_table_is_read_or_saved(page: Page) -> None:
    form = HeldRequests(page, re.compile(r"/static/tables/schema_form\.[0-9a-f]+\.js"))
    with page.expect_request(form.address):
        page.goto(f"{page.url}edit/", wait_until="commit")
    description = page.get_by_role("textbox", name="Description")
    description.fill("Where I ap")
    form.release()
    expect(page.get_by_role("button", name="Add column")).to_be_enabled()
    page.keyboard.type("plied")
    expect(description).to_have_value("Where I applied")
    page.keyboard.press("Control+s")
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    assert send(page, "GET", api(page))["description"] == "Where I applied"

    page.goto(f"{page.url}edit/")
    held = HeldRequests(page, re.compile(r"/api/tables/\d+/$"))
    with page.expect_request(held.address):
        page.evaluate("() => document.dispatchEvent(new CustomEvent('table-changed'))")
    name = page.get_by_role("textbox", name="Column name").first
    name.fill("Employer")
    held.release()
    expect(page.locator("#toasts")).to_contain_text("Save or discard your edits")
    expect(name).to_have_value("Employer")

    saving: list[Route] = []
    intercept(page, re.compile(r"/proposals/schema/"), lambda route: saving.append(route))
    name.focus()
    with page.expect_request(re.compile(r"/proposals/schema/")):
        page.keyboard.press("Control+s")
    expect(name).not_to_be_focused()
    page.keyboard.type("s")
    saving[0].fulfill(status=409, json={"error": "busy", "detail": "The table is busy. Try again in a moment."})
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved. The table is busy.")
    expect(name).to_have_value("Employer")
    expect(name).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type("s")
    expect(name).to_have_value("Employers")


def test_a_column_hidden_before_scripts_are_loaded_is_hidden(page: Page) -> None:
    grid = HeldRequests(page, re.compile(r"/static/tables/grid\.[0-9a-f]+\.js"))
    with page.expect_request(grid.address):
        page.reload(wait_until="commit")
    page.locator("[data-shown-button]").click()
    page.get_by_role("checkbox", name="Salary").uncheck()
    with page.expect_response(re.compile(r"/view/$")):
        grid.release()
    expect(page.get_by_role("columnheader", name="Salary")).to_have_count(0)
    expect(page.get_by_role("checkbox", name="Salary")).not_to_be_checked()
    page.reload()
    expect(page.get_by_role("columnheader", name="Salary")).to_have_count(0)


def test_unchecking_all_rows_while_they_are_read_leaves_none_checked(open_scripted_table: OpenTable) -> None:
    page = open_scripted_table([{"Company": f"C {number}"} for number in range(250)])
    everything = page.get_by_role("checkbox", name="Select all rows")
    held = HeldRequests(page, ROWS_READ)
    with page.expect_request(ROWS_READ):
        everything.click()
    everything.uncheck()
    held.release()
    expect(page.get_by_role("toolbar", name="Selected rows")).to_be_hidden()
    everything.click()
    expect(page.get_by_role("toolbar", name="Selected rows")).to_contain_text("250 rows selected")


def test_a_message_sent_while_the_page_loads_continues_its_conversation(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(reply("It is large."), reply("It is old."))
    log = page.get_by_role("log")
    send_message(page, "What about Berlin?")
    expect(log).to_contain_text("It is large.")
    held = HeldRequests(page, re.compile(r"/chat/conversations/\?"))
    page.reload()
    send_message(page, "And Paris?")
    expect(page.get_by_text("Waiting: And Paris?")).to_be_visible()
    held.release()
    expect(log).to_contain_text("It is old.")
    expect(page.get_by_text("Waiting: And Paris?")).to_be_hidden()
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.press("ArrowUp")
    expect(composer).to_have_value("And Paris?")
    sent = [message["content"][-1]["text"] for message in scripted.requests[-1]["messages"]]
    assert sent == ["What about Berlin?", "It is large.", "And Paris?"]
