"""Layout shift of a first visit: the page as rendered by the server does not move when scripts start."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.app_process import RunningApp
from tests.browser.interception import intercept
from tests.browser.small_table import ROWS, create_small_table

MAX_SHIFT = 0.01
PAGE_OFFER_URL = re.compile(r"/api/chat/pages/table_view/")
OBSERVE = """() => {
  window.layoutShifts = [];
  new PerformanceObserver((list) => window.layoutShifts.push(...list.getEntries()))
    .observe({ type: "layout-shift", buffered: true });
}"""
# Two frames, because the entries of a frame are delivered after it was painted.
TOTAL = """async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  return window.layoutShifts.reduce((sum, entry) => sum + entry.value, 0);
}"""


@pytest.mark.parametrize("width", [1440, 390])
def test_the_chat_does_not_move_when_its_starter_prompts_arrive(
    app: RunningApp, cookies: list[Any], open_page: Callable[..., Page], width: int
) -> None:
    held: list[Route] = []
    page = open_page(width=width)
    page.context.add_cookies(cookies)
    page.add_init_script(f"({OBSERVE})()")
    intercept(page, PAGE_OFFER_URL, lambda route: held.append(route))
    page.goto(create_small_table(page.context, app, rows=ROWS))
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    expect(page.locator("chat-tray [data-part=log][aria-busy]")).to_be_attached()
    log = page.locator("chat-tray [data-part=log]")
    before = log.bounding_box()
    for route in held:
        route.continue_()
    expect(page.locator(".prompts button").first).to_be_attached()
    assert log.bounding_box() == before
    assert page.evaluate(TOTAL) <= MAX_SHIFT
