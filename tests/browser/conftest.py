"""A real Chromium that watches for what must never happen: console errors, CSP violations, foreign requests."""
from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright

from chatproject.testing.programs import find_browser
from tests.browser.actions import signed_in
from tests.browser.app_process import RunningApp, started_app
from tests.browser.contexts import ContextPool, ReusableContext, Screen
from tests.browser.foreign_requests import RefusingProxy, refusing_proxy
from tests.browser.page_diagnostics import waiting_for
from tests.browser.small_table import ROWS, OpenTable, own_table
from tests.scripted_model import ScriptedModel
from tests.scripted_server import serving
from tests.shared_files import prepare_data_dir

PATIENCE = 30_000  # ms; a machine may be busy with other things, and what comes at once is not waited for
PAGES: pytest.StashKey[list[Page]] = pytest.StashKey()
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
# The pages of a context share one process, which a blank page keeps alive between tests (see contexts.py).
ONE_RENDERER = "--renderer-process-limit=1"
# Threads in which V8 collects garbage and compiles use more processor time than the same work in the page's own.
ONE_SCRIPT_THREAD = "--js-flags=--single-threaded"
SHARED_MEMORY = Path("/dev/shm")
MIN_SHARED_MEMORY = 1024**3  # bytes; containers often have only 64 MiB, with which Chromium crashes


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order tests by the server that they use: a worker runs neighbors, and few workers start both servers."""
    items.sort(key=lambda item: [name in getattr(item, "fixturenames", ()) for name in ("app", "played")])


@pytest.fixture(scope="session")
def foreign_requests() -> Iterator[RefusingProxy]:
    """Where the browser sends requests to hosts other than this one."""
    with refusing_proxy() as proxy:
        yield proxy


@pytest.fixture(scope="session")
def browser(foreign_requests: RefusingProxy) -> Iterator[Browser]:
    # Chromium's own sandbox cannot be had as root.
    unsandboxed = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=PATIENCE)
    # By default Playwright has Chromium share memory through files in /tmp, which costs pages an eighth more CPU.
    in_files = ["--disable-dev-shm-usage"] if has_shared_memory() else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_browser(),
            args=[*QUIET, ONE_RENDERER, ONE_SCRIPT_THREAD, foreign_requests.option, *unsandboxed],
            ignore_default_args=in_files,
        )
        yield chromium
        chromium.close()


def has_shared_memory() -> bool:
    """Return whether /dev/shm has room for the pages of all browsers that run at a time."""
    return SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= MIN_SHARED_MEMORY


@pytest.fixture(scope="session")
def app(migrated_database: Path | None) -> Iterator[RunningApp]:
    """The app with the demo model and the demo tables."""
    with started_app(prepare_data_dir) as running:
        yield running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed test what its pages were waiting for."""
    report = yield
    if report.failed and call.when == "call":
        for page in item.stash.get(PAGES, []):
            with suppress(Error):
                report.sections.append(("page", waiting_for(page)))
    return report


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> ContextPool:
    return ContextPool(browser)


@pytest.fixture
def open_page(
    contexts: ContextPool, foreign_requests: RefusingProxy, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Opens pages, each a person of its own (cookies apart); when the test ends, none may have misbehaved.

    A `fresh` page has an empty cache, as on a first visit. With `sign_in`, a sign-in link, the page is a short text of
    the same site: signed in, but without the costly page that the link leads to.
    """
    misdeeds: list[str] = []
    taken: list[ReusableContext] = []
    pages = request.node.stash.setdefault(PAGES, [])

    def open_page(
        link: str = "",
        *,
        sign_in: str = "",
        width: int = 1440,
        height: int = 900,
        dark: bool = False,
        fresh: bool = False,
    ) -> Page:
        taken.append(contexts.take(Screen(width=width, height=height, dark=dark), fresh=fresh))
        page = taken[-1].context.new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: misdeeds.append(_described(said)) if _is_misdeed(said) else None)
        page.on("pageerror", lambda error: misdeeds.append(f"uncaught: {error}"))
        if sign_in:
            assert page.context.request.get(sign_in).ok
            page.goto(urljoin(sign_in, "/healthz"))
        if link:
            page.goto(link)
        return page

    yield open_page
    # Closing a page sends the requests that its routes still hold to the server, which may answer them with an error.
    found = "\n".join([*misdeeds, *(f"foreign request: {each}" for each in foreign_requests.take_requests())])
    for each in taken:
        contexts.give_back(each)
    assert not found, found


def _described(said: ConsoleMessage) -> str:
    return f"console: {said.text} ({said.location['url']})"


def _is_misdeed(said: ConsoleMessage) -> bool:
    """Chromium reports every refusal of the API as an error; 409 and 422 are answers that pages know how to take."""
    return said.type == "error" and not re.search(r"responded with a status of (409|422) ", said.text)


@pytest.fixture(scope="session")
def cookies(app: RunningApp, browser: Browser) -> list[Any]:
    """The cookies of somebody who signed in. Their tables are many: a test makes its own."""
    return signed_in(app, browser=browser)


@pytest.fixture
def open_table(app: RunningApp, cookies: list[Any], open_page: Callable[..., Page]) -> OpenTable:
    """Opens a new table of three rows, or of these, beside the demo model; its grid is alive."""

    def open_table(rows: list[dict[str, Any]] = ROWS, *, width: int = 1440, dark: bool = False) -> Page:
        page = open_page(width=width, dark=dark)
        page.context.add_cookies(cookies)
        page.goto(own_table(page.context, app, rows=rows))
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
        return page

    return open_table


@pytest.fixture(scope="session")
def played(migrated_database: Path | None) -> Iterator[tuple[RunningApp, list[ScriptedModel]]]:
    """The app with a scripted server in place of the provider (real SDK, real HTTP); the last script is played."""
    scripts: list[ScriptedModel] = []
    with serving(lambda: scripts[-1]) as url:
        named = [{"name": "first", "model": "scripted"}, {"name": "second", "label": "The other one", "model": "other"}]
        keys = {"ANTHROPIC_API_KEY": "a-key-for-tests", "ANTHROPIC_BASE_URL": url, "CHAT_MODELS": json.dumps(named)}
        # One person says here what a hundred tests want said.
        with started_app(prepare_data_dir, **keys, EMAIL_URL="console:", CHAT_TURNS_A_MINUTE="1000") as running:
            yield running, scripts


@pytest.fixture(scope="session")
def scripted_cookies(played: tuple[RunningApp, list[ScriptedModel]], browser: Browser) -> list[Any]:
    """The cookies of somebody who signed in to the app with the scripted server."""
    return signed_in(played[0], browser=browser)


@pytest.fixture
def scripted() -> ScriptedModel:
    """A Messages API that says what the test tells it to."""
    return ScriptedModel()


@pytest.fixture
def scripted_app(
    played: tuple[RunningApp, list[ScriptedModel]], scripted: ScriptedModel
) -> Iterator[RunningApp]:
    """The app with the script of this test in place of the provider."""
    running, scripts = played
    scripts.append(scripted)
    yield running
    assert not scripted.problems


@pytest.fixture
def open_scripted_table(
    scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]
) -> OpenTable:
    """The same beside the scripted model; its socket has said the first word, so that it hears of everything."""

    def open_table(rows: list[dict[str, Any]] = ROWS, *, width: int = 1440, dark: bool = False) -> Page:
        page = open_page(width=width, dark=dark)
        page.context.add_cookies(scripted_cookies)
        page.goto(own_table(page.context, scripted_app, rows=rows))
        expect(page.locator("table-grid[data-live]")).to_be_attached()
        return page

    return open_table


@pytest.fixture
def page(open_scripted_table: OpenTable) -> Page:
    """A new table of three rows beside the scripted model, opened by its owner. Other pages have their own."""
    return open_scripted_table()
