"""Two tabs of one user: messages and decisions are shown in both, and a hidden tab has no open stream."""
from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.actions import open_with_socket, send_message
from tests.browser.app_process import RunningApp
from tests.scripted_model import Gate, ScriptedModel
from tests.scripted_model import say as reply

NEW_TABLE = {
    "mode": "create",
    "reasoning": "To see where you stand",
    "table_name": "Job Applications",
    "table_description": "Where I applied",
    "operations": [{"action": "add", "column": {"name": "Company", "type": "text", "required": True}}],
    "sample_rows": [{"Company": "Acme"}],
}
TURN_VISIBLE = """(visible) => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => !visible});
  Object.defineProperty(document, "visibilityState", {configurable: true, get: () => visible ? "visible" : "hidden"});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def tabs(scripted_app: RunningApp, open_page: Callable[..., Page]) -> tuple[Page, Page]:
    """The same page in two tabs."""
    here = open_page(scripted_app.link_for_new_user())
    there = here.context.new_page()
    open_with_socket(there, here.url)
    return here, there


def test_an_answer_requested_in_one_tab_is_streamed_and_stopped_in_both(
    tabs: tuple[Page, Page], scripted: ScriptedModel
) -> None:
    here, there = tabs
    gate = Gate()
    scripted.add(reply("First half, and second half.", sizes=(10,), gate=gate, gate_after=1))
    send_message(here, "tell me something long")
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("First half")
    expect(there.get_by_role("log")).to_contain_text("tell me something long")
    gate.open()
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("First half, and second half.")

    scripted.add(reply("What was said stays, this does not.", sizes=(20,), gate=Gate(), gate_after=1))
    send_message(there, "and now from here")
    expect(here.get_by_role("log")).to_contain_text("What was said stays")
    here.get_by_role("button", name="Stop").click()
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("Stopped")
        expect(page.get_by_role("log")).to_contain_text("What was said stays")

    written = here.get_by_role("textbox", name="Message the assistant")
    written.fill("a draft")
    open_with_socket(there, here.url)
    draft = there.get_by_role("textbox", name="Message the assistant")
    expect(draft).to_have_value("a draft")
    scripted.add(reply("It begins."))
    written.press("Enter")
    expect(there.get_by_role("log")).to_contain_text("It begins.")
    expect(draft).to_have_value("")


def test_a_proposal_dismissed_in_one_tab_is_closed_in_the_other(
    tabs: tuple[Page, Page], scripted: ScriptedModel
) -> None:
    here, _ = tabs
    scripted.add(reply(f"Here is a table.\n\nSCHEMA_PROPOSAL: {json.dumps(NEW_TABLE)}"))
    send_message(here, "I want to track my job applications")
    create = [
        page.get_by_role("region", name="Proposed table").get_by_role("button", name="Create table") for page in tabs
    ]
    for button in create:
        expect(button).to_be_visible()
    here.get_by_role("region", name="Proposed table").get_by_role("button", name="Dismiss").click()
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("Dismissed")
    expect(create[1]).to_be_hidden()


def test_a_hidden_tab_closes_its_stream_and_resumes_it_when_visible(
    tabs: tuple[Page, Page], scripted: ScriptedModel
) -> None:
    here, there = tabs
    there.close()
    gate = Gate()
    scripted.add(reply("First half, and second half.", sizes=(10,), gate=gate, gate_after=1))
    send_message(here, "tell me something long")
    expect(here.get_by_role("log")).to_contain_text("First half")
    with here.expect_event("requestfailed", lambda request: "/api/chat/stream/" in request.url):
        here.evaluate(TURN_VISIBLE, False)
    gate.open()

    def joins(response: Response) -> bool:
        return "/stream/?after=" in response.url

    with here.expect_response(joins):
        here.evaluate(TURN_VISIBLE, True)
    expect(here.get_by_role("log")).to_contain_text("First half, and second half.")
