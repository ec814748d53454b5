"""Take screenshots of every page and state: light and dark, wide, at 200 % and on a phone, most of them also in German.

`python -m tests.browser.screenshots FOLDER [WORD…]`. With words, only walks whose name contains one of them; a word
that is a size or a language selects it.
"""
from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, ViewportSize, expect, sync_playwright

from chatproject.testing.programs import find_browser
from tests.browser.app_process import started_app
from tests.browser.states.all_states import GERMAN_WALKS, LARGE_AND_SHARED, WALKS
from tests.browser.states.stage import Stage, Walk
from tests.scripted_model import ScriptedModel
from tests.scripted_server import serving

PATIENCE = 15_000  # ms
ZOOMED = "zoomed"
SIZES = ("wide", ZOOMED, "phone")
LOCALES = {"en": "en-US", "de": "de-DE"}


def take(folder: Path, *, words: list[str]) -> int:
    """Write the screenshots to the folder; return how many files it has."""
    folder.mkdir(parents=True, exist_ok=True)
    scripts: list[ScriptedModel] = [ScriptedModel()]
    expect.set_options(timeout=PATIENCE)
    unsandboxed = ["--no-sandbox"] if os.geteuid() == 0 else []
    with serving(lambda: scripts[-1]) as url, sync_playwright() as playwright:
        keys = {"ANTHROPIC_API_KEY": "a-key-for-pictures", "ANTHROPIC_BASE_URL": url}
        browser = playwright.chromium.launch(executable_path=find_browser(), args=unsandboxed)
        with started_app(**keys, EMAIL_URL="console:", CHAT_TURNS_A_MINUTE="1000") as app:
            for walk, size, language in _selected(words):
                scripts.append(ScriptedModel())
                contexts: list[BrowserContext] = []
                opener = _opener(browser, contexts, locale=LOCALES[language], scale=2 if size == ZOOMED else 1)
                # Half as many pixels in each direction show the layout of a phone.
                stage = Stage(app=app, model=scripts[-1], open_page=opener, phone=size != "wide",
                              zoomed=size == ZOOMED, language=language)  # fmt: skip
                _walk(walk, stage, folder=folder, size=size)
                for context in contexts:
                    context.close()
        browser.close()
    return len(list(folder.glob("*.png")))


def _selected(words: list[str]) -> Iterator[tuple[Walk, str, str]]:
    """Yield each selected walk with its size and language."""
    sizes = [size for size in SIZES if size in words] or SIZES
    languages = [language for language in LOCALES if language in words] or LOCALES
    names = [word for word in words if word not in (*SIZES, *LOCALES)]
    for language, walks in (("en", (*WALKS, *LARGE_AND_SHARED)), ("de", GERMAN_WALKS)):
        for walk in walks:
            if language in languages and (not names or any(name in walk.__name__ for name in names)):
                yield from ((walk, size, language) for size in sizes)


def _opener(browser: Browser, contexts: list[BrowserContext], *, locale: str, scale: int) -> Any:
    def open_page(*, width: int, height: int) -> Page:
        viewport: ViewportSize = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=viewport, locale=locale, device_scale_factor=scale))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        return page

    return open_page


def _walk(walk: Walk, stage: Stage, *, folder: Path, size: str) -> None:
    """Take two screenshots of each state. A failing walk prints where it failed; the others continue."""
    if stage.language != "en":
        size = f"{stage.language}.{size}"
    last = "its start"
    try:
        for last, page in walk(stage):
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=folder / f"{last}.{size}.{scheme}.png")
            page.emulate_media(color_scheme="light")
    except (Error, AssertionError) as problem:
        print(f"{walk.__name__}, {size}: after {last}: {problem}", file=sys.stderr)


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="target folder, created if missing")
    parser.add_argument("words", metavar="WORD", nargs="*", help="part of the name of a walk, a size or a language")
    options = parser.parse_args()
    print(take(options.folder, words=options.words), "pictures")
