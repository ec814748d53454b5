"""What is counted by the values of which column: "how many per status?", "break it down by company"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.conditions import rows_meant
from chat.demo.page import Column, Page

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
ASKS_NUMBER = (
    r"(?:how many|count(?: up)?(?: how many)?|the (?:total )?(?:number|count|amount) of|what(?:'s| is) the (?:total )?"
    r"(?:number|count) of"
    r"|(?:tell|give) me the (?:number|count) of|number of|total number of|tally(?: up)?)"
)
_FILLER = re.compile(
    r"\b(?:are there|there are|are in (?:the|this|my) (?:table|list)|is there|do (?:i|we|you) (?:have|see"
    r"|count)|have (?:i|we)|did (?:i|we)|does (?:the|this|my) (?:table|list) have"
    r"|(?:exist|in total|altogether|overall|right now|currently|at the moment|so far|in here|here)|(?:in|of"
    r"|on) (?:the|this|my) (?:whole )?(?:table|list|sheet))\b",
    _FLAGS,
)
_SUMMARY = r"(?:breakdown|distribution|split|summary|overview|counts?|tally|histogram|statistics|stats|numbers)"
_FORMS = tuple(
    re.compile(rf"^(?:{form})$", _FLAGS)
    for form in (
        rf"{ASKS_NUMBER}\s*(?P<what>.*?)\s*\b(?:per|by|for each|for every|in each|at each|in every|of each|with each"
        rf"|grouped by|under each|each)\s+(?P<by>.+)",
        r"(?:group|break|split|divide|pivot|tabulate|summari[sz]e|count|sort out)"
        r"(?:\s+(?:them|it|everything|(?:the |my |all |all the )?\w+))?(?:\s+(?:down|up))?\s+(?:by|per)\s+(?P<by>.+)",
        rf"(?:show (?:me )?|give (?:me )?|what(?:'s| is) )?(?:the |a |an )?{_SUMMARY}"
        r"(?: of (?:the )?(?:rows|\w+))?\s+(?:by|per|of|for|over|across|between|for each)\s+(?:the )?(?P<by>.+)",
        r"(?:show(?: me)?|list|give me)\s+(?P<what>[\w ]+?)\s+(?:grouped|counted|split) by\s+(?:the )?(?P<by>.+)",
        r"(?:the )?(?:most|least) (?:common|frequent|often used|used|popular)\s+(?P<by>[\w ]+)",
        rf"(?P<by>\w[\w ]*?)\s+{_SUMMARY}",
        r"how (?:are|do|is|does)\s+(?P<what>[\w ]+?)\s+(?:distributed|spread(?: out)?|divided|split(?: up)?|grouped"
        r"|broken down|break down)\s+(?:by|over|across|among|between|per)\s+(?:the )?(?P<by>.+)",
        r"how (?:does|do|is|are)\s+(?:the )?(?P<by>[\w ]+?)\s+(?:break down|distributed|spread(?: out)?|split(?: up)?)",
        r"(?:which|what)\s+(?P<by>[\w ]+?)\s+(?:are there|do (?:i|we) have|occur|exist),? and how (?:many|often)"
        r"(?: [\w ]+)?",
        r"(?:list|show(?: me)?|give me|tell me)\s+(?:all |each )?(?:the )?(?P<by>[\w ]+?)\s+(?:with|and)\s+"
        r"(?:(?:their |its |the )?(?:counts?|number of \w+)|how (?:many|often)(?: [\w ]+)?)",
    )
)
_MOST = re.compile(
    r"^(?:which|what)\s+(?P<by>[\w ]+?)\s+(?:has|have|is|are|occurs?|appears?|comes? up)\s+"
    r"(?:the )?(?:most|fewest|least|more often)"
    r"(?:\s+(?:common|often|frequent|used|rows|entries|\w+))?$",
    _FLAGS,
)
_AROUND_ROWS = re.compile(
    r"^(?:(?:(?:the )?(?:total )?(?:number|count|amount) of|have|has|got|is|are)\b\s*)+|\s*\b(?:have|has|are|is)$",
    _FLAGS,
)
# "applications by status": nothing asks, so what stands before must be a word for rows and nothing else.
_PLAIN = re.compile(r"^(?P<what>[\w ]+?)\s+(?:by|per|for each)\s+(?P<by>.+)$", _FLAGS)


@dataclass(frozen=True)
class Groups:
    """The column whose values are counted, over which rows; `unread` is a condition that could not be read."""

    column: Column
    filter: Json | None = None
    unread: str = ""


def without_filler(text: str) -> str:
    """Without words that say only that something is there."""
    return re.sub(r"\s+", " ", _FILLER.sub(" ", text)).strip(" ,?")


def groups_meant(wish: str, *, page: Page) -> Groups | None:
    """What a wish counts by which column; None if it asks for no groups."""
    if most := _MOST.match(wish):
        column = page.column(most["by"])
        return Groups(column) if column is not None and column.type not in ("number", "date") else None
    for form in _FORMS:
        found = form.match(wish)
        column = _column(found["by"], page=page) if found else None
        if found is not None and column is not None:
            return _counted(found.groupdict().get("what") or "", column=column, page=page)
    plain = _PLAIN.match(wish)
    column = _column(plain["by"], page=page) if plain else None
    rows = rows_meant(plain["what"], page=page) if plain and column is not None else None
    return Groups(column) if column is not None and rows is not None and rows.is_all else None


def _column(said: str, *, page: Page) -> Column | None:
    text = re.sub(r"^(?:the|different|each|every)\s+", "", without_filler(said), flags=_FLAGS)
    return page.column(text) or named_column(text, page=page)


def _counted(said: str, *, column: Column, page: Page) -> Groups:
    what = _AROUND_ROWS.sub("", without_filler(said))
    rows = rows_meant(what, page=page) if what else None
    if what and rows is None:
        return Groups(column, unread=what)
    return Groups(column, filter=rows.filter if rows else None)
