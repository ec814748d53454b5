"""Intercept requests of a page reliably."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

PROBE = "/healthz?intercepted"
UNTIL_INTERCEPTED = """async (url) => {
  while ((await (await fetch(url)).text()) !== "intercepted");
}"""


def intercept(
    page: Page, address: str | re.Pattern[str], handler: Callable[..., Any], *, times: int | None = None
) -> None:
    """Intercept requests like `page.route`, and return when the page does so.

    Chromium informs a loaded page asynchronously: requests made soon after `page.route` are not intercepted if the page
    is busy.
    """
    page.route(address, handler, times=times)
    if page.url == "about:blank":
        return
    probe = re.compile(re.escape(PROBE))
    page.route(probe, lambda route: route.fulfill(body="intercepted"))
    page.evaluate(UNTIL_INTERCEPTED, PROBE)
    page.unroute(probe)
