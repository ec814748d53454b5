"""Which rows a phrase picks: "the rejected ones", "salary over 90k and remote", "everything at Acme", "these"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chat.demo.language.words import key
from chat.demo.meaning.clauses import column_of, condition_meant, unnamed_column
from chat.demo.meaning.nouns import is_noun
from chat.demo.meaning.selection import without_selection
from chat.demo.page import Column, Page

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL


# Every place where a condition may begin is tried, which takes the square of the length.
_MOST_CHARACTERS = 300


@dataclass(frozen=True)
class Rows:
    """The rows a phrase picks: all of them, those selected, or those of a filter in the grammar of tables; with both
    `selected` and `filter`, the selected rows that the filter leaves."""

    filter: Json | None = None
    is_all: bool = False
    selected: bool = False


_SELECTED = re.compile(
    r"^(?:(?:all )?(?:of )?(?:the |my )?(?:currently )?(?:selected|marked|highlighted|ticked)(?: \w+)?|(?:all "
    r")?(?:of )?(?:these|those|this|them|that)(?: \d+| two| three)?"
    r"(?: selected)?(?: rows?| ones?| records?| entr(?:y|ies)| items?)?|it|my selection|the selection|(?:the )?"
    r"(?:visible|shown|filtered) (?:rows|ones))$",
    _FLAGS,
)
_LEAD = re.compile(
    r"^(?:(?:all|every|each|any|everything|anything|of|the|those|these|my|our|just|only|also|both|whole|entire"
    r"|please|are|there|do|i|we|have|a|an)\s+)+(?=\S)",
    _FLAGS,
)
# "at Acme that are not remote", "rejected before June": places where one more condition begins without an "and".
_RELATIVE = re.compile(
    r"\s+(?:(?:that|which|who|where|whose)\s+(?:(?:is|are|was|were)\s+)?"
    r"|(?=(?:without|with|before|after|since|until|older|newer|over|under|above|below|from|in|at|by|between)\b))",
    _FLAGS,
)
_CONNECTOR = re.compile(
    r"\b(?:where|when|whose|whenever|if|wherever|for which|in which|which|that|who|with|without|having|at|from"
    r"|in|on|for|of|by|before|after|since|until|between|over|under|"
    r"above|below|older|newer|more|less|due|overdue|owned|assigned|located|not|no|missing|lacking|within|located|assigned|containing"
    r"|mentioning|called|named|starting|worth|during|i|we|is|are|was|were|has|have)\b|[<>=≥≤]",
    _FLAGS,
)


def rows_meant(phrase: str, *, page: Page) -> Rows | None:
    """The rows a phrase picks, or None if any part of it cannot be read."""
    text = phrase.strip(" ,.;!?")
    if len(text) > _MOST_CHARACTERS:
        return None
    if _SELECTED.match(text):
        return Rows(selected=True)
    rest, selected = without_selection(text, page=page)
    core = _LEAD.sub("", rest)
    if (
        not core
        or is_noun(core, page=page)
        or key(text) in ("all", "everything", "all of them", "each", "every one", "every")
    ):
        return Rows(selected=True) if selected else Rows(is_all=True)
    clauses = _clauses(core, page=page)
    return Rows(filter={"and": clauses}, selected=selected) if clauses else None


def _clauses(core: str, *, page: Page) -> list[Json] | None:
    """Adjectives, a noun, and conditions: any of the three may be missing."""
    whole = _joined(core, page=page)
    if whole:
        return whole
    for connector in _CONNECTOR.finditer(core):
        head, tail = core[: connector.start()].strip(" ,"), core[connector.start() :]
        before = _adjectives(head, page=page)
        if before is None:
            continue
        after = _joined(tail, page=page)
        if after:
            return before + after
    return _adjectives(core, page=page) or None


def _adjectives(head: str, *, page: Page) -> list[Json] | None:
    """ "rejected remote applications": each word an option, a yes, or a cell; the noun falls away. None if unread."""
    head = _LEAD.sub("", head + " ").strip() if head else ""
    words = head.split()
    while words and is_noun(words[-1], page=page):
        words.pop()
    rest = " ".join(words)
    if not rest or is_noun(rest, page=page):
        return []
    joined = _joined(rest, page=page)
    if joined:
        return joined
    made: list[Json] = []
    while words:
        for size in range(len(words), 0, -1):
            found = unnamed_column(" ".join(words[:size]), page=page)
            if found:
                made.append(found)
                words = words[size:]
                break
        else:
            return None
    return made


def _joined(text: str, *, page: Page) -> list[Json] | None:
    """Conditions joined by "and" (each a clause) and "or" (one clause of several)."""
    apart = _apart(text, page=page, carry=False)
    if apart:
        return apart
    single = condition_meant(text, page=page, before=None)
    if single:
        return [single]
    return _apart(text, page=page, carry=True) or _apart(_RELATIVE.sub(" and ", text), page=page, carry=False)


def _apart(text: str, *, page: Page, carry: bool) -> list[Json] | None:
    """The parts, each read for itself; with `carry` a part may be about the column of the one before it."""
    clauses: list[Json] = []
    last: Column | None = None
    for part in _split(text, words=("and", "but", ",")):
        alternatives = []
        for piece in _split(part, words=("or",)):
            found = condition_meant(piece, page=page, before=last)
            if found is None:
                return None
            alternatives.append(found)
            last = (column_of(found, page=page) or last) if carry else None
        flat = [item for found in alternatives for item in found.get("or", [found])]
        clauses.append(_either(flat))
    return _merged(clauses) or None


def _either(conditions: list[Json]) -> Json:
    """One clause of several conditions; options of one column together."""
    first = conditions[0]
    if first["op"] == "any_of" and all(
        item["op"] == "any_of" and item["column"] == first["column"] for item in conditions
    ):
        return {**first, "value": list(dict.fromkeys(option for item in conditions for option in item["value"]))}
    return first if len(conditions) == 1 else {"or": conditions}


def _merged(clauses: list[Json]) -> list[Json]:
    """ "everything at Acme and Globex": no cell equals both, so two equalities of one column mean either."""
    merged: list[Json] = []
    for clause in clauses:
        last = merged[-1] if merged else {}
        before = last.get("or", [last])
        now = clause.get("or", [clause])
        same = {(item.get("column"), item.get("op")) for item in (*before, *now)}
        if len(same) == 1 and same.pop()[1] in ("eq", "any_of"):
            merged[-1] = _either([*before, *now])
        else:
            merged.append(clause)
    return merged


def _split(text: str, *, words: tuple[str, ...]) -> list[str]:
    """Cut at the words, but not between the two ends of "between … and …"."""
    names = "|".join(re.escape(word) for word in words if word.isalpha())
    pattern = re.compile(
        rf"\bbetween\s+.+?\s+and\s+\S+|\"[^\"]*\"|(?P<cut>\s+(?:{names})\s+{'|[,;]' if ',' in words else ''}\s*)",
        _FLAGS,
    )
    parts, start = [], 0
    for found in pattern.finditer(text):
        if found["cut"]:
            parts.append(text[start : found.start()])
            start = found.end()
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]
