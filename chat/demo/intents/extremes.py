"""Smallest, largest, average, total: "what is the highest salary?", "which company have I waited for longest?"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import ask, failed, read_all
from chat.demo.language.numbers import spoken
from chat.demo.language.words import and_list, shown
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.conditions import rows_meant
from chat.demo.meaning.wording import condition_in_words, value_in_words
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_MOST_CHARACTERS = 200
_LOOK = "Let me look that up."
_HIGH = (
    r"(?:highest|largest|biggest|greatest|maximum|max|most expensive|best|top|latest|most recent|newest|last"
    r"|furthest|longest|priciest|oldest person)"
)
_LOW = r"(?:lowest|smallest|least|minimum|min|cheapest|worst|earliest|oldest|first|shortest|youngest)"
_MEAN = r"(?:average|mean|avg)"
_SUM = r"(?:total|sum(?: of)?|overall|combined)"
_WAITED = re.compile(r"\b(?:waited|waiting|been waiting)\b.*\blongest\b|\blongest\b.*\b(?:wait\w*|ago|since)\b", _FLAGS)
_FORMS = (
    re.compile(
        rf"^(?:(?:what|which|who|show|tell|give|find|calculate|compute|work out|when)\b.*?)?\b(?P<how>{_HIGH}"
        rf"|{_LOW}|{_MEAN}|{_SUM})\s+(?:of\s+)?(?:(?:the|my|our|all)\s+)*(?P<what>.+)$",
        _FLAGS,
    ),
    re.compile(r"^(?P<how>sum|add up|total|average)(?: up)?\s+(?:(?:the|my|our|all)\s+)*(?P<what>.+)$", _FLAGS),
    re.compile(
        r"^(?:what(?:'s| is| are)?|show(?: me)?|give me)?\s*(?:the\s+)?(?P<how>range|min and max|minimum and "
        r"maximum|spread)\s+(?:of|for|in)\s+(?:the\s+)?(?P<what>.+)$",
        _FLAGS,
    ),
    re.compile(r"^how (?P<how>much)\s+(?:do|does|did|is|are|have|has)?\s*(?P<what>.+)$", _FLAGS),
)


_SUPERLATIVE = re.compile(
    rf"^(?:which|what|who)\b.*?\s(?:is|was|are|were)\s+(?:the\s+)?(?P<how>{_HIGH}|{_LOW})(?:\s+(?:one|row|entry))?$",
    _FLAGS,
)
_OF_DAYS = ("latest", "most recent", "newest", "last", "earliest", "oldest", "first")


def find_extreme(turn: Turn) -> Reply | None:
    """Read from the table with tools, never from the few rows that are shown."""
    page, wish = turn.page, turn.wish.rstrip("? ")
    if not page.has_table or len(wish) > _MOST_CHARACTERS:
        return None
    if _WAITED.search(wish):
        column = next(iter(page.of_type("date")), None)
        return _edge(turn, column=column, highest=False, filter_=None) if column else None
    if superlative := _SUPERLATIVE.match(wish):
        how = superlative["how"].casefold()
        columns = page.of_type("date") if how in _OF_DAYS else page.of_type("number")
        if len(columns) == 1:
            return _edge(turn, column=columns[0], highest=re.fullmatch(_HIGH, how, _FLAGS) is not None, filter_=None)
    for form in _FORMS:
        found = form.match(wish)
        asked = _column(found["what"], page=page) if found else None
        if found is None or asked is None:
            continue
        column, filter_ = asked
        how = found["how"].casefold()
        if how in ("range", "min and max", "minimum and maximum", "spread"):
            return _range(turn, column=column)
        if how in ("much", "add up") or re.fullmatch(rf"{_MEAN}|{_SUM}|total|sum", how, _FLAGS):
            if column.type != "number":
                continue
            return _over_all(turn, column=column, mean=re.fullmatch(_MEAN, how) is not None, filter_=filter_)
        if column.type not in ("number", "date"):
            continue
        highest = re.fullmatch(_HIGH, how, _FLAGS) is not None and not (column.type == "date" and how == "longest")
        return _edge(turn, column=column, highest=highest, filter_=filter_)
    return None


def _column(what: str, *, page: Page) -> tuple[Column, Json | None] | None:
    """The column of "salary of the rejected ones", and the condition."""
    column = named_column(what, page=page)
    if column is not None and column.type in ("number", "date"):
        return column, None
    for cut in re.finditer(
        r"\s+(?:of|for|in|among|where|when|with|at|that|which|from|on|do|is|are|so far|altogether)\b",
        what + " ",
        _FLAGS,
    ):
        column = named_column(what[: cut.start()], page=page)
        if column is None or column.type not in ("number", "date"):
            continue
        rest = re.sub(r"^\s*(?:of|for|in|among|from|so far|altogether)\s*", "", what[cut.start() :], flags=_FLAGS)
        rows = rows_meant(rest, page=page) if rest else None
        return column, rows.filter if rows else None
    only = page.of_type("date")
    if re.search(r"\b(?:application|entry|row|record|one)s?\b", what, _FLAGS) and len(only) == 1:
        return only[0], None
    numbers = [
        c for c in page.of_type("number") if re.search(r"cost|price|amount|spen|paid|pay", c.name + " " + what, _FLAGS)
    ]
    if re.search(r"\b(?:spen[dt]|cost|pay|paid)\b", what, _FLAGS) and len(numbers) == 1:
        return numbers[0], None
    return None


def _edge(turn: Turn, *, column: Column, highest: bool, filter_: Json | None) -> Reply:
    clauses = [*(filter_ or {}).get("and", []), {"column": column.name, "op": "not_empty"}]
    given = {"limit": 3, "sort": f"{'-' if highest else ''}{column.id}", "filter": {"and": clauses}}
    answer = turn.answer("get_rows")
    if answer is None:
        return ask(turn, tool="get_rows", given=given, text=_LOOK)
    rows = answer.value.get("rows") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(rows, list):
        return failed(turn)
    if not rows:
        return say(
            f"No row has a value in {shown(column.name)}{_among(filter_, page=turn.page)}.", offers=offers_for(turn)
        )
    best = rows[0].get("data", {})
    word = ("latest" if highest else "earliest") if column.type == "date" else "highest" if highest else "lowest"
    name = _name(best, page=turn.page, column=column)
    who = f", {name}" if name else ""
    text = (
        f"The {word} {shown(column.name)}{_among(filter_, page=turn.page)} "
        f"is {value_in_words(best.get(column.name))}{who}."
    )
    nexts = [
        f"{_name(row.get('data', {}), page=turn.page, column=column)} "
        f"({value_in_words(row.get('data', {}).get(column.name))})"
        for row in rows[1:]
    ]
    if len(nexts) == 2 and name:
        text += f" Next come {and_list(nexts)}."
    return say(text, offers=offers_for(turn))


def _name(data: Json, *, page: Page, column: Column) -> str:
    naming = next((c for c in page.of_type("text") if c is not column and data.get(c.name)), None)
    return shown(data[naming.name]) if naming else ""


def _range(turn: Turn, *, column: Column) -> Reply:
    answer = turn.answer("describe_table")
    if answer is None:
        return ask(turn, tool="describe_table", given={}, text=_LOOK)
    ranges = answer.value.get("ranges") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(ranges, dict):
        return failed(turn)
    found = ranges.get(column.name)
    if not isinstance(found, dict):
        return say(f"No row has a value in {shown(column.name)}.", offers=offers_for(turn))
    low, high = value_in_words(found.get("min")), value_in_words(found.get("max"))
    return say(f"{shown(column.name)} goes from {low} to {high}.", offers=offers_for(turn))


def _over_all(turn: Turn, *, column: Column, mean: bool, filter_: Json | None) -> Reply:
    """Sums need every row; up to three readings of 200 rows are made, beyond that nothing is guessed."""
    rows = read_all(turn, filter_=filter_)
    if isinstance(rows, Reply):
        return rows
    values = [
        v
        for row in rows
        if isinstance(v := row.get("data", {}).get(column.name), int | float) and not isinstance(v, bool)
    ]
    if not values:
        return say(
            f"No row has a value in {shown(column.name)}{_among(filter_, page=turn.page)}.", offers=offers_for(turn)
        )
    result = sum(values) / len(values) if mean else sum(values)
    word = "average" if mean else "total"
    return say(
        f"The {word} of {shown(column.name)}{_among(filter_, page=turn.page)} is {spoken(round(result, 2))}, "
        f"over {spoken(len(values))} rows with a value.",
        offers=offers_for(turn),
    )


def _among(filter_: Json | None, *, page: Page) -> str:
    return f" where {condition_in_words(filter_, page=page)}" if filter_ else ""
