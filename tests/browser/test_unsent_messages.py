"""What was said while scripts or the network failed is there again when the page is, and goes out once."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.actions import answered, say
from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

SHOWS = re.compile(r"/static/chat/turn_list\.[0-9a-f]+\.js")
FOLLOWS = re.compile(r"/static/chat/stream\.[0-9a-f]+\.js")
BEGINS = re.compile(r"/api/chat/stream/")


def test_words_outlast_a_reload_that_a_module_asked_for(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    for module in (SHOWS, FOLLOWS):
        # Browsers complain of it in the console; of this answer the tests bear that.
        page.route(module, lambda route: route.fulfill(status=409))
    page.goto(scripted_app.link_for_new_user())
    scripted.add(reply("Here is the answer."))
    say(page, "Precious words")
    trouble = page.get_by_role("alert").filter(has_text="The conversation could not be loaded.")
    trouble.get_by_role("button", name="Try again").click()
    again = trouble.get_by_role("button", name="Reload")
    expect(again).to_be_visible()
    for module in (SHOWS, FOLLOWS):
        page.unroute(module)
    again.click()
    log = page.get_by_role("log")
    expect(log).to_contain_text("Here is the answer.")
    expect(log.get_by_text("Precious words")).to_have_count(1)
    page.reload()
    expect(log).to_contain_text("Here is the answer.")
    expect(log.get_by_text("Precious words")).to_have_count(1)


def test_words_that_the_server_has_are_not_said_again_by_a_reload(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(reply("The first answer."), reply("The second answer."))
    say(page, "Tell me")
    answered(page, "The first answer.")
    page.route(BEGINS, lambda route: _arrive(route, page=page))
    say(page, "Tell me")
    expect(page.locator("body[data-arrived]")).to_be_attached()
    page.unroute(BEGINS)
    page.reload()
    answered(page, "The second answer.")
    expect(log.locator(".bubble--user")).to_have_count(2)


def _arrive(route: Route, *, page: Page) -> None:
    """It is taken and answered, and of that nothing comes back."""
    route.fetch()
    page.evaluate("document.body.dataset.arrived = ''")
