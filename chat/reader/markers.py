"""Where a marker stands in a text, and whether it is one: the rules of the response schema, without any state."""
from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from chat.reader.stretches import end_of_run, end_of_space

MOST_SPACES_BEFORE_COLON = 3
WIDEST_EMPHASIS = 3
_NAME = re.compile(r"[A-Z0-9_]*")
_LETTERS = re.compile(r"[A-Za-z]*")


class Verdict(Enum):
    """What can be said of a place in the text so far."""

    NO = "no"
    MORE = "more text is needed"
    MORE_THAN_SPACE = "more text is needed, and white space alone decides nothing"
    MORE_THAN_TICKS = "more text is needed, and more of its last character decides nothing"
    YES = "yes"


class Match(NamedTuple):
    """A verdict; for YES also the marker's name, where its JSON begins and how many backticks fence it (0: none)."""

    verdict: Verdict
    name: str = ""
    json_at: int = 0
    fence: int = 0


NO = Match(Verdict.NO)
MORE = Match(Verdict.MORE)
MORE_THAN_SPACE = Match(Verdict.MORE_THAN_SPACE)
MORE_THAN_TICKS = Match(Verdict.MORE_THAN_TICKS)


class Markers:
    """The registered markers: name without colon → the bracket its JSON begins with."""

    def __init__(self, brackets: Mapping[str, str]) -> None:
        self._brackets = dict(brackets)
        names = [name for name in brackets if _NAME.fullmatch(name)]
        self.beginnings = frozenset(name[:length] for name in names for length in range(len(name) + 1))
        firsts = "".join(sorted({re.escape(name[0]) for name in brackets}))
        starts = rf"|(?<!\w)[{firsts}]" if firsts else ""
        self.starts = re.compile(rf"[`*~]{starts}")
        # As nearly all are written: the name, its colon, white space, the bracket.
        self._plain = re.compile(rf"({'|'.join(names)}):\s*([{{\[])") if names else None

    def match(self, text: str, at: int) -> Match:
        """Judges the place `at`, which holds `*` or the first letter of a name."""
        plain = self._plain.match(text, at) if self._plain is not None else None
        if plain is not None and plain[2] == self._brackets[plain[1]]:
            return Match(Verdict.YES, plain[1], plain.end() - 1)
        stars = 0
        while stars < WIDEST_EMPHASIS and text.startswith("*", at + stars):
            stars += 1
        begin = at + stars
        end = _end(_NAME, text, at=begin)
        name = text[begin:end]
        if end == len(text) and name in self.beginnings:
            return MORE
        if name not in self._brackets:
            return NO
        colon = _after_colon(text, end, emphasis="*" * stars)
        if colon < 0:
            return NO
        if colon > len(text):
            return MORE
        return self._json(text, colon, name=name)

    def _json(self, text: str, at: int, *, name: str) -> Match:
        """What follows the colon: white space, perhaps one fence, and the right bracket."""
        bracket = self._brackets[name]
        at = end_of_space(text, at)
        if at == len(text):
            return MORE_THAN_SPACE
        if text[at] == bracket:
            return Match(Verdict.YES, name=name, json_at=at)
        if text[at] != "`":
            return NO
        after = end_of_run(text, at)
        fence = after - at
        if after == len(text):
            return MORE_THAN_TICKS
        if fence < 3:
            return NO
        end = _end(_LETTERS, text, at=after)
        info = text[after:end].lower()
        if end == len(text) and "json".startswith(info):
            return MORE
        if info not in {"", "json"}:
            return NO
        at = end_of_space(text, end)
        if at == len(text):
            return MORE_THAN_SPACE
        return Match(Verdict.YES, name=name, json_at=at, fence=fence) if text[at] == bracket else NO


def _after_colon(text: str, at: int, *, emphasis: str) -> int:
    """Where the colon (and the emphasis around it) ends; -1 if it is not there, more than the length if unknown."""
    if not emphasis:
        return _colon(text, at)
    closed = _literal(text, at, literal=emphasis)
    if closed > len(text):
        return closed
    if closed > 0:
        return _colon(text, closed)
    colon = _colon(text, at)
    return colon if colon < 0 or colon > len(text) else _literal(text, colon, literal=emphasis)


def _colon(text: str, at: int) -> int:
    if text.startswith(":", at):
        return at + 1  # as it nearly always is
    end = at
    while end < len(text) and text[end] in " \t" and end - at < MOST_SPACES_BEFORE_COLON:
        end += 1
    return _literal(text, end, literal=":")


def _literal(text: str, at: int, *, literal: str) -> int:
    """Where `literal` ends if it stands at `at`; -1 if it does not, more than the text's length if it still may."""
    if text.startswith(literal, at):
        return at + len(literal)
    if at + len(literal) > len(text) and literal.startswith(text[at:]):
        return len(text) + 1
    return -1


def _end(pattern: re.Pattern[str], text: str, *, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
