"""Two tabs of one person: what is said and settled in one shows in the other; a tab nobody sees holds no stream."""
from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.actions import opened_and_listening, say
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
    """The same page twice."""
    here = open_page(scripted_app.link_for_new_user())
    there = here.context.new_page()
    opened_and_listening(there, here.url)
    return here, there


def test_an_answer_that_begins_in_one_tab_goes_on_in_both(tabs: tuple[Page, Page], scripted: ScriptedModel) -> None:
    here, there = tabs
    gate = Gate()
    scripted.add(reply("First half, and second half.", sizes=(10,), gate=gate, gate_after=1))
    say(here, "tell me something long")
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("First half")
    expect(there.get_by_role("log")).to_contain_text("tell me something long")
    gate.open()
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("First half, and second half.")

    scripted.add(reply("From the other side."))
    say(there, "and now from here")
    expect(here.get_by_role("log")).to_contain_text("From the other side.")


def test_a_draft_of_one_tab_that_is_sent_does_not_keep_the_other_from_hearing_of_it(
    tabs: tuple[Page, Page], scripted: ScriptedModel
) -> None:
    here, there = tabs
    written = here.get_by_role("textbox", name="Message the assistant")
    written.fill("tell me something long")
    opened_and_listening(there, here.url)
    draft = there.get_by_role("textbox", name="Message the assistant")
    expect(draft).to_have_value("tell me something long")
    scripted.add(reply("It begins."))
    written.press("Enter")
    expect(there.get_by_role("log")).to_contain_text("It begins.")
    expect(draft).to_have_value("")


def test_stop_in_one_tab_ends_it_in_both(tabs: tuple[Page, Page], scripted: ScriptedModel) -> None:
    here, there = tabs
    scripted.add(reply("What was said stays, this does not.", sizes=(20,), gate=Gate(), gate_after=1))
    say(here, "tell me something long")
    expect(there.get_by_role("log")).to_contain_text("What was said stays")
    there.get_by_role("button", name="Stop").click()
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("Stopped")


def test_a_proposal_that_is_dismissed_in_one_tab_is_settled_in_the_other(
    tabs: tuple[Page, Page], scripted: ScriptedModel
) -> None:
    here, _ = tabs
    scripted.add(reply(f"Here is a table.\n\nSCHEMA_PROPOSAL: {json.dumps(NEW_TABLE)}"))
    say(here, "I want to track my job applications")
    create = [
        page.get_by_role("region", name="Proposed table").get_by_role("button", name="Create table") for page in tabs
    ]
    for button in create:
        expect(button).to_be_visible()
    here.get_by_role("region", name="Proposed table").get_by_role("button", name="Dismiss").click()
    for page in tabs:
        expect(page.get_by_role("log")).to_contain_text("Dismissed")
    expect(create[1]).to_be_hidden()


def test_a_hidden_tab_lets_go_of_its_stream_and_takes_it_up_when_it_is_seen(
    tabs: tuple[Page, Page], scripted: ScriptedModel
) -> None:
    here, there = tabs
    there.close()
    gate = Gate()
    scripted.add(reply("First half, and second half.", sizes=(10,), gate=gate, gate_after=1))
    say(here, "tell me something long")
    expect(here.get_by_role("log")).to_contain_text("First half")
    with here.expect_event("requestfailed", lambda request: "/api/chat/stream/" in request.url):
        here.evaluate(TURN_VISIBLE, False)
    gate.open()

    def joins(response: Response) -> bool:
        return "/stream/?after=" in response.url

    with here.expect_response(joins):
        here.evaluate(TURN_VISIBLE, True)
    expect(here.get_by_role("log")).to_contain_text("First half, and second half.")
