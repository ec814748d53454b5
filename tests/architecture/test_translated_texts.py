"""What people read can be translated and is; what the model reads and what is kept knows no language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from chatproject.management.commands.messages import ROOT, faults_of, found_texts, languages
from tests.architecture.tree import own_files, text_of

# What people read on pages: all others are for administrators and developers.
ENGLISH = {"admin", "api_docs.html", "api_explorer.html"}
TEMPLATES = [path for path in own_files(".html") if path.parts[0] == "templates" and not ENGLISH & set(path.parts)]
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
BLOCKS = re.compile(r"\{%\s*blocktrans.*?endblocktrans(?:late)?\s*%\}", re.DOTALL)
SAID_BY_ATTRIBUTES = re.compile(r'\b(?:aria-label|title|placeholder|alt|data-hello(?:-text)?)="([^"]*)"')
ATTRIBUTE = re.compile(r'[\w-]+="[^"]*"')
LETTERS = re.compile(r"[^\W\d_]{2,}")
# Names, and what is the same in every language.
NAMES = {"table chat", "UTC"}
# What the model is told is put together here, and what is kept is written here.
ROOMS = ("column_types", "models", "operations", "selectors", "services")
WITHOUT_LANGUAGE = ("chat/", *(f"tables/{room}" for room in ROOMS))
# Their pages and forms speak; the English admin's own words are no translations.
# What pages ask the API for is told again as it is read; programs are told English.
SPEAKING = {"views", "admin", "api"}
TRANSLATING = {"django.utils.translation", "django.utils.formats"}


@pytest.mark.slow
@pytest.mark.parametrize("code", languages())
def test_every_text_is_translated_and_what_runs_is_made_of_it(code: str) -> None:
    wrong = list(faults_of(root=ROOT, code=code, found=found_texts(root=ROOT)))
    assert wrong == [], "write them in locale/, then run `manage.py messages`"


def unwrapped(template: str) -> Iterator[str]:
    """Words of a template that stand outside of what can be translated."""
    bare = TAGS.sub("", BLOCKS.sub("", template))
    yield from SAID_BY_ATTRIBUTES.findall(bare)
    yield from re.split(r"<[^>]*>", ATTRIBUTE.sub("", bare))


@pytest.mark.parametrize("path", TEMPLATES, ids=str)
def test_a_template_says_nothing_that_cannot_be_translated(path: Path) -> None:
    said = {" ".join(words.split()) for words in unwrapped(text_of(path))}
    assert {words for words in said if LETTERS.search(words) and words.strip(" ·") not in NAMES} == set()


def test_no_text_of_a_template_can_end_an_attribute() -> None:
    """A translation stands in attributes as it is."""
    for code in languages():
        text = (ROOT / "locale" / code / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
        entries = [entry for entry in text.split("\n\n") if "templates/" in entry]
        said = [line for entry in entries for line in entry.splitlines() if line.startswith("msgstr")]
        assert [line for line in said if '\\"' in line and "class=" not in line] == []


def imports(path: Path) -> set[str]:
    tree = ast.parse(text_of(path))
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {*named, *(each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names)}


def test_what_the_model_reads_and_what_is_kept_is_put_together_without_a_language() -> None:
    speaking = [
        str(path)
        for path in own_files(".py")
        if str(path).startswith(WITHOUT_LANGUAGE) and not SPEAKING & set(path.parts) and imports(path) & TRANSLATING
    ]
    assert speaking == []


def test_the_languages_are_those_there_are_files_for() -> None:
    kept = {path.parent.parent.name for path in (ROOT / "locale").glob("*/LC_MESSAGES/django.po")}
    assert kept == set(languages())
    assert settings.LANGUAGE_CODE not in kept
