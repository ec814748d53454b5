"""A slow machine and a far server, on demand: what only works because everything comes at once shows itself."""
from __future__ import annotations

import os
import random

from playwright.sync_api import BrowserContext, Page

LATENCY_MS = int(os.environ.get("BROWSER_LATENCY_MS", "0"))
"""How long the requests of a page take longer on average: each page has a latency of its own, up to twice that."""
THROTTLE = float(os.environ.get("BROWSER_THROTTLE", "1"))
"""How many times slower the scripts of a page run at most."""


def slow_down(context: BrowserContext) -> None:
    """Every page of it from now on is as slow as the environment asks for; by default nothing is."""
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
