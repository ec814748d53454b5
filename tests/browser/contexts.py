"""Browser contexts that are reused between tests: emptied for each test, except for static files in the cache.

A page in a new context starts new processes and loads all files again, which is a third of its cost.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

from tests.browser.slow_network import slow_down

ORIGIN = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass(frozen=True, kw_only=True)
class Screen:
    """The screen that a context emulates."""

    width: int
    height: int
    dark: bool


@dataclass(kw_only=True)
class ReusableContext:
    """A context with a blank page, which keeps the renderer process alive between tests."""

    screen: Screen
    context: BrowserContext
    blank: Page
    tools: CDPSession
    origins: set[str] = field(default_factory=set)
    closed: bool = False

    def clear(self) -> None:
        """Delete cookies, permissions and everything that pages have stored."""
        self.context.clear_cookies()
        self.context.clear_permissions()
        for origin in self.origins:
            self.tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self.origins.clear()

    def close_pages(self) -> None:
        for page in self.context.pages:
            if page is not self.blank:
                # Requests without a response yet would fail during the next test.
                page.unroute_all(behavior="ignoreErrors")
                page.close()


class ContextPool:
    """The reusable contexts of a browser that no test is using."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[ReusableContext] = []

    def take(self, screen: Screen, *, fresh: bool) -> ReusableContext:
        """Return an empty context; with `fresh`, one whose cache is empty too."""
        found = None if fresh else next((each for each in self._free if each.screen == screen), None)
        if found is None:
            return self._new(screen)
        self._free.remove(found)
        # Not in `give_back`: a late response to a closed page may still have set a cookie.
        found.clear()
        return found

    def give_back(self, used: ReusableContext) -> None:
        """Close the pages of the context, and reuse it unless the test has closed it."""
        if not used.closed:
            used.close_pages()
            self._free.append(used)

    def _new(self, screen: Screen) -> ReusableContext:
        context = self._browser.new_context(
            viewport={"width": screen.width, "height": screen.height},
            color_scheme="dark" if screen.dark else "light",
        )
        blank = context.new_page()
        reusable = ReusableContext(screen=screen, context=context, blank=blank, tools=context.new_cdp_session(blank))
        slow_down(context)
        context.on("page", lambda page: page.on("framenavigated", lambda frame: note_origin(frame.url)))

        def note_origin(url: str) -> None:
            reusable.origins.update(ORIGIN.findall(url))

        def note_closing(_: BrowserContext) -> None:
            reusable.closed = True

        context.on("close", note_closing)
        return reusable
