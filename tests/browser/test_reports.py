"""Other apps: a page with the assistant beside it, with panel, tabs and buttons; the script of a column type."""
from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import record_toasts, send_message, wait_for_answer, wait_for_toast
from tests.browser.app_process import RunningApp
from tests.browser.small_table import saved, send
from tests.reports.running import reports_app
from tests.scripted_model import ScriptedModel, use
from tests.scripted_model import say as reply

SCRIPT = Path(__file__).parents[1] / "reports" / "script.yaml"
BUTTONS = [
    {"label": "Flag it", "action": "flag_paper", "handler": "server", "data": {"paper_id": 2}},
    # Not "Show it": an answer in script.yaml, which is in the same conversation, has a button of this name.
    {"label": "Go to the paper", "action": "open_paper", "data": {"paper_id": 2}},
]
TABLE = {
    "name": "People",
    "columns": [{"name": "Name", "type": "text"}, {"name": "Mail", "type": "email"}],
    "rows": [{"Name": "Ada", "Mail": "ada@lovelace.org"}],
}


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture(scope="module")
def reports(model: ScriptedModel, migrated_database: Path | None) -> Iterator[RunningApp]:
    """The app with two other apps: `tests.reports`, and the column type of `tests.addresses`."""
    apps = ("tests.reports", "tests.addresses")
    with reports_app(model, settings="tests.addresses.settings", apps=apps) as running:
        yield running
    assert model.problems == []


@pytest.fixture
def script() -> ScriptedModel:
    """The script of the guide. Its entries are registered in the running app only."""
    return ScriptedModel.from_file(SCRIPT, catalogue=None)


@pytest.fixture
def page(reports: RunningApp, open_page: Callable[..., Page]) -> Page:
    """Ada's report, opened by Ada."""
    page = open_page(sign_in=reports.link_for("ada"))
    page.goto(f"{reports.address}/reports/1/")
    return page


def test_a_payload_of_a_tool_opens_in_the_panel_and_again_from_its_card(
    model: ScriptedModel, script: ScriptedModel, page: Page
) -> None:
    model.add(script.take, script.take)
    send_message(page, "Which papers are about naps?")

    panel = page.get_by_role("dialog", name="Papers found")
    expect(panel.get_by_role("button", name="Why naps help (2013)")).to_be_visible()
    expect(panel.get_by_role("button", name="Apply")).to_have_count(0)
    assert panel.bounding_box()["width"] == 560  # type: ignore[index]  # it is visible
    panel.get_by_role("button", name="Why naps help (2013)").click()
    expect(page.locator('[data-paper="2"]')).to_be_focused()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)

    page.reload()
    expect(page.get_by_role("log")).to_contain_text("About naps: 2 Why naps help (2013)")
    expect(panel).to_have_count(0)
    card = page.get_by_role("log").get_by_role("button", name="Papers found Papers on “naps”: 1")
    card.click()
    expect(panel).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_focused()


def test_a_reading_list_changes_the_page_and_a_proposal_is_applied_in_part_and_undone(
    reports: RunningApp, model: ScriptedModel, script: ScriptedModel, page: Page
) -> None:
    page.goto(f"{reports.address}/reports/1/?tab=reading")
    model.add(script.take)
    send_message(page, "What should I read first?")

    panel = page.get_by_role("dialog", name="What to read")
    expect(panel.get_by_role("listitem")).to_have_count(2)
    panel.get_by_role("button", name="Apply").click()

    expect(panel).to_have_count(0)
    expect(page.get_by_role("region", name="To read").get_by_role("listitem")).to_have_text(
        ["Why naps help", "Sleep and memory"]
    )
    assert "READING_LIST" not in page.get_by_role("log").inner_text()

    page.set_viewport_size({"width": 1280, "height": 600})
    model.add(script.take)
    send_message(page, "Flag both of them")
    log = page.get_by_role("log")
    card = log.get_by_role("region", name="Papers to flag")
    expect(card.get_by_text("2 to flag")).to_be_visible()
    # The log has scrolled again when the card has requested its items.
    expect(card.get_by_role("button", name="Apply all 2")).to_be_in_viewport(ratio=1)
    card.get_by_role("checkbox", name="Why naps help: Short and recent").uncheck()
    card.get_by_role("button", name="Apply 1 of 2").press("Enter")
    expect(log.get_by_text("Applied 1 of 2")).to_be_visible()
    # Not "Undo": a second press of Enter would undo it.
    expect(log.locator("[data-payload]").last).to_be_focused()
    log.get_by_role("button", name="Undo").press("Enter")
    expect(log.get_by_text("Undone")).to_be_visible()
    page.reload()
    expect(log.get_by_text("Undone")).to_be_visible()
    expect(page.locator('[data-paper="1"] [data-flag]')).to_be_hidden()


def test_a_server_action_runs_and_the_assistant_continues(model: ScriptedModel, page: Page) -> None:
    model.add(reply(f"Shall I?\n\nSUGGESTED_ACTIONS: {json.dumps(BUTTONS)}"))
    send_message(page, "Naps sound good")
    log = page.get_by_role("log")
    record_toasts(page)

    log.get_by_role("button", name="Go to the paper").click()
    expect(page.locator('[data-paper="2"]')).to_be_focused()
    wait_for_toast(page, "Paper shown")

    model.add(reply(f"It is flagged now.\n\nSUGGESTED_ACTIONS: {json.dumps(BUTTONS)}"))
    log.get_by_role("button", name="Flag it").click()
    wait_for_toast(page, "“Why naps help” is flagged for close reading.")
    expect(log).to_contain_text("It is flagged now.")
    expect(page.locator('[data-paper="2"] [data-flag]')).to_be_visible()
    content = model.requests[-1]["messages"][-1]["content"]
    assert "The action flag_paper was run" in content[1]["text"]

    buttons = log.get_by_role("button", name="Flag it")
    expect(buttons).to_have_count(2)
    buttons.last.click()
    expect(page.get_by_role("alert")).to_contain_text("“Why naps help” is flagged already.")


def test_on_a_narrow_page_the_panel_leaves_the_chat_open_and_an_action_closes_it(
    reports: RunningApp, model: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=reports.link_for("ada"), width=390, height=800)
    page.goto(f"{reports.address}/reports/1/")
    page.get_by_role("button", name="Ask about papers").click()
    model.add(use(("search_papers", {"words": "naps"})), reply("One is about naps."))
    send_message(page, "Which papers are about naps?")
    panel = page.get_by_role("dialog", name="Papers found")
    chat = page.get_by_role("log")
    expect(chat).to_contain_text("One is about naps.")
    expect(panel).to_have_css("width", "390px")
    box = panel.bounding_box()
    assert box is not None
    assert (box["x"], box["width"], round(box["y"] + box["height"])) == (0, 390, 800)

    panel.get_by_role("heading", name="Papers found").click()
    expect(chat).to_be_visible()
    panel.get_by_role("button", name="Why naps help (2013)").focus()
    page.get_by_role("button", name="Close chat").click()
    expect(chat).to_be_hidden()
    expect(panel.get_by_role("button", name="Why naps help (2013)")).to_be_visible()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)

    opener = page.get_by_role("button", name="Ask about papers")
    opener.click()
    record_toasts(page)
    model.add(reply(f"Here.\n\nSUGGESTED_ACTIONS: {json.dumps([{**BUTTONS[1], 'run': True}])}"))
    send_message(page, "Show it")
    wait_for_toast(page, "Paper shown")
    expect(chat).to_be_hidden()
    expect(page.locator('[data-paper="2"]')).to_be_focused()
    opener.click()
    expect(chat.locator("[data-receipt=open_paper]")).to_contain_text("Paper shown")
    model.add(reply(f"Again.\n\nSUGGESTED_ACTIONS: {json.dumps(BUTTONS[1:])}"))
    send_message(page, "And as a button")
    wait_for_answer(page, "Again.")
    chat.get_by_role("button", name="Go to the paper").last.click()
    expect(chat).to_be_hidden()


def test_the_script_of_a_column_type_edits_and_draws_the_values(
    reports: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=reports.link_for("ada"))
    table = send(page, "POST", "/api/tables/", TABLE)
    page.goto(f"{reports.address}/tables/{table['id']}/")
    for selector, attribute in (("script[type=module]", "src"), ("link[rel=modulepreload]", "href")):
        named = page.locator(f'{selector}[{attribute}*="email_type"]')
        expect(named).to_have_attribute(attribute, re.compile(r"/static/addresses/email_type\.[0-9a-f]{12}\.js$"))
    cell = page.locator("tbody tr[data-row] td").nth(2)
    expect(cell.get_by_role("link")).to_have_attribute("href", "mailto:ada@lovelace.org")
    cell.click(position={"x": 4, "y": 4})
    page.keyboard.press("Enter")
    editor = cell.locator("input[type=email]")
    expect(editor).to_be_focused()
    editor.fill("Grace@Navy.MIL")
    page.keyboard.press("Enter")
    expect(cell.locator("a.address")).to_have_text("grace@navy.mil")
    saved(page)
    page.reload()
    expect(cell.get_by_role("link")).to_have_attribute("href", "mailto:grace@navy.mil")
    page.goto(f"{page.url}edit/")
    kinds = page.get_by_label("Type of Mail")
    expect(kinds).to_have_value("email")
    expect(kinds.locator("option:checked")).to_have_text("E-mail")
