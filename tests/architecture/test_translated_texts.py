"""Texts on pages are translated; texts for the model and stored texts do not depend on a language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from chatproject.management.commands.messages import ROOT, faults_of, found_texts, languages
from tests.architecture.tree import own_files, statements_of, text_of

# These are for administrators and developers, and are not translated.
ENGLISH = {"admin", "api_docs.html", "api_explorer.html"}
TEMPLATES = [path for path in own_files(".html") if path.parts[0] == "templates" and not ENGLISH & set(path.parts)]
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
BLOCKS = re.compile(r"\{%\s*blocktrans.*?endblocktrans(?:late)?\s*%\}", re.DOTALL)
ATTRIBUTE_TEXTS = re.compile(r'\b(?:aria-label|title|placeholder|alt|data-hello(?:-text)?)="([^"]*)"')
ATTRIBUTE = re.compile(r'[\w-]+="[^"]*"')
LETTERS = re.compile(r"[^\W\d_]{2,}")
# The same in every language.
NAMES = {"UTC"}
# Texts for the model are composed in these packages, and stored texts are written there.
PACKAGES = ("column_types", "models", "operations", "selectors", "services")
WITHOUT_LANGUAGE = ("chat/", *(f"tables/{package}" for package in PACKAGES))
# These render for readers.
WITH_LANGUAGE = {"views", "admin", "api"}
TRANSLATION_MODULES = {"django.utils.translation", "django.utils.formats"}


@pytest.mark.slow
@pytest.mark.parametrize("code", languages())
def test_every_text_is_translated_and_compiled(code: str) -> None:
    faults = list(faults_of(root=ROOT, code=code, found=found_texts(root=ROOT)))
    assert faults == [], "write them in locale/, then run `manage.py messages`"


def untranslatable(template: str) -> Iterator[str]:
    """Yield the texts of a template outside of translation tags."""
    bare = TAGS.sub("", BLOCKS.sub("", template))
    yield from ATTRIBUTE_TEXTS.findall(bare)
    yield from re.split(r"<[^>]*>", ATTRIBUTE.sub("", bare))


@pytest.mark.parametrize("path", TEMPLATES, ids=str)
def test_every_text_of_a_template_can_be_translated(path: Path) -> None:
    texts = {" ".join(words.split()) for words in untranslatable(text_of(path))}
    assert {text for text in texts if LETTERS.search(text) and text.strip(" ·") not in NAMES} == set()


def test_no_translation_in_a_template_can_end_an_attribute() -> None:
    """Templates write translations into attributes without escaping quotes."""
    for code in languages():
        text = (ROOT / "locale" / code / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
        entries = [entry for entry in text.split("\n\n") if "templates/" in entry]
        lines = [line for entry in entries for line in entry.splitlines() if line.startswith("msgstr")]
        assert [line for line in lines if '\\"' in line and "class=" not in line] == []


def imports(path: Path) -> set[str]:
    found = set()
    for node in statements_of(path):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return found


def test_texts_for_the_model_and_stored_texts_do_not_depend_on_a_language() -> None:
    translating = [
        str(path)
        for path in own_files(".py")
        if str(path).startswith(WITHOUT_LANGUAGE)
        and not WITH_LANGUAGE & set(path.parts)
        and imports(path) & TRANSLATION_MODULES
    ]
    assert translating == []


def test_every_language_has_a_catalogue() -> None:
    translated = {path.parent.parent.name for path in (ROOT / "locale").glob("*/LC_MESSAGES/django.po")}
    assert translated == set(languages())
    assert settings.LANGUAGE_CODE not in translated
