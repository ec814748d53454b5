"""Emulate a slow machine and network on request, to find tests that depend on fast responses."""
from __future__ import annotations

import os
import random

from playwright.sync_api import BrowserContext, Page

LATENCY_MS = int(os.environ.get("BROWSER_LATENCY_MS", "0"))
"""Mean additional latency of requests in ms: each page has a random latency of up to twice as much."""
THROTTLE = float(os.environ.get("BROWSER_THROTTLE", "1"))
"""Maximum factor by which the scripts of a page are slowed down."""


def slow_down(context: BrowserContext) -> None:
    """Slow down the future pages of the context as configured by the environment; not at all by default."""
    if LATENCY_MS or THROTTLE > 1:
        context.on("page", _slow)


def _slow(page: Page) -> None:
    tools = page.context.new_cdp_session(page)
    chance = random.Random()
    tools.send("Emulation.setCPUThrottlingRate", {"rate": chance.uniform(1, THROTTLE)})
    tools.send("Network.enable")
    late = chance.uniform(0, 2 * LATENCY_MS)
    unbounded = {"downloadThroughput": -1, "uploadThroughput": -1}
    tools.send("Network.emulateNetworkConditions", {"offline": False, "latency": late, **unbounded})
