"""Network traffic of a table page: few files and little script on a first visit, and few requests on the next."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.interception import intercept
from tests.browser.large_table import create_large_table
from tests.browser.small_table import ROWS, OpenTable, create_small_table
from tests.scripted_model import ScriptedModel, use
from tests.scripted_model import say as reply

MAX_REQUESTS = 70
MAX_REQUESTS_AGAIN = 12
MAX_SCRIPT_SIZE = 350_000  # bytes, uncompressed
SCRIPT = re.compile(r"/static/.*\.m?js$")
# Some modules are loaded at the first move of a pointer. Chromium sometimes invents one when a page is laid out.
WITHOUT_POINTER = """
for (const type of ["pointermove", "pointerover"]) {
  addEventListener(type, (event) => event.stopImmediatePropagation(), true);
}
"""
MARKDOWN_SIZE = 125_000  # bytes of the Markdown library, which is loaded if there is an answer


@pytest.fixture(scope="module")
def large(app: RunningApp, cookies: list[Any], browser: Browser) -> str:
    """The URL of a table with 100,000 rows, without a conversation."""
    return create_large_table(app, cookies=cookies, browser=browser)


@pytest.fixture
def page(cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    """An empty tab with an empty cache, signed in."""
    page = open_page(fresh=True)
    page.add_init_script(WITHOUT_POINTER)
    page.context.add_cookies(cookies)
    return page


class Traffic:
    """The URLs requested by a page, and which of them were not answered from the cache."""

    def __init__(self, page: Page) -> None:
        self.urls: dict[str, str] = {}
        self.cached: set[str] = set()
        tools = page.context.new_cdp_session(page)
        tools.send("Network.enable")
        tools.on("Network.requestWillBeSent", self._sent)
        tools.on("Network.requestServedFromCache", lambda event: self.cached.add(event["requestId"]))
        tools.on("Network.responseReceived", self._received)

    def _sent(self, event: dict[str, Any]) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def _received(self, event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            self.cached.add(event["requestId"])

    @property
    def over_the_network(self) -> list[str]:
        """The URLs, each once: how often a page requests one again depends on when its socket opens."""
        return sorted({url for request, url in self.urls.items() if request not in self.cached})

    @property
    def scripts(self) -> list[str]:
        return [url for url in self.over_the_network if SCRIPT.search(url)]

    def clear(self) -> None:
        self.urls.clear()
        self.cached.clear()


def visit(page: Page, address: str) -> None:
    """Open a page without a conversation, and wait until it has loaded everything."""
    visit_again(page, address)
    expect(page.locator(".prompts button").first).to_be_attached()
    page.wait_for_load_state("networkidle")


def visit_again(page: Page, address: str) -> None:
    """Open a page that may have a conversation by now, and wait until it has loaded everything."""
    page.goto(address)
    expect(page.get_by_text("100,000 rows", exact=True)).to_be_visible()
    expect(page.locator("table-grid[data-live]")).to_be_attached()


def test_a_first_visit_loads_few_preloaded_files_and_the_next_sends_few_requests(large: str, page: Page) -> None:
    traffic = Traffic(page)
    visit(page, large)
    assert len(traffic.over_the_network) <= MAX_REQUESTS, "\n".join(traffic.over_the_network)
    announced = page.eval_on_selector_all("link[rel=modulepreload]", "links => links.map((link) => link.href)")
    scripts = traffic.scripts
    assert scripts
    assert set(scripts) <= set(announced)
    weight = sum(len(page.request.get(url).body()) for url in scripts)
    assert weight <= MAX_SCRIPT_SIZE, "\n".join(scripts)
    traffic.clear()
    visit(page, large)
    assert len(traffic.over_the_network) <= MAX_REQUESTS_AGAIN, "\n".join(traffic.over_the_network)
    assert traffic.scripts == []


ANSWER = """\
Two of the **three** are open:

| Company | Salary |
|---|--:|
| Acme | 1,000 |

- ask `Acme` once more
- see [the list](https://example.org/a)
"""


@pytest.fixture
def conversation(
    scripted: ScriptedModel, scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]
) -> str:
    """The URL of a table with a conversation: an answer with a tool, a receipt and an open proposal."""
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    page.goto(create_small_table(page.context, scripted_app, rows=ROWS))
    scripted.add(use(("get_rows", {"limit": 2}), text="Let me look."), reply(ANSWER))
    send_message(page, "Which are open?")
    log, bar = page.get_by_role("log"), page.get_by_role("region", name="Proposed changes")
    expect(log.get_by_role("cell", name="1,000")).to_be_visible()
    for name in ("Dyno", "Echo"):
        added = {"reasoning": "As you asked", "operations": [{"action": "add", "data": {"Company": name}}]}
        scripted.add(reply(f"Here it is.\n\nDATA_PROPOSAL: {json.dumps(added)}"))
        send_message(page, f"Add {name}")
        expect(bar.get_by_role("heading", name="1 of 1")).to_be_visible()
        if name == "Dyno":
            bar.get_by_role("button", name="Apply").click()
            expect(log.get_by_text("Applied 1 change")).to_be_visible()
    return page.url


def visit_conversation(page: Page, address: str) -> None:
    """Open the table, and wait for its conversation and the review of the proposal."""
    page.goto(address)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    log = page.get_by_role("log")
    expect(log.get_by_role("cell", name="1,000")).to_be_visible()
    expect(log.get_by_text("Applied 1 change")).to_be_visible()
    expect(page.get_by_role("region", name="Proposed changes").get_by_role("heading", name="1 of 1")).to_be_visible()
    expect(page.get_by_role("grid").get_by_role("checkbox", name="Add Echo")).to_be_visible()
    page.wait_for_load_state("networkidle")


def test_a_table_with_a_conversation_and_a_proposal_loads_few_files_and_little_script(
    conversation: str, scripted_cookies: list[Any], open_page: Callable[..., Page]
) -> None:
    page = open_page(fresh=True)
    page.context.add_cookies(scripted_cookies)
    traffic = Traffic(page)
    visit_conversation(page, conversation)
    weight = sum(len(page.request.get(url).body()) for url in traffic.scripts)
    files = [url for url in traffic.over_the_network if "/static/" in url]
    assert len(files) <= MAX_REQUESTS, "\n".join(files)
    assert weight <= MAX_SCRIPT_SIZE + MARKDOWN_SIZE, "\n".join(traffic.scripts)
    traffic.clear()
    visit_conversation(page, conversation)
    assert len(traffic.over_the_network) <= MAX_REQUESTS_AGAIN, "\n".join(traffic.over_the_network)


class HeldModule:
    """A script module that is held back until it is released."""

    def __init__(self, page: Page, name: str) -> None:
        self.waiting: list[Route] | None = []
        intercept(page, re.compile(rf"/static/{name}\.[0-9a-f]+\.js"), self._take)

    def _take(self, route: Route) -> None:
        if self.waiting is None:
            route.continue_()
        else:
            self.waiting.append(route)

    def release(self) -> None:
        routes, self.waiting = self.waiting or [], None
        for route in routes:
            route.continue_()


def test_a_message_sent_before_the_log_is_loaded_is_shown_and_answered(
    open_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_table()
    scripted.add(reply("There are three."))
    module = HeldModule(page, "chat/turn_list")
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.fill("How many rows are there?")
    composer.press("Enter")
    log = page.get_by_role("log")
    expect(log.get_by_text("How many rows are there?")).to_be_visible()
    module.release()
    expect(log.get_by_role("button", name="Good answer").or_(log.locator(".turn__meta time")).first).to_be_visible()
    expect(log.get_by_text("How many rows are there?")).to_have_count(1)


def test_a_button_acts_when_its_module_is_loaded_also_after_try_again(open_table: OpenTable) -> None:
    page = open_table()
    module = HeldModule(page, "chat/conversation_menu")
    page.get_by_role("button", name="New conversation").first.click()
    expect(page.get_by_text("Loading conversations")).to_be_visible()
    module.release()
    expect(page.get_by_role("searchbox", name="Search conversations")).to_be_visible()
    expect(page.get_by_text("No conversations here yet")).to_be_visible()
    page.keyboard.press("Escape")

    # The fixtures ignore the console error of this status.
    pattern = re.compile(r"/static/tables/share_dialog\.[0-9a-f]+\.js")
    intercept(page, pattern, lambda route: route.fulfill(status=409), times=1)
    page.locator("[popovertarget=table-menu]").click()
    page.get_by_role("link", name="Share").click()
    note = page.get_by_role("alert").filter(has_text="The members could not be loaded.")
    expect(note).to_be_visible()
    page.unroute(pattern)
    note.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(note).to_have_count(0)
