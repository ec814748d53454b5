"""What a table page asks of the network: few files, little script, and next to nothing when somebody comes back."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.actions import say
from tests.browser.app_process import RunningApp
from tests.browser.large_table import made_large_table
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import ScriptedModel, use
from tests.scripted_model import say as reply

MOST_REQUESTS = 70
MOST_AGAIN = 12
MOST_SCRIPT = 350_000  # bytes, uncompressed
SCRIPT = re.compile(r"/static/.*\.m?js$")
MARKDOWN = 125_000  # bytes of the library that reads answers, fetched where there is one


@pytest.fixture(scope="module")
def large(app: RunningApp, cookies: list[Any], browser: Browser) -> str:
    """The address of a table of 100,000 rows in which nothing was said yet."""
    return made_large_table(app, cookies=cookies, browser=browser)


@pytest.fixture
def page(cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    """An empty tab of somebody who is signed in and has never seen a page of the app."""
    page = open_page(fresh=True)
    page.context.add_cookies(cookies)
    return page


class Traffic:
    """The addresses that pages of a tab ask for, and which of those the network had to answer."""

    def __init__(self, page: Page) -> None:
        self.asked: dict[str, str] = {}
        self.kept: set[str] = set()
        tools = page.context.new_cdp_session(page)
        tools.send("Network.enable")
        tools.on("Network.requestWillBeSent", self._sent)
        tools.on("Network.requestServedFromCache", lambda told: self.kept.add(told["requestId"]))
        tools.on("Network.responseReceived", self._answered)

    def _sent(self, told: dict[str, Any]) -> None:
        self.asked[told["requestId"]] = told["request"]["url"]

    def _answered(self, told: dict[str, Any]) -> None:
        if told["response"].get("fromDiskCache"):
            self.kept.add(told["requestId"])

    @property
    def over_the_network(self) -> list[str]:
        """Addresses, each once: how often a page reads one again depends on when its socket opens."""
        return sorted({url for request, url in self.asked.items() if request not in self.kept})

    @property
    def scripts(self) -> list[str]:
        return [url for url in self.over_the_network if SCRIPT.search(url)]

    def forget(self) -> None:
        self.asked.clear()
        self.kept.clear()


def visit(page: Page, address: str) -> None:
    """The page is there with all that it fetches by itself."""
    visit_again(page, address)
    expect(page.locator(".prompts button").first).to_be_attached()
    page.wait_for_load_state("networkidle")


def visit_again(page: Page, address: str) -> None:
    """The same, whatever was said there meanwhile."""
    page.goto(address)
    expect(page.get_by_text("100,000 rows", exact=True)).to_be_visible()
    expect(page.locator("table-grid[data-live]")).to_be_attached()


def test_a_first_visit_asks_for_few_announced_files_and_the_next_one_for_next_to_nothing(
    large: str, page: Page
) -> None:
    traffic = Traffic(page)
    visit(page, large)
    assert len(traffic.over_the_network) <= MOST_REQUESTS, "\n".join(traffic.over_the_network)
    announced = page.eval_on_selector_all("link[rel=modulepreload]", "links => links.map((link) => link.href)")
    scripts = traffic.scripts
    assert scripts
    assert set(scripts) <= set(announced)
    weight = sum(len(page.request.get(url).body()) for url in scripts)
    assert weight <= MOST_SCRIPT, "\n".join(scripts)
    traffic.forget()
    visit(page, large)
    assert len(traffic.over_the_network) <= MOST_AGAIN, "\n".join(traffic.over_the_network)
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
def spoken(
    scripted: ScriptedModel, scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]
) -> str:
    """The address of a table about which has been spoken: an answer with a tool, a receipt, a proposal that waits."""
    page = open_page(fresh=True)
    page.context.add_cookies(scripted_cookies)
    page.goto(f"{scripted_app.address}/tables/")
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{scripted_app.address}/tables/{table['id']}/")
    scripted.add(use(("get_rows", {"limit": 2}), text="Let me look."), reply(ANSWER))
    say(page, "Which are open?")
    log, bar = page.get_by_role("log"), page.get_by_role("region", name="Proposed changes")
    expect(log.get_by_role("cell", name="1,000")).to_be_visible()
    for name in ("Dyno", "Echo"):
        added = {"reasoning": "As you asked", "operations": [{"action": "add", "data": {"Company": name}}]}
        scripted.add(reply(f"Here it is.\n\nDATA_PROPOSAL: {json.dumps(added)}"))
        say(page, f"Add {name}")
        expect(bar.get_by_role("heading", name="1 of 1")).to_be_visible()
        if name == "Dyno":
            bar.get_by_role("button", name="Apply").click()
            expect(log.get_by_text("Applied 1 change")).to_be_visible()
    return page.url


def visit_spoken(page: Page, address: str) -> None:
    """All that was said is there, and what waits is to be looked over."""
    page.goto(address)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    log = page.get_by_role("log")
    expect(log.get_by_role("cell", name="1,000")).to_be_visible()
    expect(log.get_by_text("Applied 1 change")).to_be_visible()
    expect(page.get_by_role("region", name="Proposed changes").get_by_role("heading", name="1 of 1")).to_be_visible()
    expect(page.get_by_role("grid").get_by_role("checkbox", name="Add Echo")).to_be_visible()
    page.wait_for_load_state("networkidle")


def test_a_table_with_a_conversation_and_a_proposal_loads_few_files_and_little_script(
    spoken: str, scripted_cookies: list[Any], open_page: Callable[..., Page]
) -> None:
    page = open_page(fresh=True)
    page.context.add_cookies(scripted_cookies)
    traffic = Traffic(page)
    visit_spoken(page, spoken)
    weight = sum(len(page.request.get(url).body()) for url in traffic.scripts)
    files = [url for url in traffic.over_the_network if "/static/" in url]
    assert len(files) <= MOST_REQUESTS, "\n".join(files)
    assert weight <= MOST_SCRIPT + MARKDOWN, "\n".join(traffic.scripts)
    traffic.forget()
    visit_spoken(page, spoken)
    assert len(traffic.over_the_network) <= MOST_AGAIN, "\n".join(traffic.over_the_network)


class Gate:
    """A module on its way: held back until it is let through, or until it is told that it cannot be had."""

    def __init__(self, page: Page, name: str) -> None:
        self.waiting: list[Route] | None = []
        page.route(re.compile(rf"/static/{name}\.[0-9a-f]+\.js"), self._take)

    def _take(self, route: Route) -> None:
        if self.waiting is None:
            route.continue_()
        else:
            self.waiting.append(route)

    def open(self) -> None:
        routes, self.waiting = self.waiting or [], None
        for route in routes:
            route.continue_()


def test_a_button_pressed_before_its_module_is_there_does_what_it_says_when_it_comes(large: str, page: Page) -> None:
    visit_again(page, large)
    gate = Gate(page, "chat/conversation_menu")
    page.get_by_role("button", name="New conversation").first.click()
    expect(page.get_by_text("Loading conversations")).to_be_visible()
    gate.open()
    expect(page.get_by_role("searchbox", name="Search conversations")).to_be_visible()
    expect(page.get_by_text("No conversations here yet")).to_be_visible()


def test_words_said_before_the_log_is_there_stand_in_it_and_are_answered(large: str, page: Page) -> None:
    visit_again(page, large)
    gate = Gate(page, "chat/turn_list")
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.fill("How many rows are there?")
    composer.press("Enter")
    log = page.get_by_role("log")
    expect(log.get_by_text("How many rows are there?")).to_be_visible()
    gate.open()
    expect(log.get_by_role("button", name="Good answer").or_(log.locator(".turn__meta time")).first).to_be_visible()
    expect(log.get_by_text("How many rows are there?")).to_have_count(1)


def test_a_module_that_cannot_be_had_says_so_and_another_try_does_what_was_wanted(large: str, page: Page) -> None:
    visit_again(page, large)
    # Browsers complain of it in the console; of this answer the tests bear that.
    pattern = re.compile(r"/static/tables/share_dialog\.[0-9a-f]+\.js")
    page.route(pattern, lambda route: route.fulfill(status=409), times=1)
    page.locator("[popovertarget=table-menu]").click()
    page.get_by_role("link", name="Share").click()
    note = page.get_by_role("alert").filter(has_text="The members could not be loaded.")
    expect(note).to_be_visible()
    page.unroute(pattern)
    note.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(note).to_have_count(0)
