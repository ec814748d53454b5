"""`python -m tests.browser.pictures FOLDER [WORD…]`: every page and state, light and dark, wide and on a phone.

With words only the walks whose names hold one of them."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from chatproject.testing.browser import find_browser
from tests.browser.running import started_app
from tests.browser.states.stage import Stage, Walk
from tests.browser.states.walks import WALKS
from tests.scripted import ScriptedModel
from tests.scripted_server import serving

PATIENCE = 15_000  # ms


def take(folder: Path, *, words: list[str]) -> int:
    """Fills the folder; gives how many pictures there are."""
    folder.mkdir(parents=True, exist_ok=True)
    scripts: list[ScriptedModel] = [ScriptedModel()]
    expect.set_options(timeout=PATIENCE)
    unsandboxed = ["--no-sandbox"] if os.geteuid() == 0 else []
    with serving(lambda: scripts[-1]) as url, sync_playwright() as playwright:
        keys = {"ANTHROPIC_API_KEY": "a-key-for-pictures", "ANTHROPIC_BASE_URL": url}
        browser = playwright.chromium.launch(executable_path=find_browser(), args=unsandboxed)
        with started_app(**keys, EMAIL_URL="console:", CHAT_TURNS_A_MINUTE="1000") as app:
            for walk in WALKS:
                if words and not any(word in walk.__name__ for word in words):
                    continue
                for phone in (False, True):
                    scripts.append(ScriptedModel())
                    stage = Stage(app=app, model=scripts[-1], open_page=_opener(browser), phone=phone)
                    _walk(walk, stage, folder)
        browser.close()
    return len(list(folder.glob("*.png")))


def _opener(browser: Browser) -> Any:
    def open_page(*, width: int, height: int) -> Page:
        page = browser.new_context(viewport={"width": width, "height": height}).new_page()
        page.set_default_timeout(PATIENCE)
        return page

    return open_page


def _walk(walk: Walk, stage: Stage, folder: Path) -> None:
    """Two pictures of each state; a walk that comes to nothing says where and leaves the others be."""
    size = "phone" if stage.phone else "wide"
    last = "its beginning"
    try:
        for last, page in walk(stage):
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=folder / f"{last}.{size}.{scheme}.png")
            page.emulate_media(color_scheme="light")
    except (Error, AssertionError) as problem:
        print(f"{walk.__name__}, {size}: after {last}: {problem}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(take(Path(sys.argv[1]), words=sys.argv[2:]), "pictures")
