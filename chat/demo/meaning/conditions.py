"""Which rows a phrase picks: "the rejected ones", "where salary is over 90k and remote", "everything at Acme", "these"."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chat.demo.language.dates import span
from chat.demo.language.words import key, singular, tokens
from chat.demo.meaning.atoms import cond, on_column, options_in
from chat.demo.page import Column, Page

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL


@dataclass(frozen=True)
class Rows:
    """The rows a phrase picks: all of them, those selected, or those of a filter in the grammar of tables."""

    filter: Json | None = None
    is_all: bool = False
    selected: bool = False


_GENERIC = r"(?:rows?|records?|entries|entry|lines?|items?|ones?|everything|anything|data|things?|all|those|them|it|table|list|people|companies)"
_SELECTED = re.compile(
    r"^(?:(?:all )?(?:of )?(?:the |my )?(?:currently )?(?:selected|marked|highlighted|ticked)(?: \w+)?|(?:all )?(?:of )?(?:these|those|this|them|that)(?: \d+| two| three)?"
    r"(?: selected)?(?: rows?| ones?| records?| entr(?:y|ies)| items?)?|it|my selection|the selection|(?:the )?(?:visible|shown|filtered) (?:rows|ones))$",
    _FLAGS,
)
_LEAD = re.compile(r"^(?:(?:all|every|each|any|everything|anything|of|the|those|these|my|our|just|only|also|both|whole|entire|please|are|there|do|i|we|have|a|an)\s+)+(?=\S)", _FLAGS)
_RELATIVE = re.compile(
    r"^(?:(?:where|when|whose|whenever|if|wherever|for which|in which|of which|which|that|who|with|having|and|but|its|their|the|i|we|it|they|he|she|there|have|has|had|currently|still|"
    r"for|of|column|field|value|is|are|was|were)\s+)*?(?=\S)",
    _FLAGS,
)
_CONNECTOR = re.compile(
    r"\b(?:where|when|whose|whenever|if|wherever|for which|in which|which|that|who|with|without|having|at|from|in|on|for|of|by|before|after|since|until|between|over|under|"
    r"above|below|older|newer|more|less|due|not|no|missing|lacking|within|located|assigned|containing|mentioning|called|named|starting|worth|during|i|we|is|are|was|were|has|have)\b|[<>=≥≤]",
    _FLAGS,
)
_PLACE = re.compile(r"^(?:at|from|in|for|of|by|with|on|to|assigned to|owned by|located in|based in|called|named|about)\s+(?:the\s+)?(?P<value>.+)$", _FLAGS)
_LACKS = re.compile(r"^(?:without|with no|with an? (?:empty|missing)|missing|lacking|no|has no|have no|that lacks?|don't have|doesn't have|do not have|does not have)\s+(?:an?\s+|any\s+|the\s+)?(?P<column>.+)$", _FLAGS)
_HAS = re.compile(r"^(?:with|has|have|having)\s+(?:an?\s+|any\s+|some\s+)(?P<column>.+)$", _FLAGS)
_PLACE_COLUMNS = {
    "at": ("company", "vendor", "employer", "location", "organization", "city", "place", "customer", "school"),
    "from": ("company", "vendor", "source", "country", "city", "location", "customer", "reported"),
    "in": ("city", "location", "country", "category", "place", "address", "department"),
    "by": ("owner", "assignee", "author", "reported", "company"),
    "for": ("company", "customer", "owner", "project", "vendor", "position", "role"),
    "to": ("assignee", "owner"),
}  # fmt: skip


def rows_meant(phrase: str, *, page: Page) -> Rows | None:
    """The rows a phrase picks, or None if any part of it cannot be read."""
    text = phrase.strip(" ,.;!?")
    if _SELECTED.match(text):
        return Rows(selected=True)
    core = _LEAD.sub("", text)
    if not core or _is_noun(core, page=page) or key(text) in ("all", "everything", "all of them", "each", "every one", "every"):
        return Rows(is_all=True)
    clauses = _clauses(core, page=page)
    return Rows(filter={"and": clauses}) if clauses else None


def filter_meant(phrase: str, *, page: Page) -> Json | None:
    """The filter of a condition that stands alone ("status is Applied and remote")."""
    clauses = _joined(phrase, page=page)
    return {"and": clauses} if clauses else None


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
    while words and _is_noun(words[-1], page=page):
        words.pop()
    rest = " ".join(words)
    if not rest or _is_noun(rest, page=page):
        return []
    joined = _joined(rest, page=page)
    if joined:
        return joined
    made: list[Json] = []
    while words:
        for size in range(len(words), 0, -1):
            found = _bare(" ".join(words[:size]), page=page)
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
    single = _condition(text, page=page, before=None)
    return [single] if single else _apart(text, page=page, carry=True)


def _apart(text: str, *, page: Page, carry: bool) -> list[Json] | None:
    """The parts, each read for itself; with `carry` a part may be about the column of the one before it."""
    clauses: list[Json] = []
    last: Column | None = None
    for part in _split(text, words=("and", "but", ",")):
        alternatives = []
        for piece in _split(part, words=("or",)):
            found = _condition(piece, page=page, before=last)
            if found is None:
                return None
            alternatives.append(found)
            last = (_column_of(found, page=page) or last) if carry else None
        flat = [item for found in alternatives for item in found.get("or", [found])]
        clauses.append(_either(flat))
    return _merged(clauses) or None


def _either(conditions: list[Json]) -> Json:
    """One clause of several conditions; options of one column together."""
    first = conditions[0]
    if first["op"] == "any_of" and all(item["op"] == "any_of" and item["column"] == first["column"] for item in conditions):
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
    pattern = re.compile(rf"\bbetween\s+.+?\s+and\s+\S+|\"[^\"]*\"|(?P<cut>\s+(?:{names})\s+{'|[,;]' if ',' in words else ''}\s*)", _FLAGS)
    parts, start = [], 0
    for found in pattern.finditer(text):
        if found["cut"]:
            parts.append(text[start : found.start()])
            start = found.end()
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _condition(text: str, *, page: Page, before: Column | None) -> Json | None:
    """One condition; `before` is the column of the one before it ("status is Applied or Offer", "over 5 and under 9")."""
    text = text.strip(" ,.")
    stripped = _strip_relative(text)
    for candidate in (text, stripped):
        for pattern, filled in ((_LACKS, False), (_HAS, True)):
            said = pattern.match(candidate)
            column = page.column(said["column"]) if said else None
            if column is not None:
                truth = column.type == "boolean"
                return cond(column, "is", filled) if truth else cond(column, "not_empty" if filled else "empty")
    placeless = re.sub(r"^(?:in|of|at|on|for|by|from)\s+(?=\S)", "", stripped, flags=_FLAGS)
    for candidate in dict.fromkeys((stripped, text, placeless)):
        if found := _named_column(candidate, page=page):
            return found
    for candidate in dict.fromkeys((text, stripped)):
        if found := _bare(candidate, page=page) or _placed(candidate, page=page):
            return found
    if before is not None:
        return on_column(before, stripped, page=page)
    return None


def _strip_relative(text: str) -> str:
    rest = re.sub(
        r"^(?:(?:where|when|whose|whenever|if|wherever|for which|in which|which|that|who|having|with|and|but|its|their|the|i|we|they)\s+)+(?=\S)", "", text, flags=_FLAGS
    )
    return re.sub(r"^(?:(?:column|field|value of|value)\s+)+(?=\S)", "", rest, flags=_FLAGS)


def _named_column(text: str, *, page: Page) -> Json | None:
    """ "date applied is before June": the longest beginning that names a column, then what is said of it."""
    words = text.split()
    for size in range(min(len(words), 6), 0, -1):
        name = " ".join(words[:size])
        if not any(letter.isalnum() for letter in words[size - 1]):
            continue
        column = page.column(re.sub(r"(?:'s|:|,)$", "", name))
        if column is None or (size == 1 and key(name) in ("is", "are", "not", "no", "in", "on", "at", "by")):
            continue
        rest = re.sub(r"^(?:column|field|value|date)\s+(?=\S)", "", " ".join(words[size:]), flags=_FLAGS)
        if not rest and column.type != "boolean":
            continue
        found = on_column(column, rest, page=page)
        if found is not None:
            return found
    return None


def _bare(text: str, *, page: Page) -> Json | None:
    """A condition that names no column: an option, a yes-or-no column, a cell, a span of days, a bound."""
    negated = re.match(r"^(?:not|isn't|aren't|is not|are not|non-?|never)\s*(?:yet\s+|been\s+|be\s+)?(?P<rest>.+)$", text, _FLAGS)
    rest = re.sub(r"^(?:is|are|was|were|be|been|marked(?: as)?|still|currently|already|due)\s+(?=\S)", "", negated["rest"] if negated else text, flags=_FLAGS)
    rest = re.sub(r"^(?:in|as|at|on)\s+(?=\S)", "", rest, flags=_FLAGS) if _option(re.sub(r"^(?:in|as|at|on)\s+", "", rest), page=page) else rest
    if found := _option(rest, page=page):
        return cond(found[0], "none_of" if negated else "any_of", found[1])
    truths = [c for c in page.of_type("boolean") if key(rest) == key(c.name) or (tokens(rest) and set(tokens(rest)) <= set(tokens(c.name)))]
    if len(truths) == 1:
        return cond(truths[0], "is", negated is None)
    if negated:
        return None
    if cell := page.with_cell(rest):
        return cond(cell[0], "eq", cell[1])
    text = re.sub(r"^from\s+(?=(?:before|after|since|the last|last|this)\b)", "", text, flags=_FLAGS)
    for kind in ("date", "number"):
        columns = page.of_type(kind)
        if len(columns) == 1 and _bounds(text, kind=kind, page=page):
            return on_column(columns[0], text, page=page)
    return None


def _option(text: str, *, page: Page) -> tuple[Column, list[str]] | None:
    found = [(column, options) for column in page.of_type("select") if (options := options_in(text, column=column))]
    return found[0] if len(found) == 1 else None


def _bounds(text: str, *, kind: str, page: Page) -> bool:
    """Whether a phrase bounds a quantity or a day, so that it may stand without its column's name."""
    if kind == "date":
        days = span(re.sub(r"^(?:due|from|on|in|during)\s+", "", text, flags=_FLAGS), today=page.today)
        starts = r"^(?:before|after|since|until|between|older|newer|overdue|upcoming|due|in the (?:last|past|next|future)|within|on or|by\s|more than .* ago|from)"
        return days is not None or re.match(starts, text, _FLAGS) is not None
    return re.match(r"^(?:over|under|above|below|more than|less than|at least|at most|between|exceeding|>|<|≥|≤|worth)", text, _FLAGS) is not None


def _placed(text: str, *, page: Page) -> Json | None:
    """ "at Acme", "in Berlin", "by Maya": the column such a word points to, where a cell or the column's name fits."""
    found = _PLACE.match(text)
    if found is None:
        return None
    value = found["value"]
    if cell := page.with_cell(value):
        return cond(cell[0], "eq", cell[1])
    if option := _option(value, page=page):
        return cond(option[0], "any_of", option[1])
    preposition = text.split()[-len(value.split()) - 1].casefold() if len(text.split()) > len(value.split()) else ""
    for hint in _PLACE_COLUMNS.get(preposition, ()):
        for column in page.of_type("text"):
            if hint in tokens(column.name) and value[:1].isupper():
                return cond(column, "contains", value)
    return None


def _is_noun(text: str, *, page: Page) -> bool:
    """Whether a phrase is only a name for rows: "ones", "applications" in a table of that name."""
    low = key(text)
    if re.fullmatch(_GENERIC, low, _FLAGS):
        return True
    about = set(tokens(page.table_name)) | {"row"}
    words = [singular(word) for word in low.split()]
    return bool(words) and set(words) <= about and not page.with_option(text)


def _column_of(condition: Json, *, page: Page) -> Column | None:
    first = condition.get("or", [condition])[0]
    return page.column(str(first.get("column", "")))
