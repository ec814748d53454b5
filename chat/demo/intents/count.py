"""Count and group: "how many rows?", "how many are Applied?", "how many per status?". Answers come from tools alone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import ask, failed, none_selected, read_all
from chat.demo.language.numbers import spoken
from chat.demo.language.words import shown
from chat.demo.meaning.conditions import Rows, rows_meant
from chat.demo.meaning.groups import ASKS_NUMBER, groups_meant, without_filler
from chat.demo.meaning.view import filter_of
from chat.demo.meaning.wording import condition_in_words, counted_selection
from chat.demo.page import Column
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_COUNTING = "Let me count."
_MOST_GROUPS = 20
# A description names at most so many options; the rows with others would look as if they had no value.
_MOST_DESCRIBED = 30
_COUNT = re.compile(rf"^{ASKS_NUMBER}\b\s*(?P<what>.*)$", _FLAGS)
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
    groups = groups_meant(wish, page=page)
    if groups is not None:
        return _unread(turn, groups.unread) or _group(turn, column=groups.column, filter_=groups.filter)
    what = _counted(wish)
    if what is None:
        return None
    rows = rows_meant(what, page=page) if what else Rows(is_all=True)
    if rows is None:
        return _unread(turn, what)
    if turn.about_selected or (rows.selected and page.ticked):
        return _selected(turn, filter_=rows.filter)
    return _total(turn, filter_=filter_of(rows, page=page))


def _unread(turn: Turn, what: str) -> Reply | None:
    """That a condition could not be read, if there is one: the rows it leaves are not guessed."""
    if not what:
        return None
    return say(
        f"I could not tell which rows “{shown(what)}” means. Name a column and a value, and I will count.",
        offers=offers_for(turn),
    )


def _counted(wish: str) -> str | None:
    """What is to be counted, "" for everything; None if nothing is."""
    if _SIZE.match(wish):
        return ""
    found = _COUNT.match(wish)
    if found is None or re.match(r"^(?:columns?|fields?|tables?)\b", found["what"], _FLAGS):
        return None
    return without_filler(found["what"])


def _selected(turn: Turn, *, filter_: Json | None) -> Reply:
    number = turn.page.ticked
    if not filter_ or not number:
        text = f"{spoken(number)} {'row is' if number == 1 else 'rows are'} selected."
        return say(text, offers=offers_for(turn)) if number else none_selected(turn)
    turn = replace(turn, about_selected=True)
    answer = turn.answer("get_rows")
    if answer is None:
        return ask(turn, tool="get_rows", given={"limit": 1, "filter": filter_}, text=_COUNTING)
    matching = answer.value.get("matching_rows") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(matching, int):
        return failed(turn)
    text = f"Of {counted_selection(number)}, {spoken(matching)} match{'es' if matching == 1 else ''}"
    return say(f"{text}: {condition_in_words(filter_, page=turn.page)}.", offers=offers_for(turn))


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
    is_described = filter_ is None and column.type in ("select", "boolean") and not turn.about_selected
    counts = _described(turn, column=column) if is_described else None
    if counts is None and is_described and turn.answer("describe_table") is None:
        return ask(turn, tool="describe_table", given={}, text=_COUNTING)
    if counts is None:
        rows = read_all(turn, filter_=filter_, text=_COUNTING)
        if isinstance(rows, Reply):
            return rows
        counts = Counter(_cell(row, column=column) for row in rows)
    if not counts and (filter_ or turn.about_selected):
        return say("No rows match.", offers=offers_for(turn))
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
    rows = counted_selection(total) if turn.about_selected else f"{spoken(total)} rows"
    return say(f"{rows} by {shown(column.name)}:\n\n" + "\n".join(lines), offers=offers_for(turn))
