"""Prints what a table of 100,000 rows costs a browser; `python -m tests.bench.bench_scrolling [rows]`.

When the rows are on the screen, beside the server's own share; time between frames while scrolling, beside a page of
plain text; how soon rows are there after a leap; rows on the page, heap and nodes, before and after; requests of a
first and of a repeated visit, bytes of script, layout shift. Times mean something on a machine that does nothing else.
"""
from __future__ import annotations

import re
import sys
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Response, sync_playwright

from chatproject.testing.programs import find_browser
from tests.browser.actions import signed_in
from tests.browser.app_process import started_app
from tests.browser.large_table import made_large_table

ROWS = int(sys.argv[1]) if sys.argv[1:] else 100_000
VISITS = 3
MOST_FRAME, MOST_FIRST, MOST_AGAIN, MOST_SCRIPT, MOST_WAIT = 20, 70, 12, 350_000, 1000
MOST_ROWS_ON_PAGE, MOST_GROWTH = 60, 1.1
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
# The first frame after which rows stand in the page, and the first after which the grid has taken them over.
WATCH = """() => {
  const marks = (window.marks = {});
  const look = () => {
    const now = performance.now();
    const grid = document.querySelector("table-grid");
    if (grid?.querySelector("tbody tr[data-row] td.cell")) marks.rows ??= now;
    if (grid?.querySelector("[data-add-row]:not(:disabled)")) marks.alive ??= now;
    if (!marks.alive) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
MARKS = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return { ...window.marks, html: page.responseEnd, paint: paint?.startTime ?? 0 };
}"""
LEAP = """async (share) => {
  const it = document.querySelector(".grid-scroll");
  const began = performance.now();
  it.scrollTop = it.scrollHeight * share;
  const settled = () => {
    const seen = [...it.querySelectorAll('tbody[data-body="rows"] tr')];
    return seen.length > 0 && seen.every((tr) => tr.dataset.row);
  };
  do await new Promise(requestAnimationFrame); while (!settled());
  return performance.now() - began;
}"""
SETTLED = """() => new Promise((go) => {
  document.querySelector(".grid-scroll").scrollTop = 100_000;
  setTimeout(go, 1000);
})"""
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
    print(f"{name:52} {figure:>12}" + (f"   (most {most:,})" if most is not None else ""))


def first_visits(browser: Browser, cookies: Any, address: str) -> None:
    """Of several people who have never been here, the one who waits least: others may be at work on the machine."""
    seen = []
    for _ in range(VISITS):
        context = opened(browser, cookies)
        page = context.new_page()
        page.add_init_script(f"({WATCH})()")
        page.goto(address)
        page.wait_for_function("() => window.marks.alive")
        seen.append(page.evaluate(MARKS))
        context.close()
    best = {name: min(visit[name] for visit in seen) for name in ("html", "paint", "rows", "alive")}
    told("rows on the screen of a first visit, ms", f"{max(best['rows'], best['paint']):.0f}", MOST_WAIT)
    told("of that until the HTML was there, ms", f"{best['html']:.0f}")
    told("the grid has taken them over, ms", f"{best['alive']:.0f}", MOST_WAIT)


def held(page: Page) -> dict[str, float]:
    """What the page holds, after what nobody needs was thrown away."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    heap = tools.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    nodes = tools.send("Memory.getDOMCounters")["nodes"]
    return {"heap, MB": heap, "nodes": nodes, "rows on the page": page.locator("tbody tr").count()}


def settled(page: Page) -> dict[str, float]:
    """What it holds where it was scrolled to last time, too."""
    page.evaluate(SETTLED)
    return held(page)


def scrolled(page: Page) -> None:
    """Frame times of three ways to scroll, how soon rows are there after leaps, and what the page holds then."""
    told("heap of a page just opened, MB", f"{held(page)['heap, MB']:,.1f}")
    plain = {}
    for name, step in FLINGS.items():
        took = page.evaluate(FRAMES, [".grid-scroll", step, 200])
        plain[name] = step
        told(f"95 of 100 frames within, ms: {name}", f"{took:.1f}", MOST_FRAME)
    waits = sorted(page.evaluate(LEAP, place / 20) for place in range(1, 20))
    told("rows are there after a leap, ms: the middle one", f"{waits[len(waits) // 2]:.0f}")
    told("rows are there after a leap, ms: the longest", f"{waits[-1]:.0f}")
    # From now on as many rows are kept as ever are, and what scrolling needs has been compiled.
    before = settled(page)
    for step in FLINGS.values():
        page.evaluate(FRAMES, [".grid-scroll", step, 200])
    after = settled(page)
    for name, figure in after.items():
        told(f"{name}, once all there is to keep is kept", f"{before[name]:,.1f}")
        most = MOST_ROWS_ON_PAGE if name == "rows on the page" else round(before[name] * MOST_GROWTH, 1)
        told(f"{name}, after as many rows were passed again", f"{figure:,.1f}", most)
    page.evaluate(PLAIN)
    for name, step in plain.items():
        told(f"the same of plain text, ms: {name}", f"{page.evaluate(FRAMES, ['#plain', step, 200]):.1f}")


def opened(browser: Browser, cookies: Any) -> BrowserContext:
    """A browser that has never been here, of somebody who is signed in."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_cookies(cookies)
    return context


def main() -> None:
    """One browser, one table, several visits."""
    with started_app() as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        cookies = signed_in(app, browser=browser)
        address = made_large_table(app, cookies=cookies, browser=browser, count=ROWS)
        page = opened(browser, cookies).new_page()
        first, scripts = visited(page, address)
        told("requests of a first visit", first, MOST_FIRST)
        told("bytes of script", f"{scripts:,}", MOST_SCRIPT)
        told("layout shift", f"{page.evaluate(SHIFTS):.4f}")
        scrolled(page)
        told("requests of a repeated visit", visited(page, address)[0], MOST_AGAIN)
        first_visits(browser, cookies, address)
        browser.close()


if __name__ == "__main__":
    main()
