"""Browser contexts are reused between tests, and nothing of one test is left in the next."""
from __future__ import annotations

from playwright.sync_api import Browser, Page

from tests.browser.app_process import RunningApp
from tests.browser.contexts import ContextPool, Screen

SCREEN = Screen(width=1000, height=700, dark=False)
STORE = """async () => {
  document.cookie = "left=1";
  localStorage.left = "1";
  sessionStorage.left = "1";
  await caches.open("left");
  await new Promise((done) => { indexedDB.open("left").onsuccess = done; });
}"""
STORED = """async () => [
  document.cookie, Object.keys(localStorage), Object.keys(sessionStorage), await caches.keys(),
  (await indexedDB.databases()).map(({name}) => name),
  (await navigator.permissions.query({name: "clipboard-read"})).state,
]"""
EMPTY = ["", [], [], [], [], "prompt"]


def stored(page: Page, app: RunningApp) -> list[object]:
    page.goto(f"{app.address}/healthz")
    found: list[object] = page.evaluate(STORED)
    return found


def test_a_context_is_empty_when_it_is_used_again(app: RunningApp, browser: Browser) -> None:
    contexts = ContextPool(browser)
    used = contexts.take(SCREEN, fresh=False)
    page = used.context.new_page()
    used.context.grant_permissions(["clipboard-read"])
    assert stored(page, app)[:-1] == EMPTY[:-1]
    page.evaluate(STORE)
    assert all(stored(page, app))
    contexts.give_back(used)
    again = contexts.take(SCREEN, fresh=False)
    assert again is used
    assert again.context.pages == [again.blank]
    assert stored(again.context.new_page(), app) == EMPTY
    again.context.close()


def test_a_context_that_its_test_closed_is_not_used_again(contexts: ContextPool) -> None:
    used = contexts.take(SCREEN, fresh=False)
    used.context.close()
    contexts.give_back(used)
    again = contexts.take(SCREEN, fresh=False)
    assert again is not used
    contexts.give_back(again)


def test_a_fresh_context_has_no_cache_from_another_test(contexts: ContextPool) -> None:
    used = contexts.take(SCREEN, fresh=False)
    contexts.give_back(used)
    fresh = contexts.take(SCREEN, fresh=True)
    assert fresh is not used
    contexts.give_back(fresh)
