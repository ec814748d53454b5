"""Show some rows: "which follow-ups are due this week?", "show me the rejected ones", "find Acme"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import ask, failed
from chat.demo.language.numbers import spoken
from chat.demo.language.words import shown, unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.atoms import cond
from chat.demo.meaning.conditions import rows_meant
from chat.demo.meaning.wording import condition_in_words, counted_selection, value_in_words
from chat.demo.page import Page
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_MOST = 10
_SHOW = re.compile(
    r"^(?:show|list|display|give|tell|print|see|view|get)\s+(?:me\s+|us\s+)?(?:about\s+)?(?P<what>.+)$|^(?:what"
    r"|which|who)\s+(?P<asked>.+)$",
    _FLAGS,
)
_SEARCH = re.compile(
    r"^(?:find|search(?: for)?|look (?:for|up)|where is|where's|is there|do i have|have i)\s+(?:any\s+|an?\s+"
    r"|the\s+)?(?:rows?|entry|entries)?\s*(?:with|for|about|containing|that mentions?)?\s*(?P<what>.+)$",
    _FLAGS,
)

_MISSING = re.compile(
    r"^(?:is|are)\s+(?:there\s+)?(?:any\s+|an?\s+|some\s+)?(?P<column>.+?)\s+(?:missing|empty|blank|not filled in)$",
    _FLAGS,
)


def show_rows(turn: Turn) -> Reply | None:
    """Up to ten rows, read with a tool."""
    page, wish = turn.page, turn.wish.rstrip("? ")
    if not page.has_table:
        return None
    found = _SHOW.match(wish)
    rows = rows_meant(found["what"] or found["asked"], page=page) if found else None
    if rows is not None and rows.selected:
        turn = replace(turn, about_selected=True)
    if rows is not None and (rows.filter is not None or turn.about_selected):
        return _rows_of(turn, filter_=rows.filter)
    if rows is not None and rows.is_all and found and found["what"]:
        return _rows_of(turn, filter_=None)
    missing = _MISSING.match(wish)
    column = named_column(missing["column"], page=page) if missing else None
    if column is not None:
        return _rows_of(turn, filter_={"and": [cond(column, "empty")]})
    search = _SEARCH.match(wish)
    if search is None:
        return None
    rows = rows_meant(search["what"], page=page)
    if rows is not None and rows.filter is not None:
        return _rows_of(turn, filter_=rows.filter)
    words = unquote(search["what"])
    return _answer(
        turn, tool="search_rows", given={"query": words, "limit": _MOST}, about=f"they hold “{shown(words)}”"
    )


def _rows_of(turn: Turn, *, filter_: Json | None) -> Reply:
    given: Json = {"limit": _MOST, **({"filter": filter_} if filter_ else {})}
    about = condition_in_words(filter_, page=turn.page) if filter_ else ""
    return _answer(turn, tool="get_rows", given=given, about=about)


def _answer(turn: Turn, *, tool: str, given: Json, about: str) -> Reply:
    answer = turn.answer(tool)
    if answer is None:
        return ask(turn, tool=tool, given=given, text="Let me look.")
    rows = answer.value.get("rows") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(rows, list):
        return failed(turn)
    total = answer.value.get("matching_rows", len(rows))
    if not rows:
        row = "No selected rows match" if turn.about_selected else "No rows match"
        return say(f"{row}{': ' + about if about else ''}.", offers=offers_for(turn))
    head = _head(turn, total=total, about=about)
    more = f"\n\nThese are the first {len(rows)}." if isinstance(total, int) and total > len(rows) else ""
    return say(
        f"{head}\n\n" + "\n".join(_line(row, page=turn.page) for row in rows[:_MOST]) + more, offers=offers_for(turn)
    )


def _head(turn: Turn, *, total: int, about: str) -> str:
    one = total == 1
    if turn.about_selected and about:
        return f"Of {counted_selection(turn.page.ticked)}, {spoken(total)} match{'es' if one else ''}: {about}."
    if turn.about_selected:
        return f"{spoken(total)} {'row is' if one else 'rows are'} selected:"
    if about:
        return f"{spoken(total)} {'row matches' if one else 'rows match'}: {about}."
    return f"There are {spoken(total)} rows."


def _line(row: Any, *, page: Page) -> str:
    """A row by its first cells, in the order of the columns."""
    data = row.get("data", {}) if isinstance(row, dict) else {}
    cells = [value_in_words(data[c.name]) for c in page.columns if data.get(c.name) not in (None, "")]
    return f"- {', '.join(cell for cell in cells[:4] if cell)}" if cells else "- an empty row"
