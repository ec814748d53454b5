"""`python -m tests.browser.screenshots FOLDER [WORD…]`: every page and state, light and dark, wide, at 200 % and on a
phone; most of them in German, too.

With words only the walks whose names hold one of them; a word that is a size or a language picks that."""
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
from tests.browser.states.all_states import IN_GERMAN, OF_MANY_AND_COMPANY, WALKS
from tests.browser.states.stage import Stage, Walk
from tests.scripted_model import ScriptedModel
from tests.scripted_server import serving

PATIENCE = 15_000  # ms
ZOOMED = "zoomed"
SIZES = ("wide", ZOOMED, "phone")
LOCALES = {"en": "en-US", "de": "de-DE"}


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
            for walk, size, language in _wanted(words):
                scripts.append(ScriptedModel())
                contexts: list[BrowserContext] = []
                opener = _opener(browser, contexts, locale=LOCALES[language], scale=2 if size == ZOOMED else 1)
                # With half the pixels each way, pages are as they are on a phone.
                stage = Stage(app=app, model=scripts[-1], open_page=opener, phone=size != "wide",
                              zoomed=size == ZOOMED, language=language)  # fmt: skip
                _walk(walk, stage, folder=folder, size=size)
                for context in contexts:
                    context.close()
        browser.close()
    return len(list(folder.glob("*.png")))


def _wanted(words: list[str]) -> Iterator[tuple[Walk, str, str]]:
    """Each walk with its sizes and languages."""
    sizes = [size for size in SIZES if size in words] or SIZES
    languages = [language for language in LOCALES if language in words] or LOCALES
    names = [word for word in words if word not in (*SIZES, *LOCALES)]
    for language, walks in (("en", (*WALKS, *OF_MANY_AND_COMPANY)), ("de", IN_GERMAN)):
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
    """Two pictures of each state; a walk that comes to nothing says where and leaves the others be."""
    if stage.language != "en":
        size = f"{stage.language}.{size}"
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
    parser = ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the pictures go; made where there is none")
    parser.add_argument("words", metavar="WORD", nargs="*", help="of names of walks; a size or a language")
    asked = parser.parse_args()
    print(take(asked.folder, words=asked.words), "pictures")
