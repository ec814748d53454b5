"""Where the walks through pages and states take place: an app, its model's script, new people, one size of screen."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from playwright.sync_api import Page, Route, expect

from tests.browser.app_process import RunningApp
from tests.browser.english_texts import translations
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import Reply, ScriptedModel
from tests.scripted_model import say as reply


class Stop(NamedTuple):
    """A state that is reached: what it is called, and the page that shows it."""

    name: str
    page: Page


@dataclass(frozen=True)
class Stage:
    """One person after another, each at the same width and with the same language. What a window of 1280 × 800 shows
    at 200 % is `zoomed`: half as many pixels each way, and like on a phone the chat is a sheet."""

    app: RunningApp
    model: ScriptedModel
    open_page: Callable[..., Page]
    phone: bool
    zoomed: bool = False
    language: str = "en"

    def said(self, english: str) -> str:
        """A text of ours as it reads in the language of these people."""
        return translations(self.language).get(english, english)

    def open(self, path: str = "/tables/", *, link: str = "") -> Page:
        """A page of a user who is not signed in, or who signed in by this link; nothing on it moves."""
        width, height = (640, 400) if self.zoomed else (390, 844) if self.phone else (1280, 800)
        page = self.open_page(width=width, height=height)
        page.emulate_media(reduced_motion="reduce")
        if link and path == "/tables/":
            page.goto(link)
            return page
        if link:
            # The costly page that the link leads to need not be drawn.
            assert page.context.request.get(link).ok
        page.goto(self.app.address + path)
        return page

    def arrive(self, path: str = "/tables/") -> Page:
        """A page of a new person."""
        return self.open(path, link=self.app.link_for_new_user())

    def come(self) -> Page:
        """A short text in the browser of a new person, who has opened no page of the app yet."""
        return self.arrive("/healthz")

    def open_table(self, page: Page, *, name: str = "Jobs", rows: list[dict[str, Any]] = ROWS) -> str:
        """Makes a table and goes to it; gives its address."""
        table = send(page, "POST", "/api/tables/", {"name": name, "columns": COLUMNS, "rows": rows})
        address = f"{self.app.address}/tables/{table['id']}/"
        page.goto(address)
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
        return address

    def show_chat(self, page: Page) -> None:
        """On a phone the chat is a sheet over the page."""
        if self.phone and not page.get_by_role("log").is_visible():
            opener = f'#dock [popovertarget="tray"], [aria-label="{self.said("Open chat")}"]'
            page.locator(opener).locator("visible=true").first.click()

    def hide_chat(self, page: Page) -> None:
        """On a phone, back to the page."""
        if self.phone and page.get_by_role("log").is_visible():
            page.get_by_role("button", name=self.said("Close chat")).click()

    def ask(self, page: Page, words: str, *answers: Reply) -> None:
        """Says it, and has it answered like this."""
        self.model.add(*answers)
        self.show_chat(page)
        composer = page.get_by_role("textbox", name=self.said("Message the assistant"))
        composer.fill(words)
        composer.press("Enter")

    def propose(self, page: Page, marker: str, content: dict[str, Any]) -> None:
        """Has the assistant propose this."""
        asked, answered = ("bitte", "Hier ist er.") if self.language == "de" else ("please", "Here it is.")
        self.ask(page, asked, reply(f"{answered}\n\n{marker}: {json.dumps(content)}", sizes=(40,)))


Walk = Callable[[Stage], Iterator[Stop]]


def as_success(page: Page, path: str, *, body: str | None = None) -> None:
    """Goes to a page of an error, or to this body, with status 200: a browser takes any other for a misdeed."""

    def answer(route: Route) -> None:
        if body is not None:
            route.fulfill(status=200, body=body, content_type="text/html")
        else:
            route.fulfill(response=route.fetch(), status=200)

    page.route(f"**{path}", answer)
    page.goto("/".join(page.url.split("/")[:3]) + path)
