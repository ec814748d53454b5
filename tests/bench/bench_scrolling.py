"""Measure a table of 100,000 rows in a browser; `python -m tests.bench.bench_scrolling [rows]`.

Time until rows are on the screen, and the server's share of it; time between frames while scrolling, compared with a
page of plain text; time until rows appear after a jump; rows on the page, heap and nodes, before and after; requests of
a first and a repeated visit, bytes of script, layout shift. Times need an otherwise idle machine.
"""
from __future__ import annotations

import re
import sys
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Response, sync_playwright

from chatproject.testing.programs import find_browser
from tests.browser.actions import sign_in_new_user
from tests.browser.app_process import started_app
from tests.browser.large_table import create_large_table

ROWS = int(sys.argv[1]) if sys.argv[1:] else 100_000
VISITS = 3
MAX_FRAME, MAX_FIRST, MAX_REPEATED, MAX_SCRIPT, MAX_WAIT = 20, 70, 12, 350_000, 1000
MAX_ROWS_ON_PAGE, MAX_GROWTH = 60, 1.1
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
# The first frame with rows in the page, and the first in which the grid has hydrated them.
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
    """Return the number of requests of a visit to the server, and the bytes of scripts."""
    responses: list[Response] = []

    def record(response: Response) -> None:
        responses.append(response)

    page.on("response", record)
    page.goto(address, wait_until="networkidle")
    scripts = sum(len(one.body()) for one in responses if re.search(r"\.m?js(\?|$)", one.url))
    page.remove_listener("response", record)
    cached = page.evaluate(FROM_CACHE)
    return len(responses) - cached, scripts


def report(name: str, figure: Any, most: float | None = None) -> None:
    print(f"{name:52} {figure:>12}" + (f"   (most {most:,})" if most is not None else ""))


def first_visits(browser: Browser, cookies: Any, address: str) -> None:
    """Measure the fastest of several first visits, because other programs may be running."""
    visits = []
    for _ in range(VISITS):
        context = opened(browser, cookies)
        page = context.new_page()
        page.add_init_script(f"({WATCH})()")
        page.goto(address)
        page.wait_for_function("() => window.marks.alive")
        visits.append(page.evaluate(MARKS))
        context.close()
    best = {name: min(visit[name] for visit in visits) for name in ("html", "paint", "rows", "alive")}
    report("rows on the screen of a first visit, ms", f"{max(best['rows'], best['paint']):.0f}", MAX_WAIT)
    report("of that until the HTML was there, ms", f"{best['html']:.0f}")
    report("the grid has taken them over, ms", f"{best['alive']:.0f}", MAX_WAIT)


def usage(page: Page) -> dict[str, float]:
    """Return the memory figures of the page after garbage collection."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    heap = tools.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    nodes = tools.send("Memory.getDOMCounters")["nodes"]
    return {"heap, MB": heap, "nodes": nodes, "rows on the page": page.locator("tbody tr").count()}


def settled_usage(page: Page) -> dict[str, float]:
    """Return the memory figures after the last scroll has settled."""
    page.evaluate(SETTLED)
    return usage(page)


def scrolled(page: Page) -> None:
    """Measure frame times of three ways to scroll, the time until rows appear after jumps, and memory."""
    report("heap of a page just opened, MB", f"{usage(page)['heap, MB']:,.1f}")
    plain = {}
    for name, step in FLINGS.items():
        took = page.evaluate(FRAMES, [".grid-scroll", step, 200])
        plain[name] = step
        report(f"95 of 100 frames within, ms: {name}", f"{took:.1f}", MAX_FRAME)
    waits = sorted(page.evaluate(LEAP, step_index / 20) for step_index in range(1, 20))
    report("rows are there after a leap, ms: the middle one", f"{waits[len(waits) // 2]:.0f}")
    report("rows are there after a leap, ms: the longest", f"{waits[-1]:.0f}")
    # From here on the maximum number of rows is cached, and the code for scrolling has been compiled.
    before = settled_usage(page)
    for step in FLINGS.values():
        page.evaluate(FRAMES, [".grid-scroll", step, 200])
    after = settled_usage(page)
    for name, figure in after.items():
        report(f"{name}, with a full cache", f"{before[name]:,.1f}")
        most = MAX_ROWS_ON_PAGE if name == "rows on the page" else round(before[name] * MAX_GROWTH, 1)
        report(f"{name}, after as many rows were passed again", f"{figure:,.1f}", most)
    page.evaluate(PLAIN)
    for name, step in plain.items():
        report(f"the same of plain text, ms: {name}", f"{page.evaluate(FRAMES, ['#plain', step, 200]):.1f}")


def opened(browser: Browser, cookies: Any) -> BrowserContext:
    """Return a browser without cache, of a signed-in user."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_cookies(cookies)
    return context


def main() -> None:
    """Measure one browser, one table, several visits."""
    with started_app() as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        cookies = sign_in_new_user(app, browser=browser)
        address = create_large_table(app, cookies=cookies, browser=browser, count=ROWS)
        page = opened(browser, cookies).new_page()
        first, scripts = visited(page, address)
        report("requests of a first visit", first, MAX_FIRST)
        report("bytes of script", f"{scripts:,}", MAX_SCRIPT)
        report("layout shift", f"{page.evaluate(SHIFTS):.4f}")
        scrolled(page)
        report("requests of a repeated visit", visited(page, address)[0], MAX_REPEATED)
        first_visits(browser, cookies, address)
        browser.close()


if __name__ == "__main__":
    main()
