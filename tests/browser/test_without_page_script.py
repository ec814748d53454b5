"""Proposals for tables where the script of the page was not loaded: the receipts in the tray."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.interception import intercept
from tests.browser.small_table import ROWS, create_small_table
from tests.browser.states.tables import PLANTS
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

SCRIPT = re.compile(r"/static/chat/pages/table(_view|s_list)\.[^/]*$")
ROW = {"operations": [{"action": "add", "data": {"Company": "Dyno"}}]}


def test_receipts_have_a_link_to_a_created_table_and_an_undo_button(
    scripted: ScriptedModel, scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    intercept(page, SCRIPT, lambda route: route.fulfill(body="", content_type="text/javascript"))
    log = page.get_by_role("log")
    page.goto(create_small_table(page.context, scripted_app, rows=ROWS))
    scripted.add(reply(f"One more.\n\nDATA_PROPOSAL: {json.dumps(ROW)}"))
    send_message(page, "Add Dyno")
    log.get_by_role("button", name="Apply").click()
    expect(log.get_by_text("1 added")).to_be_visible()
    page.reload()
    log.get_by_role("button", name="Undo").click()
    expect(log.get_by_text("Undone")).to_be_visible()

    page.goto(f"{scripted_app.address}/tables/")
    scripted.add(reply(f"A table.\n\nSCHEMA_PROPOSAL: {json.dumps(PLANTS)}"))
    send_message(page, "Track my plants")
    log.get_by_role("button", name="Apply").click()
    expect(log.get_by_role("button", name="Undo")).to_have_count(0)
    log.get_by_role("link", name="Plants").click()
    expect(page.get_by_role("heading", name="Plants")).to_be_visible()
