"""Fixtures of the browser tests: Chromium, the app, and pages that fail on console errors or foreign requests."""
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
from tests.browser.actions import sign_in_new_user
from tests.browser.app_process import RunningApp, started_app
from tests.browser.contexts import ContextPool, ReusableContext, Screen
from tests.browser.foreign_requests import RefusingProxy, refusing_proxy
from tests.browser.page_diagnostics import describe_page
from tests.browser.small_table import ROWS, OpenTable, create_small_table
from tests.scripted_model import ScriptedModel
from tests.scripted_server import serving
from tests.shared_files import prepare_data_dir

PATIENCE = 30_000  # ms; long enough for a busy machine
PAGES: pytest.StashKey[list[Page]] = pytest.StashKey()
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
# The pages of a context share one process, which a blank page keeps alive between tests (see contexts.py).
ONE_RENDERER = "--renderer-process-limit=1"
# Threads in which V8 collects garbage and compiles use more processor time than the same work in the page's own.
ONE_SCRIPT_THREAD = "--js-flags=--single-threaded"
SHARED_MEMORY = Path("/dev/shm")
MIN_SHARED_MEMORY = 1024**3  # bytes; containers often have only 64 MiB, with which Chromium crashes


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have tests with the demo model first: all in the part of one worker, so that no other starts their app.

    Workers that have no tests left take over the last ones of others, which are not these. The slow accessibility tests
    are the last.
    """

    def order(item: pytest.Item) -> tuple[bool, ...]:
        return "app" not in getattr(item, "fixturenames", ()), item.path.name == "test_axe.py"

    items.sort(key=order)


@pytest.fixture(scope="session")
def foreign_requests() -> Iterator[RefusingProxy]:
    """The proxy that receives the browser's requests to other hosts."""
    with refusing_proxy() as proxy:
        yield proxy


@pytest.fixture(scope="session")
def browser(foreign_requests: RefusingProxy) -> Iterator[Browser]:
    # Chromium's sandbox does not work as root.
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
    """Add descriptions of its pages to the report of a failed test."""
    report = yield
    if report.failed and call.when == "call":
        for page in item.stash.get(PAGES, []):
            with suppress(Error):
                report.sections.append(("page", describe_page(page)))
    return report


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> ContextPool:
    return ContextPool(browser)


@pytest.fixture
def open_page(
    contexts: ContextPool, foreign_requests: RefusingProxy, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Open pages, each with its own cookies. After the test, fail if one had console errors or foreign requests.

    A `fresh` page has an empty cache, as on a first visit. With `sign_in`, a sign-in link, the page is signed in and
    shows a short text of the same site instead of the expensive page that the link leads to.
    """
    violations: list[str] = []
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
        page.on("console", lambda message: violations.append(_describe(message)) if _is_violation(message) else None)
        page.on("pageerror", lambda error: violations.append(f"uncaught: {error}"))
        if sign_in:
            assert page.context.request.get(sign_in).ok
            page.goto(urljoin(sign_in, "/healthz"))
        if link:
            page.goto(link)
        return page

    yield open_page
    # Closing a page sends the requests that its routes still hold to the server, which may answer them with an error.
    found = "\n".join([*violations, *(f"foreign request: {each}" for each in foreign_requests.take_requests())])
    for each in taken:
        contexts.give_back(each)
    assert not found, found


def _describe(message: ConsoleMessage) -> str:
    return f"console: {message.text} ({message.location['url']})"


def _is_violation(message: ConsoleMessage) -> bool:
    """Return whether this is an error other than a response with status 409 or 422, which pages handle."""
    return message.type == "error" and not re.search(r"responded with a status of (409|422) ", message.text)


@pytest.fixture(scope="session")
def cookies(app: RunningApp, browser: Browser) -> list[Any]:
    """The cookies of a user signed in to the app with the demo model, shared by tests that create their own tables."""
    return sign_in_new_user(app, browser=browser)


def table_opener(app: RunningApp, *, cookies: list[Any], open_page: Callable[..., Page]) -> OpenTable:
    """Return a function that opens a new table in this app, and waits until its grid works."""

    def open_table(
        rows: list[dict[str, Any]] = ROWS, *, query: str = "", width: int = 1440, dark: bool = False
    ) -> Page:
        page = open_page(width=width, dark=dark)
        page.context.add_cookies(cookies)
        page.goto(create_small_table(page.context, app, rows=rows) + query)
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
        return page

    return open_table


@pytest.fixture
def open_demo_table(app: RunningApp, cookies: list[Any], open_page: Callable[..., Page]) -> OpenTable:
    """Like `open_table`, in the app with the demo model, which few workers need to start if few tests use it."""
    return table_opener(app, cookies=cookies, open_page=open_page)


@pytest.fixture(scope="session")
def app_and_scripts(migrated_database: Path | None) -> Iterator[tuple[RunningApp, list[ScriptedModel]]]:
    """The app with a scripted server as the provider (real SDK, real HTTP), and its scripts: the last one is used."""
    scripts: list[ScriptedModel] = []
    with serving(lambda: scripts[-1]) as url:
        named = [{"name": "first", "model": "scripted"}, {"name": "second", "label": "The other one", "model": "other"}]
        keys = {"ANTHROPIC_API_KEY": "a-key-for-tests", "ANTHROPIC_BASE_URL": url, "CHAT_MODELS": json.dumps(named)}
        # One user sends the messages of many tests.
        with started_app(prepare_data_dir, **keys, EMAIL_URL="console:", CHAT_TURNS_A_MINUTE="1000") as running:
            yield running, scripts


@pytest.fixture(scope="session")
def scripted_cookies(app_and_scripts: tuple[RunningApp, list[ScriptedModel]], browser: Browser) -> list[Any]:
    """The cookies of a user signed in to the app with the scripted server, shared by tests as `cookies` are."""
    return sign_in_new_user(app_and_scripts[0], browser=browser)


@pytest.fixture
def scripted() -> ScriptedModel:
    """The script of the Messages API for one test."""
    return ScriptedModel()


@pytest.fixture
def scripted_app(
    app_and_scripts: tuple[RunningApp, list[ScriptedModel]], scripted: ScriptedModel
) -> Iterator[RunningApp]:
    """The app whose provider follows the script of this test."""
    running, scripts = app_and_scripts
    scripts.append(scripted)
    yield running
    assert not scripted.problems


@pytest.fixture
def open_table(scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]) -> OpenTable:
    """Open a new table with three rows, or with `rows`; wait until its grid works. The model is the scripted one."""
    return table_opener(scripted_app, cookies=scripted_cookies, open_page=open_page)


@pytest.fixture
def open_scripted_table(open_table: OpenTable) -> OpenTable:
    """Like `open_table`; also wait until the socket of the page is open."""

    def open_scripted_table(*arguments: Any, **options: Any) -> Page:
        page = open_table(*arguments, **options)
        expect(page.locator("table-grid[data-live]")).to_be_attached()
        return page

    return open_scripted_table


@pytest.fixture
def page(open_scripted_table: OpenTable) -> Page:
    """A page that shows a new table with three rows to its owner, in the app with the scripted model."""
    return open_scripted_table()
