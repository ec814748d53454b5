"""One condition in a phrase, its column named or not: "status is not Applied", "remote", "at Acme", "before June"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.language.dates import span
from chat.demo.language.words import key, tokens
from chat.demo.meaning.atoms import cond, on_column, options_in
from chat.demo.meaning.nouns import without_noun
from chat.demo.page import Column, Page

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_PLACE = re.compile(
    r"^(?:at|from|in|for|of|by|with|on|to|assigned to|owned by|located in|based in|called|named|about)\s+"
    r"(?:the\s+)?(?P<value>.+)$",
    _FLAGS,
)
_LACKS = re.compile(
    r"^(?:without|with no|with an? (?:empty|missing)|missing|lacking|no|has no|have no|that lacks?|don't have"
    r"|doesn't have|do not have|does not have)\s+(?:an?\s+|any\s+|the\s+)?(?P<column>.+)$",
    _FLAGS,
)
_HAS = re.compile(r"^(?:with|has|have|having)\s+(?:an?\s+|any\s+|some\s+)(?P<column>.+)$", _FLAGS)
_GOES_ON = re.compile(
    r"\s(?:that|which|who|whose|where|with|without|before|after|since|until|over|under|older|newer|is|are|and|or)\s",
    _FLAGS,
)
_PLACE_COLUMNS = {
    "at": ("company", "vendor", "employer", "location", "organization", "city", "place", "customer", "school"),
    "from": ("company", "vendor", "source", "country", "city", "location", "customer", "reported"),
    "in": ("city", "location", "country", "category", "place", "address", "department"),
    "by": ("owner", "assignee", "author", "reported", "company"),
    "for": ("company", "customer", "owner", "project", "vendor", "position", "role"),
    "to": ("assignee", "owner"),
}  # fmt: skip


def condition_meant(text: str, *, page: Page, before: Column | None) -> Json | None:
    """One condition; `before` is the column of the one before it ("over 5 and under 9")."""
    text = text.strip(" ,.")
    stripped = _strip_relative(text)
    for candidate in (text, stripped):
        for pattern, filled in ((_LACKS, False), (_HAS, True)):
            said = pattern.match(candidate)
            column = page.column(said["column"]) if said else None
            if column is not None:
                truth = column.type == "boolean"
                return cond(column, "is", value=filled) if truth else cond(column, "not_empty" if filled else "empty")
    stripped = re.sub(r"^(?:is|are|was|were|been|be)\s+(?=\S)", "", stripped, flags=_FLAGS)
    plain = without_noun(stripped, page=page)
    if plain != stripped and (found := condition_meant(plain, page=page, before=None)):
        # "tasks without a due date" is about tasks, though a column may be called Task.
        return found
    placeless = re.sub(r"^(?:in|of|at|on|for|by|from)\s+(?=\S)", "", stripped, flags=_FLAGS)
    for candidate in dict.fromkeys((stripped, text, placeless)):
        if found := _named_column(candidate, page=page):
            return found
    for candidate in dict.fromkeys((text, stripped)):
        if found := unnamed_column(candidate, page=page) or _placed(candidate, page=page):
            return found
    if before is not None:
        return on_column(before, stripped, page=page)
    return None


def _strip_relative(text: str) -> str:
    rest = re.sub(
        r"^(?:(?:where|when|whose|whenever|if|wherever|for which|in which|which|that|who|having|with|and|but"
        r"|its|their|the|i|we|they)\s+)+(?=\S)",
        "",
        text,
        flags=_FLAGS,
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


def unnamed_column(text: str, *, page: Page) -> Json | None:
    """A condition that names no column: an option, a yes-or-no column, a cell, a span of days, a bound."""
    negated = re.match(
        r"^(?:not|isn't|aren't|is not|are not|non-?|never)\s*(?:yet\s+|been\s+|be\s+)?(?P<rest>.+)$", text, _FLAGS
    )
    rest = re.sub(
        r"^(?:is|are|was|were|be|been|marked(?: as)?|still|currently|already|due)\s+(?=\S)",
        "",
        negated["rest"] if negated else text,
        flags=_FLAGS,
    )
    rest = (
        re.sub(r"^(?:in|as|at|on)\s+(?=\S)", "", rest, flags=_FLAGS)
        if _option(re.sub(r"^(?:in|as|at|on)\s+", "", rest), page=page)
        else rest
    )
    if found := _option(rest, page=page):
        return cond(found[0], "none_of" if negated else "any_of", value=found[1])
    truths = [
        c
        for c in page.of_type("boolean")
        if key(rest) == key(c.name) or (tokens(rest) and set(tokens(rest)) <= set(tokens(c.name)))
    ]
    if len(truths) == 1:
        return cond(truths[0], "is", value=negated is None)
    if negated:
        return None
    if cell := page.with_cell(rest):
        return cond(cell[0], "eq", value=cell[1])
    if ends := re.match(r"^(?:expir\w+|goes off|go off|runs? out|renews?|ends?)\s+(?P<when>.+)$", text, _FLAGS):
        ending = [c for c in page.of_type("date") if re.search(r"expir|best before|use by|renew|end", c.name, _FLAGS)]
        return on_column(ending[0], ends["when"], page=page) if len(ending) == 1 else None
    text = re.sub(r"^from\s+(?=(?:before|after|since|the last|last|this)\b)", "", text, flags=_FLAGS)
    for kind in ("date", "number"):
        column = _only(kind, text=text, page=page)
        if column is not None and _bounds(text, kind=kind, page=page):
            return on_column(column, text, page=page)
    return None


def _only(kind: str, *, text: str, page: Page) -> Column | None:
    """The column of that type; of several dates the due one for what is due, else the first other one."""
    columns = page.of_type(kind)
    if kind == "number" or len(columns) < 2:
        return columns[0] if len(columns) == 1 else None
    due = [column for column in columns if re.search(r"\bdue\b|deadline|follow", key(column.name))]
    rest = [column for column in columns if column not in due]
    if re.search(r"\b(?:over)?due\b|\bupcoming\b", text, _FLAGS):
        return due[0] if len(due) == 1 else None
    return (rest or due)[0]


def _option(text: str, *, page: Page) -> tuple[Column, list[str]] | None:
    found = [(column, options) for column in page.of_type("select") if (options := options_in(text, column=column))]
    return found[0] if len(found) == 1 else None


def _bounds(text: str, *, kind: str, page: Page) -> bool:
    """Whether a phrase bounds a quantity or a day, so that it may stand without its column's name."""
    if kind == "date":
        days = span(re.sub(r"^(?:due|from|on|in|during)\s+", "", text, flags=_FLAGS), today=page.today)
        starts = (
            r"^(?:before|after|since|until|between|older|newer|overdue|upcoming|due|in the (?:last|past|next"
            r"|future)|within|on or|by\s|more than .* ago|from)"
        )
        return days is not None or re.match(starts, text, _FLAGS) is not None
    return (
        re.match(
            r"^(?:over|under|above|below|more than|less than|at least|at most|between|exceeding|>|<|≥|≤|worth)",
            text,
            _FLAGS,
        )
        is not None
    )


def _placed(text: str, *, page: Page) -> Json | None:
    """ "at Acme", "in Berlin", "by Maya": the column such a word points to, where a cell or the column's name fits."""
    found = _PLACE.match(text)
    if found is None:
        return None
    value = found["value"]
    if _GOES_ON.search(value):
        return None
    if cell := page.with_cell(value):
        return cond(cell[0], "eq", value=cell[1])
    if option := _option(value, page=page):
        return cond(option[0], "any_of", value=option[1])
    if any(key(value) == key(column.name) for column in page.columns):
        # "delete rows by status" says no value.
        return None
    preposition = text.split()[-len(value.split()) - 1].casefold() if len(text.split()) > len(value.split()) else ""
    for hint in _PLACE_COLUMNS.get(preposition, ()):
        for column in page.of_type("text"):
            if hint in tokens(column.name) and (value[:1].isupper() or preposition in ("at", "by")):
                return cond(column, "contains", value=value)
    return None


def column_of(condition: Json, *, page: Page) -> Column | None:
    first = condition.get("or", [condition])[0]
    return page.column(str(first.get("column", "")))
