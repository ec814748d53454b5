"""States of the tray that depend on the connection: running, interrupted and refused streams."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.interception import intercept
from tests.browser.states.stage import Stage, State
from tests.scripted_model import Gate
from tests.scripted_model import say as reply

START_URL = re.compile(r"/api/chat/stream/$")
FOLLOW_URL = re.compile(r"/api/chat/turns/[^/]+/stream/")
CONVERSATION_URL = re.compile(r"/api/chat/conversations/11111111-1111-4111-8111-111111111111/")
PAGE_OFFER_URL = re.compile(r"/api/chat/pages/")
TURN = "11111111-1111-4111-8111-111111111111"
STARTED = {"type": "status", "message": "", "turn_id": TURN, "conversation_id": TURN}
TOOL = {"tool": "find_duplicates", "tool_use_id": "t1"}
WORKING = (
    STARTED, {"type": "text_delta", "text": "Let me look for them. "}, {"type": "tool_start", "input": {}, **TOOL},
    {"type": "tool_progress", "stage": "Comparing", "message": "Comparing rows", "progress": 0.4,
     "data": {"done": 40, "total": 100}, **TOOL},
)  # fmt: skip
USED_UP = {"type": "error", "code": "budget_exhausted", "message": "", "retryable": False}
# Emulated in the page, because Chromium would log errors if the network were really offline.
GO_OFFLINE = """() => {
  Object.defineProperty(navigator, "onLine", { get: () => false });
  dispatchEvent(new Event("offline"));
}"""


def stream_body(*events: dict[str, Any]) -> str:
    """Return the body of a stream with these events."""
    return "".join(
        f"id: {number}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n"
        for number, event in enumerate(events, start=1)
    )


def answer_with(page: Page, *events: dict[str, Any]) -> None:
    """Answer the next turn with these events. Later requests for the turn or its conversation get no response.

    The server does not know this conversation. A page that reads it again, such as after its socket opened late, would
    be answered 404.
    """
    intercept(page, FOLLOW_URL, lambda route: None)
    intercept(page, CONVERSATION_URL, lambda route: None)
    body = stream_body(*events)
    intercept(page, START_URL, lambda route: route.fulfill(body=body, content_type="text/event-stream"), times=1)


def running_turns(stage: Stage) -> Iterator[State]:
    """A turn before its first text; a running tool after the connection was interrupted; offline."""
    page = stage.open_as_new_user()
    stage.open_table(page)
    log = page.get_by_role("log")
    gate = Gate()
    stage.ask(page, "one", reply("The answer.", sizes=(4,), gate=gate, gate_after=0))
    expect(log).to_contain_text("Thinking")
    yield State("chat-thinking", page)
    gate.open()
    expect(log).to_contain_text("The answer.")
    page.get_by_role("button", name="New conversation").last.click()
    expect(log).not_to_contain_text("The answer.")
    answer_with(page, *WORKING)
    stage.ask(page, "Are there duplicates?")
    expect(log.get_by_role("progressbar")).to_be_visible()
    expect(log).to_contain_text("Reconnecting")
    yield State("chat-tool-running", page)
    page.evaluate(GO_OFFLINE)
    expect(page.get_by_text("You are offline.")).to_be_visible()
    yield State("chat-offline", page)


def notices(stage: Stage) -> Iterator[State]:
    """Notices: the demo model, a limit, a user signed out in another tab."""
    page = stage.open_as_new_user()
    intercept(page, PAGE_OFFER_URL, _as_demo)
    page.reload()
    stage.show_chat(page)
    expect(page.get_by_text("demo model")).to_be_visible()
    yield State("chat-demo", page)
    answer_with(page, STARTED, USED_UP)
    stage.ask(page, "hello there")
    expect(page.get_by_role("log").get_by_role("alert")).to_contain_text("Daily limit reached")
    yield State("chat-limit", page)
    page.get_by_role("textbox", name="Message the assistant").fill("Precious words")
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("form[action*='sign-out'] button").evaluate("(button) => button.form.requestSubmit(button)")
    expect(page.get_by_text("You are signed out. Your text is saved.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message the assistant")).to_have_value("Precious words")
    yield State("chat-signed-out", page)


def _as_demo(route: Route) -> None:
    """Answer with the page offer of the demo model."""
    response = route.fetch()
    route.fulfill(response=response, json={**response.json(), "notice": "Built-in demo model."})
