"""Measure 100 thumbnails on the screen of a table's first visit; `python -m tests.bench.bench_thumbnails`.

The layout shift, and the time of scripts, layout and style, beside those of a table with texts in place of the files.
Times need an otherwise idle machine.
"""
from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from PIL import Image
from playwright.sync_api import APIResponse, Browser, BrowserContext, expect, sync_playwright

from chatproject.testing.programs import find_browser
from tests.bench.bench_scrolling import SHIFTS, report
from tests.browser.actions import sign_in_new_user
from tests.browser.app_process import RunningApp, started_app

ROWS, COLUMNS = 20, 5
VISITS = 5
MAX_SCRIPT_MS, MAX_SHIFT = 100, 0.01
THUMBNAILS = ".grid-scroll .file__picture img"
ALL_LOADED = """([selector, count]) => {
  const pictures = [...document.querySelectorAll(selector)];
  return pictures.length >= count && pictures.every((picture) => picture.complete && picture.naturalWidth);
}"""
DURATIONS = {"scripts": "ScriptDuration", "layout": "LayoutDuration", "style": "RecalcStyleDuration"}


class Tables:
    """Creates tables by requests of a signed-in user."""

    def __init__(self, context: BrowserContext, app: RunningApp) -> None:
        token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
        self._requests, self._app, self._headers = context.request, app, {"X-CSRFToken": token}

    def _post(self, path: str, **body: Any) -> Any:
        answer: APIResponse = self._requests.post(f"{self._app.address}{path}", headers=self._headers, **body)
        assert answer.ok, answer.text()
        return answer.json()

    def create(self, column_type: str) -> str:
        """Return the path of a new table with a text and as many columns of this type as are measured."""
        columns = [{"name": f"Files {number}", "type": column_type} for number in range(COLUMNS)]
        table = self._post("/api/tables/", data={"name": "Pictures", "columns": [NAME, *columns]})
        return f"/api/tables/{table['id']}/"

    def add_rows(self, table: str, cells: list[list[Any]]) -> str:
        """Add rows with these cells; return the URL of the page."""
        rows = [
            {"Name": f"Row {at}", **{f"Files {number}": cell for number, cell in enumerate(row)}}
            for at, row in enumerate(cells)
        ]
        self._post(f"{table}rows/", data={"rows": rows})
        return f"{self._app.address}{table.removeprefix('/api')}"

    def upload(self, table: str, number: int) -> list[Any]:
        """Upload a picture of its own; return the value of its cell."""
        content = {"name": name_of(number), "mimeType": "image/png", "buffer": picture(number)}
        return [{"id": self._post(f"{table}files/", multipart={"file": content})["id"]}]


NAME = {"name": "Name", "type": "text"}


def name_of(number: int) -> str:
    return f"Picture {number}.png"


def picture(number: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (640, 480), (number * 2, 255 - number * 2, 128)).save(content, "PNG")
    return content.getvalue()


@dataclass(frozen=True)
class Visit:
    """A first visit. `times` are in ms."""

    times: dict[str, float]
    shift: float


def opened(browser: Browser, cookies: Any) -> BrowserContext:
    """Return a browser without cache, of a signed-in user, in which all columns and rows are visible."""
    context = browser.new_context(viewport={"width": 1800, "height": 1000})
    context.add_cookies(cookies)
    return context


def visited(browser: Browser, cookies: Any, address: str, *, thumbnails: int) -> Visit:
    """Visit a page for the first time, until its thumbnails are drawn."""
    context = opened(browser, cookies)
    page = context.new_page()
    tools = context.new_cdp_session(page)
    tools.send("Performance.enable")
    page.goto(address)
    expect(page.locator("table-grid[data-live]")).to_be_attached()
    page.wait_for_function(ALL_LOADED, arg=[THUMBNAILS, thumbnails])
    page.wait_for_load_state("networkidle")
    shift = page.evaluate(SHIFTS)
    found = {each["name"]: each["value"] * 1000 for each in tools.send("Performance.getMetrics")["metrics"]}
    context.close()
    return Visit({name: found[metric] for name, metric in DURATIONS.items()}, shift)


def main() -> None:
    """Measure the table with pictures and the one with texts in turn, and report the fastest visits."""
    with started_app() as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        cookies = sign_in_new_user(app, browser=browser)
        tables = Tables(opened(browser, cookies), app)
        files, texts = tables.create("attachment"), tables.create("text")
        numbers = [range(at, at + COLUMNS) for at in range(0, ROWS * COLUMNS, COLUMNS)]
        with_files = tables.add_rows(files, [[tables.upload(files, each) for each in row] for row in numbers])
        with_texts = tables.add_rows(texts, [[name_of(each) for each in row] for row in numbers])
        # Until the worker has created all thumbnails.
        visited(browser, cookies, with_files, thumbnails=ROWS * COLUMNS)
        pairs = [
            (
                visited(browser, cookies, with_files, thumbnails=ROWS * COLUMNS),
                visited(browser, cookies, with_texts, thumbnails=0),
            )
            for _ in range(VISITS)
        ]
        report("layout shift", f"{max(pictures.shift for pictures, _ in pairs):.4f}", MAX_SHIFT)
        for name in DURATIONS:
            best, plain = (min(visit.times[name] for visit in visits) for visits in zip(*pairs, strict=True))
            report(f"{name} of the page with texts, ms", f"{plain:.0f}")
            report(f"{name} of 100 thumbnails, ms", f"{best - plain:.0f}", MAX_SCRIPT_MS if name == "scripts" else None)
        browser.close()


if __name__ == "__main__":
    main()
