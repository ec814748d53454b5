"""States of the tray that come from the way there: streams as they are told, cut and refused."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.states.stage import Stage, Stop
from tests.scripted_model import Gate
from tests.scripted_model import say as reply

BEGINS = re.compile(r"/api/chat/stream/$")
TAKES_UP = re.compile(r"/api/chat/turns/[^/]+/stream/")
CONVERSATION = re.compile(r"/api/chat/conversations/11111111-1111-4111-8111-111111111111/")
OFFERS = re.compile(r"/api/chat/pages/")
TURN = "11111111-1111-4111-8111-111111111111"
BEGUN = {"type": "status", "message": "", "turn_id": TURN, "conversation_id": TURN}
TOOL = {"tool": "find_duplicates", "tool_use_id": "t1"}
WORKING = (
    BEGUN, {"type": "text_delta", "text": "Let me look for them. "}, {"type": "tool_start", "input": {}, **TOOL},
    {"type": "tool_progress", "stage": "Comparing", "message": "Comparing rows", "progress": 0.4,
     "data": {"done": 40, "total": 100}, **TOOL},
)  # fmt: skip
USED_UP = {"type": "error", "code": "budget_exhausted", "message": "", "retryable": False}
# As a browser tells it; were the network really gone, its own complaints would count as misdeeds of the page.
AWAY = """() => {
  Object.defineProperty(navigator, "onLine", { get: () => false });
  dispatchEvent(new Event("offline"));
}"""


def told(*events: dict[str, Any]) -> str:
    """The body of a stream with these events."""
    return "".join(f"id: {at}\ndata: {json.dumps(event)}\n\n" for at, event in enumerate(events, start=1))


def telling(page: Page, *events: dict[str, Any]) -> None:
    """Answer the next turn with these events; later requests for the turn or its conversation get no answer.

    The server does not know this conversation. A page that reads it again, such as after its socket opened late, would
    be answered 404.
    """
    page.route(TAKES_UP, lambda route: None)
    page.route(CONVERSATION, lambda route: None)
    page.route(BEGINS, lambda route: route.fulfill(body=told(*events), content_type="text/event-stream"), times=1)


def under_way(stage: Stage) -> Iterator[Stop]:
    """A turn before its first word; a tool at work while the connection is broken; offline."""
    page = stage.arrive()
    stage.open_table(page)
    log = page.get_by_role("log")
    gate = Gate()
    stage.ask(page, "one", reply("The answer.", sizes=(4,), gate=gate, gate_after=0))
    expect(log).to_contain_text("Thinking")
    yield Stop("chat-thinking", page)
    gate.open()
    expect(log).to_contain_text("The answer.")
    page.get_by_role("button", name="New conversation").last.click()
    expect(log).not_to_contain_text("The answer.")
    telling(page, *WORKING)
    stage.ask(page, "Are there duplicates?")
    expect(log.get_by_role("progressbar")).to_be_visible()
    expect(log).to_contain_text("Reconnecting")
    yield Stop("chat-tool-running", page)
    page.evaluate(AWAY)
    expect(page.get_by_text("You are offline.")).to_be_visible()
    yield Stop("chat-offline", page)


def notices(stage: Stage) -> Iterator[Stop]:
    """What stands between: the demo model, a limit, somebody who was signed out in another tab."""
    page = stage.arrive()
    page.route(OFFERS, _as_demo)
    page.reload()
    stage.show_chat(page)
    expect(page.get_by_text("demo model")).to_be_visible()
    yield Stop("chat-demo", page)
    telling(page, BEGUN, USED_UP)
    stage.ask(page, "hello there")
    expect(page.get_by_role("log").get_by_role("alert")).to_contain_text("Daily limit reached")
    yield Stop("chat-limit", page)
    page.get_by_role("textbox", name="Message the assistant").fill("Precious words")
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("form[action*='sign-out'] button").evaluate("(button) => button.form.requestSubmit(button)")
    expect(page.get_by_text("You are signed out. Your text is saved.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message the assistant")).to_have_value("Precious words")
    yield Stop("chat-signed-out", page)


def _as_demo(route: Route) -> None:
    """The offer of the page as the demo model has it."""
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "demo": True})
