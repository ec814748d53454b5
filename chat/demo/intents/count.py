"""Count and group: "how many rows?", "how many are Applied?", "how many per status?". Answers come from tools alone."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import ask, failed, read_all
from chat.demo.language.numbers import spoken
from chat.demo.language.words import shown
from chat.demo.meaning.conditions import Rows, rows_meant
from chat.demo.meaning.view import filter_of
from chat.demo.meaning.wording import condition_in_words
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_COUNTING = "Let me count."
_MOST_GROUPS = 20
# A description names at most so many options; the rows with others would look as if they had no value.
_MOST_DESCRIBED = 30
_ASK = (
    r"(?:how many|count(?: up)?|the (?:total )?(?:number|count|amount) of|what(?:'s| is) the (?:total )?"
    r"(?:number|count) of"
    r"|(?:tell|give) me the (?:number|count) of|number of|total number of|tally(?: up)?)"
)
_GROUP = re.compile(
    rf"^(?:{_ASK}\s*(?P<what>.*?)\s*\b(?:per|by|for each|for every|in each|at each|in every|of each|with each"
    rf"|grouped by|under each|each)\s+(?P<by>.+)"
    r"|(?:group|break|split|summari[sz]e|count|sort out)(?:\s+(?:them|it|everything|the rows|rows|the table"
    r"|\w+))?(?:\s+(?:down|up))?\s+(?:by|per)\s+(?P<by2>.+)"
    r"|(?:show (?:me )?|give (?:me )?|what(?:'s| is) )?(?:the |a )?(?:breakdown|distribution|split|summary"
    r"|overview|counts?|tally|histogram|statistics|stats)"
    r"(?: of (?:the )?(?:rows|\w+))?\s+(?:by|per|of|for|over|across|for each)\s+(?:the )?(?P<by3>.+)"
    r"|(?P<by4>\w[\w ]*?)\s+(?:breakdown|distribution|counts|split))$",
    _FLAGS,
)
_MOST = re.compile(
    r"^(?:which|what)\s+(?P<by>[\w ]+?)\s+(?:has|have|is|are|occurs?|appears?|comes? up)\s+"
    r"(?:the )?(?:most|fewest|least|more often)"
    r"(?:\s+(?:common|often|frequent|used|rows|entries|\w+))?$",
    _FLAGS,
)
_COUNT = re.compile(rf"^{_ASK}\b\s*(?P<what>.*)$", _FLAGS)
_FILLER = re.compile(
    r"\b(?:are there|there are|are in (?:the|this|my) (?:table|list)|is there|do (?:i|we|you) (?:have|see"
    r"|count)|have (?:i|we)|did (?:i|we)|does (?:the|this|my) (?:table|list) have"
    r"|(?:exist|in total|altogether|overall|right now|currently|at the moment|so far|in here|here)|(?:in|of"
    r"|on) (?:the|this|my) (?:whole )?(?:table|list|sheet))\b",
    _FLAGS,
)
_SIZE = re.compile(
    r"^(?:how (?:big|large|long) is (?:the|this|my) (?:table|list)|what(?:'s| is) the size of (?:the|this) "
    r"table|row count|count|total)$",
    _FLAGS,
)


def count_rows(turn: Turn) -> Reply | None:
    """The number of rows, of those a condition picks, or of each value of a column."""
    page, wish = turn.page, turn.wish.rstrip("? ")
    if not page.has_table:
        return None
    by = _grouped(wish, page=page)
    if by is not None:
        return _group(turn, column=by[0], filter_=by[1])
    what = _counted(wish)
    if what is None:
        return None
    rows = rows_meant(what, page=page) if what else Rows(is_all=True)
    if rows is None:
        return say(
            f"I could not tell which rows “{shown(what)}” means. Name a column and a value, and I will count.",
            offers=offers_for(turn),
        )
    if rows.selected and page.selected:
        number = len(page.selected) + page.selected_left_out
        return say(f"{number} {'row is' if number == 1 else 'rows are'} selected.", offers=offers_for(turn))
    return _total(turn, filter_=filter_of(rows, page=page))


def _counted(wish: str) -> str | None:
    """What is to be counted, "" for everything; None if nothing is."""
    if _SIZE.match(wish):
        return ""
    found = _COUNT.match(wish)
    if found is None or re.match(r"^(?:columns?|fields?|tables?)\b", found["what"], _FLAGS):
        return None
    return re.sub(r"\s+", " ", _FILLER.sub(" ", found["what"])).strip(" ,")


def _grouped(wish: str, *, page: Page) -> tuple[Column, Json | None] | None:
    if most := _MOST.match(wish):
        column = page.column(most["by"])
        return (column, None) if column is not None and column.type not in ("number", "date") else None
    found = _GROUP.match(wish)
    if found is None:
        return None
    by = next((text for name in ("by", "by2", "by3", "by4") if (text := found[name])), "")
    by = _FILLER.sub("", by).strip(" ,?")
    column = page.column(by) or page.column(re.sub(r"^(?:the|different|each|every)\s+", "", by, flags=_FLAGS))
    if column is None:
        return None
    what = _FILLER.sub("", found["what"] or "").strip()
    rows = rows_meant(what, page=page) if what else None
    return column, rows.filter if rows else None


def _total(turn: Turn, *, filter_: Json | None) -> Reply:
    given: Json = {"limit": 1, **({"filter": filter_} if filter_ else {})}
    tool = "get_rows" if filter_ or "describe_table" not in turn.tools else "describe_table"
    answer = turn.answer(tool)
    if answer is None:
        return ask(turn, tool=tool, given=given if tool == "get_rows" else {}, text=_COUNTING)
    value = answer.value if isinstance(answer.value, dict) else {}
    number = value.get("matching_rows" if tool == "get_rows" else "rows")
    if answer.is_error or not isinstance(number, int):
        return failed(turn)
    noun = "row" if number == 1 else "rows"
    if not filter_:
        return say(
            f"There {'is' if number == 1 else 'are'} {spoken(number)} {noun} in this table.", offers=offers_for(turn)
        )
    return say(
        f"{spoken(number)} {noun} match{'es' if number == 1 else ''}: {condition_in_words(filter_, page=turn.page)}.",
        offers=offers_for(turn),
    )


def _group(turn: Turn, *, column: Column, filter_: Json | None) -> Reply:
    counts = _described(turn, column=column) if filter_ is None and column.type in ("select", "boolean") else None
    if (
        counts is None
        and filter_ is None
        and column.type in ("select", "boolean")
        and turn.answer("describe_table") is None
    ):
        return ask(turn, tool="describe_table", given={}, text=_COUNTING)
    if counts is None:
        rows = read_all(turn, filter_=filter_, text=_COUNTING)
        if isinstance(rows, Reply):
            return rows
        counts = Counter(_cell(row, column=column) for row in rows)
    return _tell_groups(turn, column=column, counts=counts)


def _described(turn: Turn, *, column: Column) -> Counter[str] | None:
    answer = turn.answer("describe_table")
    value = answer.value if answer and isinstance(answer.value, dict) else {}
    found = value.get("counts", {}).get(column.name) if isinstance(value.get("counts"), dict) else None
    if not isinstance(found, dict) or len(found) >= _MOST_DESCRIBED:
        return None
    counts = Counter({_label(name): number for name, number in found.items() if isinstance(number, int)})
    total = value.get("rows")
    if isinstance(total, int) and total > sum(counts.values()):
        counts[""] = total - sum(counts.values())
    return counts


def _cell(row: Any, *, column: Column) -> str:
    cell = row.get("data", {}).get(column.name) if isinstance(row, dict) else None
    return _label(cell) if cell not in (None, "") else ""


def _label(value: Any) -> str:
    truths = {"true": "yes", "false": "no"}
    return truths.get(str(value).casefold(), str(value)) if isinstance(value, bool) or value in truths else str(value)


def _tell_groups(turn: Turn, *, column: Column, counts: Counter[str]) -> Reply:
    ordered = sorted(
        ((name, number) for name, number in counts.items() if number), key=lambda item: (-item[1], item[0])
    )
    if not ordered:
        return say("The table has no rows yet, so there is nothing to count.", offers=offers_for(turn))
    lines = [f"- {shown(name) if name else 'no value'}: {spoken(number)}" for name, number in ordered[:_MOST_GROUPS]]
    if len(ordered) > _MOST_GROUPS:
        rest = sum(number for _, number in ordered[_MOST_GROUPS:])
        lines.append(f"- {len(ordered) - _MOST_GROUPS} more values: {spoken(rest)}")
    total = sum(counts.values())
    return say(f"{spoken(total)} rows by {shown(column.name)}:\n\n" + "\n".join(lines), offers=offers_for(turn))
