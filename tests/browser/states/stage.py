"""The setup of the walks through pages and states: an app, its model script, new users and one screen size."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from playwright.sync_api import Page, Route, expect

from tests.browser.app_process import RunningApp
from tests.browser.english_texts import translations
from tests.browser.interception import intercept
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import Reply, ScriptedModel
from tests.scripted_model import say as reply


class State(NamedTuple):
    """A state of a page: its name, and the page that shows it."""

    name: str
    page: Page


@dataclass(frozen=True)
class Stage:
    """An app whose users all have the same screen size and language.

    `zoomed` is a window of 1280 × 800 at 200 %: half as many pixels in each direction, and the chat is a sheet as on a
    phone.
    """

    app: RunningApp
    model: ScriptedModel
    open_page: Callable[..., Page]
    phone: bool
    zoomed: bool = False
    language: str = "en"

    def translate(self, english: str) -> str:
        """Return a text of the interface in the language of the users."""
        return translations(self.language).get(english, english)

    def open(self, path: str = "/tables/", *, link: str = "") -> Page:
        """Open a page without animations, signed in if there is a sign-in link."""
        width, height = (640, 400) if self.zoomed else (390, 844) if self.phone else (1280, 800)
        page = self.open_page(width=width, height=height)
        page.emulate_media(reduced_motion="reduce")
        if link and path == "/tables/":
            page.goto(link)
            return page
        if link:
            # Avoid loading the expensive page that the link leads to.
            assert page.context.request.get(link).ok
        page.goto(self.app.address + path)
        return page

    def open_as_new_user(self, path: str = "/tables/") -> Page:
        """Open a page as a new user."""
        return self.open(path, link=self.app.link_for_new_user())

    def open_blank(self) -> Page:
        """Open a short text as a new user who has not opened a page of the app yet."""
        return self.open_as_new_user("/healthz")

    def open_table(self, page: Page, *, name: str = "Jobs", rows: list[dict[str, Any]] = ROWS) -> str:
        """Create a table, open it and return its URL."""
        table = send(page, "POST", "/api/tables/", {"name": name, "columns": COLUMNS, "rows": rows})
        address = f"{self.app.address}/tables/{table['id']}/"
        page.goto(address)
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
        return address

    def show_chat(self, page: Page) -> None:
        """Open the chat, which is a sheet over the page on a phone."""
        if self.phone and not page.get_by_role("log").is_visible():
            opener = f'#dock [popovertarget="tray"], [aria-label="{self.translate("Open chat")}"]'
            page.locator(opener).locator("visible=true").first.click()

    def hide_chat(self, page: Page) -> None:
        """Close the sheet of the chat on a phone."""
        if self.phone and page.get_by_role("log").is_visible():
            page.get_by_role("button", name=self.translate("Close chat")).click()

    def ask(self, page: Page, message: str, *answers: Reply) -> None:
        """Send a message that gets these answers."""
        self.model.add(*answers)
        self.show_chat(page)
        composer = page.get_by_role("textbox", name=self.translate("Message the assistant"))
        composer.fill(message)
        composer.press("Enter")

    def propose(self, page: Page, marker: str, content: dict[str, Any]) -> None:
        """Send a message that is answered with this proposal."""
        message, answer = ("bitte", "Hier ist er.") if self.language == "de" else ("please", "Here it is.")
        self.ask(page, message, reply(f"{answer}\n\n{marker}: {json.dumps(content)}", sizes=(40,)))


Walk = Callable[[Stage], Iterator[State]]


def as_success(page: Page, path: str, *, body: str | None = None) -> None:
    """Open an error page, or this body, with status 200, because browsers log any other status as an error."""

    def answer(route: Route) -> None:
        if body is not None:
            route.fulfill(status=200, body=body, content_type="text/html")
        else:
            route.fulfill(response=route.fetch(), status=200)

    intercept(page, f"**{path}", answer)
    page.goto("/".join(page.url.split("/")[:3]) + path)
