"""Sentences of rooms that know no language, said again in the reader's: what is kept, logged or told to the model is
English, and a page says it in its own words. Which sentences: `locale/sentences.txt`.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import get_language, pgettext

CONTEXT = "retold"
# A part of this name is a sentence itself; a hint may be missing.
SAID, HINT = "said", "hint"
# This one is a list of names, each in quotation marks.
NAMES, QUOTED = "quoted", "“{name}”"
# A clause may be followed by others.
CLAUSE = "& "
# What programs are told in the terms of the data has other words for people, in English too.
FOR_PROGRAMS = " is not a date of the form YYYY-MM-DD."
FOR_PEOPLE = " is not a date. Try 24 Dec 2026 or 2026-12-24."
CLOSING = "¶ "
PLACE = re.compile(r"\{(\w+)\}")
WHOLE_NUMBER = re.compile(r"\d{1,3}(,\d{3})*|\d+")
MOST_LETTERS, MOST_CLAUSES = 2_000, 12


@dataclass(frozen=True)
class Sentence:
    """One sentence with places for what differs."""

    words: str
    clause: bool = False
    closing: bool = False

    def parts_of(self, text: str) -> dict[str, str] | None:
        """What stands in the places when the text is this sentence, as little as can be in each; else None."""
        literals = PLACE.split(self.words)
        names, literals = literals[1::2], literals[::2]
        if not text.startswith(literals[0]):
            return None
        found: dict[str, str] = {}
        at = len(literals[0])
        for name, following in zip(names, literals[1:], strict=True):
            last = len(found) == len(names) - 1
            end = len(text) - len(following) if last else text.find(following, at)
            if end < at or (last and not text.endswith(following)) or (end == at and name != HINT):
                return None
            found[name] = text[at:end]
            at = end + len(following)
        return found if at == len(text) else None


def retold(text: str) -> str:
    """The sentence as people read it, in the current language, as far as it is known; else as it is."""
    if get_language() == settings.LANGUAGE_CODE:
        return text.replace(FOR_PROGRAMS, FOR_PEOPLE)
    if len(text) > MOST_LETTERS:
        return text
    return _retold(text, depth=0) or text


def preview_retold(preview: Any) -> Any:
    """A preview of a proposal with the remarks on its operations as people read them, in the current language."""
    # Ten thousand rows may be told the same.
    told: dict[str, str] = {}
    for operation in preview.get("operations", ()):
        for note in operation.get("notes", ()):
            said = note["detail"]
            note["detail"] = told[said] if said in told else told.setdefault(said, retold(said))
    return preview


def sentences() -> tuple[Sentence, ...]:
    """All that are known."""
    return _read(settings.LOCALE_PATHS[0])


def _retold(text: str, *, depth: int) -> str:
    known = _sorted(settings.LOCALE_PATHS[0])
    clauses = text.split(", ")
    if len(clauses) <= MOST_CLAUSES and (told := _clauses(clauses, known=known, depth=depth)):
        return told[:1].upper() + told[1:]
    for sentence in known:
        parts = None if sentence.clause else sentence.parts_of(text)
        if parts is not None and (told := _said(sentence, parts=parts, depth=depth)):
            return told
    return ""


def _clauses(pieces: list[str], *, known: tuple[Sentence, ...], depth: int) -> str:
    """`Added 2 rows, renamed the table`; a name may have a comma of its own. "" where it is something else."""
    for end in range(1, len(pieces) + 1):
        clause = ", ".join(pieces[:end])
        clause = clause[:1].lower() + clause[1:]
        for sentence in known:
            if sentence.clause and (parts := sentence.parts_of(clause)) is not None:
                said = _said(sentence, parts=parts, depth=depth)
                if end == len(pieces) or not said:
                    return said
                if rest := _clauses(pieces[end:], known=known, depth=depth):
                    return f"{said}, {rest}"
    return ""


def _said(sentence: Sentence, *, parts: dict[str, str], depth: int) -> str:
    """The sentence with its parts; "" where a part that is a sentence itself is not known."""
    shown: dict[str, str] = {}
    for name, part in parts.items():
        if name == NAMES:
            part = _requoted(part)
        shown[name] = _shown(part) if name not in (SAID, HINT) else _retold(part, depth=depth + 1) if depth < 2 else ""
        if part and not shown[name]:
            return ""
    return PLACE.sub(lambda place: shown.get(place[1], ""), pgettext(CONTEXT, sentence.words))


def _requoted(part: str) -> str:
    opening, _, closing = pgettext(CONTEXT, QUOTED).partition("{name}")
    return re.sub(r"“([^“”]*)”", lambda found: f"{opening}{found[1]}{closing}", part)


def _shown(part: str) -> str:
    if len(part) < 16 and WHOLE_NUMBER.fullmatch(part):
        return number_format(int(part.replace(",", "")), use_l10n=True, force_grouping="," in part)
    return part


@lru_cache(maxsize=1)
def _read(folder: Path) -> tuple[Sentence, ...]:
    return tuple(_sentences((folder / "sentences.txt").read_text(encoding="utf-8")))


def _sentences(text: str) -> Iterator[Sentence]:
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            words = line.removeprefix(CLAUSE).removeprefix(CLOSING)
            yield Sentence(words, clause=line.startswith(CLAUSE), closing=line.startswith(CLOSING))


@lru_cache(maxsize=1)
def _sorted(folder: Path) -> tuple[Sentence, ...]:
    """Those that say most come first: “{column}: {said}” would take many for its own."""
    return tuple(sorted(_read(folder), key=lambda each: -len(PLACE.sub("", each.words))))
