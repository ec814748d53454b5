"""Match markers of elements in a text. These functions have no state."""
from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

MAX_SPACES_BEFORE_COLON = 3
MAX_EMPHASIS_LENGTH = 3
_NAME = re.compile(r"[A-Z0-9_]*")
_LETTERS = re.compile(r"[A-Za-z]*")
_RUNS = {"`": re.compile(r"`+"), "~": re.compile(r"~+")}
_SPACE = re.compile(r"\s*")
# A fence with more blanks after it does not close a code block.
_BLANKS = re.compile(r"[ \t\r]{0,200}")


def end_of_run(text: str, at: int, *, of: str = "`") -> int:
    """Return the end of the run of backticks or tildes at `at`."""
    found = _RUNS[of].match(text, at)
    return found.end() if found else at


def end_of_space(text: str, at: int) -> int:
    """Return the end of the white space at `at`."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def end_of_blanks(text: str, at: int) -> int:
    """Return the end of the spaces, tabs and carriage returns at `at`, of which it skips at most 200."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at


class MatchStatus(Enum):
    """Whether there is a marker at a position, as far as the text so far decides it."""

    NO = "no"
    NEEDS_MORE = "more text is needed"
    NEEDS_NON_SPACE = "text other than white space is needed"
    NEEDS_OTHER_CHARACTER = "text other than the last character is needed"
    YES = "yes"


class Match(NamedTuple):
    """A status, and for YES the marker's name, the start of its JSON and the length of its fence (0: none)."""

    status: MatchStatus
    name: str = ""
    json_start: int = 0
    fence: int = 0


NO_MATCH = Match(MatchStatus.NO)
NEEDS_MORE = Match(MatchStatus.NEEDS_MORE)
NEEDS_NON_SPACE = Match(MatchStatus.NEEDS_NON_SPACE)
NEEDS_OTHER_CHARACTER = Match(MatchStatus.NEEDS_OTHER_CHARACTER)


class Markers:
    """The registered markers. `brackets` maps their names, without colon, to the first bracket of their JSON."""

    def __init__(self, brackets: Mapping[str, str]) -> None:
        self._brackets = dict(brackets)
        names = [name for name in brackets if _NAME.fullmatch(name)]
        self.prefixes = frozenset(name[:length] for name in names for length in range(len(name) + 1))
        firsts = "".join(sorted({re.escape(name[0]) for name in brackets}))
        name_start = rf"|(?<!\w)[{firsts}]" if firsts else ""
        self.start_pattern = re.compile(rf"[`*~]{name_start}")
        # The usual form: the name, its colon, white space, the bracket.
        self._plain = re.compile(rf"({'|'.join(names)}):\s*([{{\[])") if names else None

    def match(self, text: str, at: int) -> Match:
        """Match a marker at `at`, where the text has `*` or the first letter of a name."""
        plain = self._plain.match(text, at) if self._plain is not None else None
        if plain is not None and plain[2] == self._brackets[plain[1]]:
            return Match(MatchStatus.YES, plain[1], plain.end() - 1)
        stars = 0
        while stars < MAX_EMPHASIS_LENGTH and text.startswith("*", at + stars):
            stars += 1
        begin = at + stars
        end = _match_end(_NAME, text, at=begin)
        name = text[begin:end]
        if end == len(text) and name in self.prefixes:
            return NEEDS_MORE
        if name not in self._brackets:
            return NO_MATCH
        colon = _colon_end(text, end, emphasis="*" * stars)
        if colon < 0:
            return NO_MATCH
        if colon > len(text):
            return NEEDS_MORE
        return self._match_json(text, colon, name=name)

    def _match_json(self, text: str, at: int, *, name: str) -> Match:
        """Match the text after the colon: white space, an optional fence, and the marker's bracket."""
        bracket = self._brackets[name]
        at = end_of_space(text, at)
        if at == len(text):
            return NEEDS_NON_SPACE
        if text[at] == bracket:
            return Match(MatchStatus.YES, name=name, json_start=at)
        if text[at] != "`":
            return NO_MATCH
        after = end_of_run(text, at)
        fence = after - at
        if after == len(text):
            return NEEDS_OTHER_CHARACTER
        if fence < 3:
            return NO_MATCH
        end = _match_end(_LETTERS, text, at=after)
        info = text[after:end].lower()
        if end == len(text) and "json".startswith(info):
            return NEEDS_MORE
        if info not in {"", "json"}:
            return NO_MATCH
        at = end_of_space(text, end)
        if at == len(text):
            return NEEDS_NON_SPACE
        return Match(MatchStatus.YES, name=name, json_start=at, fence=fence) if text[at] == bracket else NO_MATCH


def _colon_end(text: str, at: int, *, emphasis: str) -> int:
    """Return the end of the colon and its emphasis; -1 if there is none, more than the text's length if unknown."""
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
        return at + 1  # fast path
    end = at
    while end < len(text) and text[end] in " \t" and end - at < MAX_SPACES_BEFORE_COLON:
        end += 1
    return _literal(text, end, literal=":")


def _literal(text: str, at: int, *, literal: str) -> int:
    """Return the end of `literal` at `at`; -1 if it is not there, more than the text's length if unknown."""
    if text.startswith(literal, at):
        return at + len(literal)
    if at + len(literal) > len(text) and literal.startswith(text[at:]):
        return len(text) + 1
    return -1


def _match_end(pattern: re.Pattern[str], text: str, *, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
