"""Measure how long the page takes to render 200 kB of Markdown; `python -m tests.bench.bench_markdown`.

For several kinds of text: when the last block is on the page, the longest task, and the number of elements.
Times need an otherwise idle machine.
"""
from __future__ import annotations

from typing import Any

from playwright.sync_api import sync_playwright

from chatproject.testing.programs import find_browser
from tests.browser.app_process import started_app

LENGTH = 200_000
MAX_DRAWN_MS, MAX_TASK_MS = 300, 50
PARTS = {
    "paragraphs": "A paragraph of words with **bold** and `code`.\n\n", "a list": "- item with *em*\n",
    "nested lists": "1. a\n   - b\n     - c\n", "headings": "# a\n", "quotes": "> a\n", "one line of words": "word ",
    "asterisks": "*a **b*", "brackets": "[", "backticks": "`a``b", "addresses": "https://a.b/c ", "lines": "a\n",
}  # fmt: skip
TEXTS = {name: (part * (LENGTH // len(part) + 1))[:LENGTH] for name, part in PARTS.items()} | {
    "a list of 500 levels": "".join(f"{' ' * level}- x\n" for level in range(500)),
}
DRAW = """async ([script, text]) => {
  const { Prose } = await import(script);
  const host = document.createElement("div");
  host.className = "prose";
  document.querySelector(".tray__log").replaceChildren(host);
  await new Promise(requestAnimationFrame);
  let longest = 0;
  const tasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  tasks.observe({ type: "longtask" });
  const began = performance.now();
  let drawn = began;
  new MutationObserver(() => (drawn = performance.now())).observe(host, { childList: true, subtree: true });
  new Prose(host).update(text);
  do await new Promise((go) => setTimeout(go, 100)); while (!host.firstChild || performance.now() - drawn < 1000);
  return { drawn: drawn - began, longest, elements: host.querySelectorAll("*").length };
}"""
SCRIPT = """() => document.querySelector("template[data-modules=turn-list]")
  .content.querySelector('link[href*="/chat/answer_view."]').href"""


def report(name: str, drawn: dict[str, Any]) -> None:
    print(
        f"{name:24} {drawn['drawn']:6.0f} ms (target ≤ {MAX_DRAWN_MS}),"
        f" longest task {drawn['longest']:4.0f} ms (target ≤ {MAX_TASK_MS}; 0: < 50), {drawn['elements']:6} elements"
    )


def main() -> None:
    """Measure each text after one warm-up."""
    with started_app() as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(app.link_for_new_user())
        page.goto(f"{app.address}/tables/")
        script = page.evaluate(SCRIPT)
        for name, text in TEXTS.items():
            page.evaluate(DRAW, [script, text])
            report(name, page.evaluate(DRAW, [script, text]))
        browser.close()


if __name__ == "__main__":
    main()
