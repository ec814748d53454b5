"""User actions in the app: signing in, sending a message, recording toasts."""
from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.app_process import RunningApp

RECORD = """() => {
  window.toastTexts = [];
  const record = (node) => window.toastTexts.push(node.textContent);
  new MutationObserver((changes) => changes.forEach(({addedNodes}) => addedNodes.forEach(record)))
    .observe(document.getElementById("toasts"), {childList: true});
}"""
WAS_SHOWN = "text => window.toastTexts.some((shown) => shown.includes(text))"


def sign_in_new_user(app: RunningApp, *, browser: Browser) -> list[Any]:
    """Return the cookies of a new, signed-in user. No page is opened, which would start a process."""
    context = browser.new_context()
    assert context.request.get(app.link_for_new_user()).ok
    found = context.cookies()
    context.close()
    return found


def send_message(page: Page, words: str) -> None:
    """Type a message and send it with Enter."""
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.fill(words)
    composer.press("Enter")


def wait_for_answer(page: Page, words: str) -> None:
    """Wait until the answer has these words and its turn has ended, so that later requests see it."""
    log = page.get_by_role("log")
    expect(log).to_contain_text(words)
    expect(log).to_have_attribute("aria-busy", "false")


def open_with_socket(page: Page, address: str) -> None:
    """Open a page with a chat and wait for the first message of its socket, after which it receives every event."""
    frames: list[object] = []
    page.on("websocket", lambda opened: opened.on("framereceived", lambda frame: frames.append(frame)))
    with page.expect_websocket() as socket:
        page.goto(address)
    if not frames:
        # The first message may have arrived while the page was still loading.
        socket.value.wait_for_event("framereceived")


def record_toasts(page: Page) -> None:
    """Record the text of each toast from now on."""
    page.evaluate(RECORD)


def wait_for_toast(page: Page, text: str) -> None:
    """Wait until a toast with this text was shown after `record_toasts`. Toasts disappear after five seconds."""
    page.wait_for_function(WAS_SHOWN, arg=text)
