"""Whether a question is about the selected rows ("of these", "the ticked ones"), and what it asks without saying so."""

from __future__ import annotations

import re

from chat.demo.language.words import key, squeeze
from chat.demo.meaning.nouns import is_noun
from chat.demo.page import Page

_FLAGS = re.IGNORECASE | re.DOTALL
_MAX_CHARACTERS = 300
_MAX_PHRASES = 3
_CHOSEN = r"(?:selected|ticked|checked|marked|highlighted)"
_NOW = r"(?:(?:currently|now|already|just)\s+)*"
# "these columns" and "those where it is empty" name no selected rows.
_OTHERS = (
    r"(?!\s+(?:columns?|fields?|options?|choices?|values?|tables?|changes?|days?|weeks?|months?|words?|duplicates?"
    r"|proposals?|suggestions?|questions?|sentences?|numbers?|types?)\b)"
)
_FOLLOWED = (
    r"(?!\s+(?:(?:\w+\s+)?(?:that|which|who|whose|where|with|without|having)|from|in|at|over|under|before|after"
    r"|since)\b)"
)
_PHRASE = re.compile(
    r"(?<![\w\"“„'])(?P<each>(?:all|any|each|one|some|both|none)\s+)?"
    r"(?P<into>(?:of|in|among|amongst|for|from|across|within|over)\s+)?(?:all\s+(?:of\s+)?)?"
    rf"(?:(?:the|my|our|these|those)\s+(?:(?:\d+|two|three|four|five)\s+)?{_NOW}(?P<chosen>{_CHOSEN})\b(?!\s+as\b)"
    r"|(?:the|my|this|our)\s+(?:current\s+)?selection\b"
    rf"|these\b(?:\s+(?:\d+|two|three|four|five)\b)?{_OTHERS}"
    rf"|(?P<bare>{_CHOSEN})(?=\s+(?P<noun>\w+)|$)"
    rf"|(?P<weak>them|those)\b{_OTHERS}{_FOLLOWED})",
    _FLAGS,
)
# "How many rows are selected?", "which have I ticked and are remote?"
_PREDICATE = re.compile(
    r"\s+(?:(?:that|which|who)\s+)?(?:(?:is|are|was|were|be|been|have|has|had|i've|i|we|did|do)\s+)+"
    rf"{_NOW}(?P<chosen>{_CHOSEN}|select|tick|check|mark|highlight)\b(?=\s*(?:$|,|and\b|but\b))",
    _FLAGS,
)
_JOINED = re.compile(r"^\s*(?:,\s*)?(?:and|but)\s+(?:(?:that|which)\s+)?(?=\S)", _FLAGS)
_OPEN = re.compile(r"(?:^|\s)(?:how many|which|what|who|show(?: me)?|list|count|everything|all)$", _FLAGS)
# After these words a question needs something that is measured.
_MEASURE = re.compile(
    r"^(?:(?:what(?:'s| is| are)|show(?: me)?|give me|tell me|calculate|compute)\s+)?(?:(?:the|an?)\s+)?"
    r"(?:average|mean|avg|sum|total|number|count|amount|breakdown|distribution|summary|overview|tally|range"
    r"|spread|list|highest|lowest|largest|smallest|latest|earliest|newest|oldest|longest|shortest)$",
    _FLAGS,
)


def without_selection(wish: str, *, page: Page) -> tuple[str, bool]:
    """Return the wish without the words for the selected rows, and whether it had any."""
    text, found = wish.rstrip("? "), False
    if len(text) > _MAX_CHARACTERS:
        return wish, False
    for _ in range(_MAX_PHRASES):
        shorter = _without_predicate(text, page=page) or _without_phrase(text, page=page)
        if not shorter:
            break
        text, found = shorter, True
    return (text, True) if found else (wish, False)


def _without_predicate(text: str, *, page: Page) -> str:
    match = _PREDICATE.search(text)
    if match is None or _is_named(match["chosen"], page=page):
        return ""
    before, after = text[: match.start()].rstrip(" ,"), _JOINED.sub("", text[match.end() :])
    return squeeze(f"{before} {'rows' if _OPEN.search(before) else ''} {after}")


def _without_phrase(text: str, *, page: Page) -> str:
    for match in _PHRASE.finditer(text):
        said = match["chosen"] or match["bare"]
        if said and _is_named(said, page=page):
            continue
        if match["bare"] and match["noun"] and not is_noun(match["noun"], page=page):
            continue
        # "Them" may as well be all that was asked about before.
        if match["weak"] and not (page.ticked and (match["into"] or match["each"])):
            continue
        before, after = text[: match.start()].rstrip(" ,"), _after_noun(text[match.end() :], page=page).lstrip(" ,")
        if not match["into"] or match["each"]:
            return squeeze(f"{before} rows {after}")
        return squeeze(f"{before} of rows {after}" if _MEASURE.search(before) else f"{before} {after}")
    return ""


def _after_noun(rest: str, *, page: Page) -> str:
    """What follows "these applications" after its noun."""
    noun = re.match(r"\s+(\w+)\b", rest)
    return rest[noun.end() :] if noun and is_noun(noun[1], page=page) else rest


def _is_named(word: str, *, page: Page) -> bool:
    """Whether a column or an option is called so: "how many are checked?" asks about a column "Checked"."""
    wanted = key(word)
    names = (name for column in page.columns for name in (column.name, *column.options))
    return any(wanted in key(name).split() for name in names)
