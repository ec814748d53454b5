"""Prints what scrolling 100,000 rows costs a browser; `python -m tests.bench.bench_scrolling [rows]`.

Time between frames (ms, beside a page that scrolls plain text), rows on the page, heap, requests of a first and of a
repeated visit, bytes of script, layout shift.
"""
from __future__ import annotations

import re
import sys
from typing import Any

from playwright.sync_api import Page, Response, sync_playwright

from chatproject.testing.browser import find_browser
from tests.browser.doing import signed_in
from tests.browser.running import started_app
from tests.browser.small_table import COLUMNS, send
from tests.browser.test_grid_scrolling import FILL

ROWS = int(sys.argv[1]) if sys.argv[1:] else 100_000
MOST_FRAME, MOST_FIRST, MOST_AGAIN, MOST_SCRIPT = 20, 70, 12, 350_000
FLINGS = {"a page a frame": 700, "a row a frame": 36, "leaps": 90_000}
FRAMES = """async ([selector, step, frames]) => {
  const it = document.querySelector(selector);
  const took = [];
  it.scrollTop = 0;
  let before = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < frames; frame += 1) {
    it.scrollTop += step;
    const now = await new Promise(requestAnimationFrame);
    took.push(now - before);
    before = now;
  }
  return took.sort((one, other) => one - other)[Math.floor(frames * 0.95)];
}"""
PLAIN = """() => {
  const it = document.createElement("pre");
  it.id = "plain";
  it.textContent = "A line of text\\n".repeat(20_000);
  document.body.replaceChildren(it);
  Object.assign(it.style, { height: "600px", overflow: "auto" });
}"""
FROM_CACHE = """() => performance.getEntriesByType("resource")
  .filter((one) => one.transferSize === 0 && one.decodedBodySize > 0).length"""
SHIFTS = """() => new Promise((go) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((one) => (sum += one.value)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => go(sum), 500);
})"""


def visited(page: Page, address: str) -> tuple[int, int]:
    """How many requests a visit makes of the server, and how many bytes of script come with it."""
    asked: list[Response] = []

    def heard(response: Response) -> None:
        asked.append(response)

    page.on("response", heard)
    page.goto(address, wait_until="networkidle")
    scripts = sum(len(one.body()) for one in asked if re.search(r"\.m?js(\?|$)", one.url))
    page.remove_listener("response", heard)
    kept = page.evaluate(FROM_CACHE)
    return len(asked) - kept, scripts


def told(name: str, figure: Any, most: float | None = None) -> None:
    print(f"{name:44} {figure:>12}" + (f"   (most {most:,})" if most is not None else ""))


def scrolled(page: Page) -> None:
    """Frame times of three ways to scroll, and what the page holds then."""
    for name, step in FLINGS.items():
        took = page.evaluate(FRAMES, [".grid-scroll", step, 200])
        told(f"95 of 100 frames within, ms: {name}", f"{took:.1f}", MOST_FRAME)
    told("rows on the page", page.locator("tbody tr").count())
    heap = page.context.new_cdp_session(page).send("Runtime.getHeapUsage")["usedSize"]
    told("heap, MB", f"{heap / 1e6:.1f}")
    page.evaluate(PLAIN)
    took = page.evaluate(FRAMES, ["#plain", 700, 200])
    told("the same of plain text", f"{took:.1f}")


def main() -> None:
    """One browser, one table, three visits."""
    with started_app() as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies(signed_in(app, browser=browser))
        page = context.new_page()
        page.goto(f"{app.address}/profile/")
        table = send(page, "POST", "/api/tables/", {"name": "Many", "columns": COLUMNS, "rows": []})
        app.manage("shell", "--no-imports", "-c", FILL.format(table=table["id"], count=ROWS))
        address = f"{app.address}/tables/{table['id']}/"
        fresh = browser.new_context(viewport={"width": 1440, "height": 900})
        fresh.add_cookies(context.cookies())
        page = fresh.new_page()
        first, scripts = visited(page, address)
        told("requests of a first visit", first, MOST_FIRST)
        told("bytes of script", scripts, MOST_SCRIPT)
        told("layout shift", f"{page.evaluate(SHIFTS):.4f}")
        scrolled(page)
        told("requests of a repeated visit", visited(page, address)[0], MOST_AGAIN)
        browser.close()


if __name__ == "__main__":
    main()
