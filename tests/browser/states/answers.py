"""States of the log beside plain answers: direct writes, actions, versions, unreadable proposals and payload cards."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.interception import intercept
from tests.browser.states.stage import Stage, State
from tests.browser.states.tables import PLANTS
from tests.scripted_model import say as reply
from tests.scripted_model import use

HANDLERS = re.compile(r"/static/chat/pages/tables_list\.[^/]*$")
SHOW_IN_PANEL = """async () => {
  const { href } = document.querySelector('link[rel=modulepreload][href*="/chat/registry."]');
  const { registerPayloadHandler } = await import(href);
  const render = ({ data }) => Object.assign(document.createElement("p"), { textContent: data.table_description });
  registerPayloadHandler("schema_proposal", { render, renderOptions: { panelWidth: "24rem", headerTitle: "A plan" } });
}"""
ACTIONS = [{"label": "Close the chat", "action": "close_chat", "style": "primary"},
           {"label": "Close it as well", "action": "close_chat"},
           {"label": "And close it", "action": "close_chat", "style": "warning"}]  # fmt: skip
BY_COMPANY = {"by": [{"column": "Company", "descending": True}]}
RUN = [{"label": "Sort", "action": "sort_rows", "data": BY_COMPANY, "run": True},
       {"label": "Hide", "action": "hide_columns", "data": {"columns": ["Status"]}, "run": True},
       {"label": "Wage", "action": "hide_columns", "data": {"columns": ["Wage"]}, "run": True}]  # fmt: skip
BROKEN = 'Here it is. DATA_PROPOSAL: {"operations": "all of them"}'
LONG = "\n\n".join(f"Paragraph {number} of an answer that goes on for a while." for number in range(1, 30))


def log_entries(stage: Stage) -> Iterator[State]:
    """A direct write with its Undo, actions, a second version, an unreadable proposal and new messages."""
    page = stage.open_blank()
    stage.open_table(page)
    log = page.get_by_role("log")
    stage.ask(page, "Add Dyno", use(("create_row", {"data": {"Company": "Dyno"}})), reply("Dyno is there."))
    expect(log).to_contain_text("Dyno is there.")
    log.locator("details.tool > summary").last.click()
    undo = log.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    yield State("chat-wrote", page)
    undo.click()
    expect(log.get_by_role("button", name="Redo")).to_be_visible()
    yield State("chat-wrote-undone", page)
    stage.ask(page, "And now?", reply(f"That is all.\n\nSUGGESTED_ACTIONS: {json.dumps(ACTIONS)}"))
    expect(log.get_by_role("button", name="And close it")).to_be_visible()
    yield State("chat-actions", page)
    stage.ask(page, "Sort by company", reply(f"By company.\n\nSUGGESTED_ACTIONS: {json.dumps(RUN)}"))
    receipts = page.locator("#tray [data-receipt]")
    expect(receipts).to_have_count(3)
    # The last action has run, so that none closes the chat on a phone again.
    expect(receipts.last).to_contain_text("Not done")
    stage.show_chat(page)
    receipts.first.get_by_role("button", name="Undo").click()
    expect(receipts.first).to_contain_text("Undone")
    yield State("chat-receipts", page)
    stage.model.add(reply("There is nothing else."))
    log.get_by_role("button", name="Try again").last.click()
    expect(log.get_by_role("img", name="Version 2 of 2")).to_be_visible()
    yield State("chat-versions", page)
    stage.ask(page, "All of them", reply(BROKEN), reply(BROKEN))
    expect(log).to_contain_text("Proposal not shown")
    log.locator("summary", has_text="Show what the assistant wrote").click()
    yield State("chat-unreadable", page)
    stage.ask(page, "Tell me", reply(LONG))
    expect(log).to_contain_text("Paragraph 29")
    log.evaluate("(log) => log.scrollTo(0, 0)")
    stage.model.add(reply("That is the other one."))
    # Sent from another tab, because sending from this tab would scroll to the answer.
    other = page.context.new_page()
    other.goto(page.url)
    stage.show_chat(other)
    expect(other.get_by_role("log")).to_contain_text("Paragraph 29")
    other.get_by_role("textbox", name="Message the assistant").fill("And then?")
    other.get_by_role("textbox", name="Message the assistant").press("Enter")
    expect(page.get_by_role("button", name="New messages")).to_be_visible()
    expect(log).to_contain_text("That is the other one.")
    yield State("chat-news", page)


def chips(stage: Stage) -> Iterator[State]:
    """The context of the next message: a table name with hidden characters, and the selected rows."""
    page = stage.open_blank()
    stage.open_table(page, name="pay\u202epal\u200b")
    for name in ("Acme", "Bolt"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    stage.show_chat(page)
    expect(page.locator("[data-context-label]")).to_have_text("payU+202EpalU+200B, 2 selected rows")
    yield State("chat-selected-rows", page)


def payload_cards(stage: Stage) -> Iterator[State]:
    """A proposal without a handler on the page, and one in the floating panel."""
    page = stage.open_as_new_user()
    intercept(page, HANDLERS, lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.reload()
    stage.propose(page, "SCHEMA_PROPOSAL", PLANTS)
    log = page.get_by_role("log")
    expect(log.get_by_role("button", name="Apply all")).to_be_visible()
    yield State("chat-generic-card", page)
    page.evaluate(SHOW_IN_PANEL)
    stage.propose(page, "SCHEMA_PROPOSAL", PLANTS)
    _in_panel(page)
    yield State("chat-panel", page)


def _in_panel(page: Page) -> None:
    panel = page.get_by_role("dialog", name="A plan")
    expect(panel).to_contain_text("What grows where")
    expect(panel.get_by_role("button", name="Apply")).to_be_visible()
