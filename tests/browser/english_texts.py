"""English in a page of another language: what is read or heard there, held against every text that was translated."""
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from playwright.sync_api import Page

LOCALE = Path(__file__).resolve().parents[2] / "locale"
# Where a value goes into a text: `{count}` in scripts and messages of errors, `%(count)s` and `%s` in pages.
PLACE = re.compile(r"\{\w*\}|%\(\w+\)[sd]|%[sd]")
READ = """([ours, heard]) => {
  const said = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const { parentElement: around } = node;
    if (around.checkVisibility() && !around.closest(ours)) said.add(node.textContent);
  }
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility() || element.closest(ours)) continue;
    for (const name of heard) said.add(element.getAttribute(name) ?? "");
  }
  return [...said].map((text) => text.trim()).filter(Boolean);
}"""
# What people and the model have written themselves, or may say to each other: messages, and values in cells.
OURS = ".bubble, tbody td .val, [data-part=title]"
HEARD = ["aria-label", "aria-description", "title", "placeholder"]


def english_left(page: Page, *, code: str) -> list[str]:
    """The texts of the page that are said in English there, though this language has words for them."""
    pattern = re.compile("|".join(f"(?:{_pattern(text)})" for text in sorted(_english(code))), re.DOTALL)
    said: list[str] = page.evaluate(READ, [OURS, HEARD])
    return [text for text in said if pattern.fullmatch(text)]


def is_content(message: Message) -> bool:
    """Whether a text is only a word of table templates, such as “Company”, as people may use it for a column."""
    return {place for place, _ in message.locations} == {"tables/views/table_templates.py"}


@cache
def translations(code: str) -> dict[str, str]:
    """What each text without several forms reads in that language; none in English, which needs no words for itself."""
    found: dict[str, str] = {}
    for path in sorted((LOCALE / code / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            found |= {
                message.id: message.string
                for message in read_po(file, locale=code)
                if isinstance(message.id, str) and isinstance(message.string, str) and message.string
            }
    return found


def _english(code: str) -> Iterator[str]:
    for path in sorted((LOCALE / code / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file, locale=code):
                if not is_content(message):
                    yield from _sources(message.id, said=message.string)


def _sources(source: Any, *, said: Any) -> Iterator[str]:
    """The English of one message, where it reads otherwise than its translation and has words of its own."""
    texts = [source] if isinstance(source, str) else list(source)
    translations = {said} if isinstance(said, str) else set(said)
    for text in texts:
        if text not in translations and re.search(r"[A-Za-z]{2}", PLACE.sub("", text)):
            yield text.strip()


def _pattern(text: str) -> str:
    return ".+".join(re.escape(part) for part in PLACE.split(text))
