"""Longest and shortest texts: "longest notes", "which application has the shortest position?"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import MOST_CHARACTERS_SHOWN, read_all, was_cut
from chat.demo.language.numbers import spoken
from chat.demo.language.words import and_list, shown
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.atoms import cond
from chat.demo.meaning.conditions import rows_meant
from chat.demo.meaning.wording import among_in_words, column_in_words, row_in_words
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_MOST_CHARACTERS = 200
_MOST_NAMED = 5
_FORM = re.compile(
    r"^(?:(?:what|which|who|where|show|tell|give|find|list|the)\b.*?)?\b"
    r"(?P<how>longest|shortest|wordiest|most detailed)\s+(?P<what>.+)$",
    _FLAGS,
)
_IS = re.compile(
    r"^(?:what|which|whose)\s+(?P<what>[\w' -]+?)\s+(?:is|are|was|were)\s+(?:the\s+)?(?P<how>longest|shortest)$", _FLAGS
)
_CUT = re.compile(r"\s+(?:of|for|among|where|with|at|that|in|from)\b|$", _FLAGS)
_WHOLE = re.compile(r"^(?:in|of|from|for)\s+(?:(?:all|the|this|my|whole)\s+)*(?:table|list|rows)$", _FLAGS)


def find_longest(turn: Turn) -> Reply | None:
    """The row whose text in a column is the longest or the shortest, measured in the rows themselves."""
    page, wish = turn.page, turn.wish.rstrip("? ")
    if not page.has_table or len(wish) > _MOST_CHARACTERS:
        return None
    found = _FORM.match(wish) or _IS.match(wish)
    named = _column(found["what"], page=page) if found else None
    if found is None or named is None:
        return None
    column, rest = named
    picked = rows_meant(rest, page=page) if rest else None
    if picked is not None and picked.selected:
        turn = replace(turn, about_selected=True)
    if rest and picked is None:
        return say(
            f"I could not tell which rows “{shown(rest)}” means. Name a column and a value.", offers=offers_for(turn)
        )
    filter_ = picked.filter if picked else None
    clauses = [*(filter_ or {}).get("and", []), cond(column, "not_empty")]
    rows = read_all(turn, filter_={"and": clauses})
    if isinstance(rows, Reply):
        return rows
    among = among_in_words(filter_, page=page, selected=turn.about_selected)
    longest = found["how"].casefold() != "shortest"
    return say(_told(rows, column=column, page=page, longest=longest, among=among), offers=offers_for(turn))


def _column(what: str, *, page: Page) -> tuple[Column, str] | None:
    """The text column that a phrase begins with, and the condition that follows it."""
    for cut in _CUT.finditer(what):
        column = named_column(what[: cut.start()], page=page)
        if column is not None:
            rest = what[cut.start() :].strip()
            rest = "" if _WHOLE.match(rest) else re.sub(r"^(?:of|for|among)\s+", "", rest, flags=_FLAGS)
            return (column, rest) if column.type == "text" else None
    return None


def _told(rows: list[Json], *, column: Column, page: Page, longest: bool, among: str) -> str:
    texts = [(str(data[column.name]), row) for row in rows if (data := row.get("data") or {}).get(column.name)]
    if not texts:
        return f"No row has a value in {column_in_words(column)}{among}."
    cut = [row for text, row in texts if was_cut(text)]
    if longest and len(cut) > 1:
        names = [name for row in cut if (name := row_in_words(row, page=page, besides=column))]
        which = f": {and_list(names)}" if 0 < len(names) == len(cut) <= _MOST_NAMED else ""
        return (
            f"{spoken(len(cut))} rows{among} have {MOST_CHARACTERS_SHOWN} characters or more "
            f"in {column_in_words(column)}. "
            f"I see no further, so I will not guess which of them is the longest{which}."
        )
    text, row = (max if longest else min)(texts, key=lambda item: len(item[0]))
    size = f"{MOST_CHARACTERS_SHOWN} characters or more" if was_cut(text) else _characters(len(text))
    name = row_in_words(row, page=page, besides=column)
    word = "longest" if longest else "shortest"
    who = f", {name}" if name else ""
    return f"The {word} text in {column_in_words(column)}{among} has {size}{who}:\n\n“{shown(text, limit=200)}”"


def _characters(number: int) -> str:
    return f"{spoken(number)} {'character' if number == 1 else 'characters'}"
