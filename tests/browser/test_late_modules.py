"""Lazily loaded modules of the tray that fail to load: an error with "Try again", which repeats the action."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept

LIST = re.compile(r"/static/chat/conversation_menu\.[0-9a-f]+\.js")
TRAY = re.compile(r"/static/chat/tray\.[0-9a-f]+\.js")
PANEL = re.compile(r"/static/chat/payload_panel\.[0-9a-f]+\.js")
SHOW_IN_PANEL = """async () => {
  const { href } = document.querySelector('link[rel=modulepreload][href*="/chat/registry."]');
  const { loadPayloadHandlers, registerPayloadHandler } = await import(href);
  await loadPayloadHandlers();
  const render = ({ data }) => Object.assign(document.createElement("p"), { textContent: data.table_name });
  registerPayloadHandler("schema_proposal", { render, renderOptions: { panelWidth: "30rem", headerTitle: "A plan" } });
}"""

# The icon and the buttons of a toast.
ON_ONE_LINE = """({ firstElementChild, lastElementChild }) =>
  firstElementChild.getBoundingClientRect().bottom > lastElementChild.getBoundingClientRect().top"""


def refuse(page: Page, module: re.Pattern[str]) -> None:
    """Make the module fail to load, with a status whose console error the fixtures ignore."""
    intercept(page, module, lambda route: route.fulfill(status=409))


def test_try_again_loads_the_list_of_conversations(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user("list_that_fails"))
    refuse(page, LIST)
    page.locator("[data-part=title]").click()
    listed = page.locator("#chat-conversations")
    expect(listed.get_by_role("alert")).to_have_text("The conversations could not be loaded.")
    listed.get_by_role("button", name="Try again").click()
    expect(listed.get_by_role("button", name="Reload")).to_be_visible()
    page.unroute(LIST)
    tray = HeldRequests(page, TRAY)
    with page.expect_request(TRAY):
        listed.get_by_role("button", name="Reload").click()
    # It is opened before the scripts are loaded.
    page.locator("[data-part=title]").click()
    tray.release()
    expect(listed.get_by_role("searchbox", name="Search conversations")).to_be_visible()


def test_try_again_loads_the_floating_panel(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user("panel_that_fails"))
    refuse(page, PANEL)
    page.get_by_role("textbox", name="Message the assistant").focus()
    page.evaluate(SHOW_IN_PANEL)
    send_message(page, "Track my plants with name and height")
    note = page.get_by_role("alert").filter(has_text="The panel could not be loaded.")
    expect(note).to_be_visible()
    assert note.evaluate(ON_ONE_LINE)
    page.unroute(PANEL)
    note.get_by_role("button", name="Try again").click()
    panel = page.get_by_role("dialog", name="A plan")
    expect(panel).to_contain_text("Plants")
    panel.get_by_role("button", name="Close").press("Enter")
    expect(panel).to_have_count(0)
