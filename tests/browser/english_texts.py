"""Find English texts left in a page of another language, by comparison with the translated texts of the catalogues."""
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
# Placeholders in a text: `{count}` in scripts and error messages, `%(count)s` and `%s` in pages.
PLACEHOLDER = re.compile(r"\{\w*\}|%\(\w+\)[sd]|%[sd]")
READ_TEXTS = """([content, attributes]) => {
  const texts = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const { parentElement: around } = node;
    if (around.checkVisibility() && !around.closest(content)) texts.add(node.textContent);
  }
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility() || element.closest(content)) continue;
    for (const name of attributes) texts.add(element.getAttribute(name) ?? "");
  }
  return [...texts].map((text) => text.trim()).filter(Boolean);
}"""
# Texts of users and of the model: messages, and values in cells.
CONTENT = ".bubble, tbody td .val, .chips, .chipfield, [data-part=title]"
ATTRIBUTES = ["aria-label", "aria-description", "title", "placeholder"]


def english_left(page: Page, *, code: str) -> list[str]:
    """Return the texts of the page that are English although the language has a translation for them."""
    pattern = re.compile("|".join(f"(?:{_pattern(text)})" for text in sorted(_english(code))), re.DOTALL)
    texts: list[str] = page.evaluate(READ_TEXTS, [CONTENT, ATTRIBUTES])
    return [text for text in texts if pattern.fullmatch(text)]


def is_content(message: Message) -> bool:
    """Return whether a text occurs only in table templates, such as “Company”: users may name a column like it."""
    return {path for path, _ in message.locations} == {"tables/views/table_templates.py"}


@cache
def translations(code: str) -> dict[str, str]:
    """Return the translations of all texts without plural forms; for English, which has no catalogue, none."""
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
                    yield from _sources(message.id, translation=message.string)


def _sources(source: Any, *, translation: Any) -> Iterator[str]:
    """Yield the English texts of a message that have letters and differ from the translation."""
    texts = [source] if isinstance(source, str) else list(source)
    translations = {translation} if isinstance(translation, str) else set(translation)
    for text in texts:
        if text not in translations and re.search(r"[A-Za-z]{2}", PLACEHOLDER.sub("", text)):
            yield text.strip()


def _pattern(text: str) -> str:
    return ".+".join(re.escape(part) for part in PLACEHOLDER.split(text))
