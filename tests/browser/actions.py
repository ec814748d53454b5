"""What a person does with the app, in words: sign in, say something, watch the log."""
from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.app_process import RunningApp

WATCH = """() => {
  window.seenInLog = new Set();
  const log = document.querySelector('[role="log"]');
  const look = () => window.seenInLog.add(log.textContent);
  new MutationObserver(look).observe(log, {childList: true, subtree: true, characterData: true});
  look();
}"""


def signed_in(app: RunningApp, *, browser: Browser) -> list[Any]:
    """The cookies of a new person who signed in."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(app.link_for_new_user())
    found = context.cookies()
    context.close()
    return found


def say(page: Page, words: str) -> None:
    """Types a message and sends it with Enter."""
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.fill(words)
    composer.press("Enter")


def answered(page: Page, words: str) -> None:
    """The assistant has said this, and its turn is over: what is asked of the server from now on has it."""
    log = page.get_by_role("log")
    expect(log).to_contain_text(words)
    expect(log).to_have_attribute("aria-busy", "false")


def opened_and_listening(page: Page, address: str) -> None:
    """Goes to a page with a chat whose socket has said the first word: from now on it hears of everything."""
    heard: list[object] = []
    page.on("websocket", lambda opened: opened.on("framereceived", lambda frame: heard.append(frame)))
    with page.expect_websocket() as socket:
        page.goto(address)
    if not heard:
        # It may have been heard while the page was still loading.
        socket.value.wait_for_event("framereceived")


def watch_log(page: Page) -> None:
    """From now on keeps every state the log was ever in."""
    page.evaluate(WATCH)


def states_of_log(page: Page) -> list[str]:
    """Every text the log has shown since `watch_log`."""
    return page.evaluate("() => [...window.seenInLog]")
