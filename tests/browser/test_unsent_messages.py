"""Messages sent while scripts or the network failed are restored after a reload and sent once."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.actions import send_message, wait_for_answer
from tests.browser.app_process import RunningApp
from tests.browser.interception import intercept
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

LIST_MODULE = re.compile(r"/static/chat/turn_list\.[0-9a-f]+\.js")
STREAM_MODULE = re.compile(r"/static/chat/stream\.[0-9a-f]+\.js")
# Emulated in the page, because Chromium would log errors if the network were really offline.
SET_ONLINE = """(online) => {
  Object.defineProperty(navigator, "onLine", { get: () => online, configurable: true });
  dispatchEvent(new Event(online ? "online" : "offline"));
}"""
START_URL = re.compile(r"/api/chat/stream/")


def test_a_message_is_restored_after_a_reload_for_a_failed_module(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    for module in (LIST_MODULE, STREAM_MODULE):
        # The fixtures ignore the console error of this status.
        intercept(page, module, lambda route: route.fulfill(status=409))
    page.goto(scripted_app.link_for_new_user())
    scripted.add(reply("Here is the answer."))
    send_message(page, "Precious words")
    trouble = page.get_by_role("alert").filter(has_text="The conversation could not be loaded.")
    trouble.get_by_role("button", name="Try again").click()
    again = trouble.get_by_role("button", name="Reload")
    expect(again).to_be_visible()
    for module in (LIST_MODULE, STREAM_MODULE):
        page.unroute(module)
    again.click()
    log = page.get_by_role("log")
    expect(log).to_contain_text("Here is the answer.")
    expect(log.get_by_text("Precious words")).to_have_count(1)
    page.reload()
    expect(log).to_contain_text("Here is the answer.")
    expect(log.get_by_text("Precious words")).to_have_count(1)


def test_a_first_message_while_offline_stays_in_the_field(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    # The fixtures ignore the console error of this status.
    intercept(page, LIST_MODULE, lambda route: route.fulfill(status=409))
    page.goto(scripted_app.link_for_new_user())
    page.evaluate(SET_ONLINE, False)
    send_message(page, "Precious words")
    composer = page.get_by_role("textbox", name="Message the assistant")
    expect(page.get_by_text("You are offline. The message was not sent.")).to_be_visible()
    expect(composer).to_have_value("Precious words")

    page.unroute(LIST_MODULE)
    page.evaluate(SET_ONLINE, True)
    expect(page.get_by_text("You are offline.")).to_have_count(0)
    scripted.add(reply("Here is the answer."))
    composer.press("Enter")
    wait_for_answer(page, "Here is the answer.")
    expect(page.get_by_role("log").get_by_text("Precious words")).to_have_count(1)


def test_a_message_received_by_the_server_is_not_sent_again_after_a_reload(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(reply("The first answer."), reply("The second answer."))
    send_message(page, "Tell me")
    wait_for_answer(page, "The first answer.")
    intercept(page, START_URL, lambda route: _lose_response(route, page=page))
    send_message(page, "Tell me")
    expect(page.locator("body[data-arrived]")).to_be_attached()
    page.unroute(START_URL)
    page.reload()
    wait_for_answer(page, "The second answer.")
    expect(log.locator(".bubble--user")).to_have_count(2)


def _lose_response(route: Route, *, page: Page) -> None:
    """Let the server handle the request, and lose its response."""
    route.fetch()
    page.evaluate("document.body.dataset.arrived = ''")
