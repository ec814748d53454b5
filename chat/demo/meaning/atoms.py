"""One condition on one column: "status is not Applied", "salary over 90k", "before June", "remote", "without notes"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from chat.demo.language.dates import UNIT, Span, days_in, span
from chat.demo.language.numbers import COUNT, count, number
from chat.demo.language.words import key, split_list, tokens, unquote
from chat.demo.meaning.values import EMPTY_WORDS, as_truth
from chat.demo.page import Column, Page

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_IS = r"(?:is|are|was|were|has been|have been|be|equals?|=+|:|says|of|in)"
_NOT = (
    r"(?:(?:is|are|was|were|do|does|has|have)\s?(?:not|n't)(?: been)?|isn't|aren't|wasn't|doesn't|don't|hasn't"
    r"|haven't|not|!=|≠|<>|other than)"
)
# Longest first: "is greater than or equal to" before "is".
_COMPARE: tuple[tuple[str, str], ...] = (
    (
        r"(?:is |are )?(?:greater|more|higher|larger|bigger|later) than or (?:equal to|the same as)|>=|≥|(?:is "
        r"|are )?at least|(?:is |are )?no less than"
     r"|(?:is |are )?from(?= .*(?:on|up)wards?$)|(?:is |are )?since|(?:is |are )?on or after|(?:is |are "
     r")?starting", "gte"),
    (
        r"(?:is |are )?(?:less|lower|smaller|fewer|earlier) than or (?:equal to|the same as)|<=|≤|(?:is |are "
        r")?at most|(?:is |are )?no more than"
     r"|(?:is |are )?up to|(?:is |are )?until|(?:is |are )?on or before|(?:is |are )?through", "lte"),
    (
        r"(?:is |are |was |were )?(?:greater|more|higher|larger|bigger|later|newer|better) than|>|(?:is |are "
        r"|was |were )?(?:over|above|after|past|beyond)"
     r"|exceeds?|exceeding", "gt"),
    (
        r"(?:is |are |was |were )?(?:less|lower|smaller|fewer|earlier|worse) than|<|(?:is |are |was |were )?"
        r"(?:under|below|before|prior to)", "lt"),
)  # fmt: skip
_OPERATORS = [(re.compile(rf"^(?:{pattern})(?=\W|\d|$)\s*(?P<rest>.*)$", _FLAGS), op) for pattern, op in _COMPARE]
_BETWEEN = re.compile(
    r"^(?:is |are |was |were )?(?:between|from|ranging from)\s+(?P<low>.+?)\s+(?:and|to|until|-|–)\s+(?P<high>.+)$",
    _FLAGS,
)
_EMPTY = re.compile(
    rf"^(?:(?:is |are |has been )?(?:still )?(?:empty|blank|missing|unset|unknown|null|none)|{_NOT} (?:set"
    rf"|filled(?: in| out)?|given|there|known|any|a value)"
    r"|has no value|have no value|has nothing|is nothing)$",
    _FLAGS,
)
_FILLED = re.compile(
    rf"^(?:{_NOT} (?:empty|blank|missing|unset|null)|(?:is |are |has been )?(?:set|filled(?: in| out)?|present"
    rf"|given|known|there)|has (?:a|any|some) value|exists?)$",
    _FLAGS,
)
_TEXT = (
    (
        re.compile(rf"^(?:{_NOT} (?:contain|include|mention|have)(?:ing)?|lacks?)\s+(?P<rest>.+)$", _FLAGS),
        "not_contains",
    ),
    (
        re.compile(
            r"^(?:contains?|containing|includes?|including|mentions?|mentioning|has|have|matches|like|is "
            r"like)\s+(?:the (?:word|text|phrase)\s+)?(?P<rest>.+)$",
            _FLAGS,
        ),
        "contains",
    ),
    (re.compile(r"^(?:starts?|begins?|starting|beginning)\s+with\s+(?P<rest>.+)$", _FLAGS), "starts_with"),
)
_WITHIN = re.compile(
    rf"^(?:is |are |was |were )?(?:with)?in the (?P<way>last|past|next|coming|following) (?:(?P<count>{COUNT}) "
    rf")?{UNIT}$",
    _FLAGS,
)
_WITHIN_SHORT = re.compile(
    rf"^(?:is |are |was |were )?(?:due )?(?:with)?in(?: the)? (?P<way>last|past|next|coming|following)? ?"
    rf"(?P<count>{COUNT}) {UNIT}$",
    _FLAGS,
)
_OLDER = re.compile(
    rf"^(?:is |are |was |were )?(?:older than|more than|over|longer ago than)\s+(?P<count>{COUNT}|an?) {UNIT}"
    rf"(?: ago| old)?$",
    _FLAGS,
)
_YOUNGER = re.compile(
    rf"^(?:is |are |was |were )?(?:newer than|less than|younger than|under)\s+(?P<count>{COUNT}|an?) {UNIT}(?: "
    rf"ago| old)?$",
    _FLAGS,
)
_OVERDUE = re.compile(
    r"^(?:is |are )?(?:overdue|in the past|past due|expired|passed|past|already passed|over)$", _FLAGS
)
_AHEAD = re.compile(r"^(?:is |are )?(?:in the future|upcoming|coming up|still to come|ahead)$", _FLAGS)


_IS_CLAUSE = re.compile(r"^(?:that|which|who|whose|where|due|overdue|older|newer|with|without|before|after)\b", _FLAGS)


def cond(column: Column, op: str, *, value: Any = None) -> Json:
    """One condition as the filter grammar writes it."""
    made: Json = {"column": column.name, "op": op}
    if value is not None:
        made["value"] = value
    return made


def on_column(column: Column, rest: str, *, page: Page) -> Json | None:
    """The condition that `rest` puts on a column ("is not Applied"), or None."""
    rest = rest.strip(" ,.")
    if not rest:
        return cond(column, "is", value=True) if column.type == "boolean" else cond(column, "not_empty")
    if _FILLED.match(rest):
        return cond(column, "not_empty")
    if _EMPTY.match(rest):
        return cond(column, "empty")
    reader = {"number": _number, "date": _date, "boolean": _boolean, "select": _select}.get(column.type)
    return reader(column, rest, today=page.today) if reader else _text(column, rest, page=page)


def _compared(rest: str) -> tuple[str, str] | None:
    for pattern, op in _OPERATORS:
        if found := pattern.match(rest):
            return op, found["rest"].strip()
    return None


def _equal(rest: str) -> tuple[bool, str]:
    """Whether it says "not", and what is left after "is"."""
    if found := re.match(rf"^{_NOT}(?=\W|$)\s*(?:{_IS}\s+|equal to\s+|(?:any|one) of\s+)?(?P<rest>.*)$", rest, _FLAGS):
        return False, found["rest"]
    found = re.match(
        rf"^{_IS}(?=\W|\d|$)\s*(?:equal to\s+|set to\s+|(?:any|one) of\s+|exactly\s+|either\s+|currently\s+"
        rf"|still\s+|marked (?:as )?)*(?P<rest>.*)$",
        rest,
        _FLAGS,
    )
    return True, found["rest"] if found else rest


def _number(column: Column, rest: str, *, today: date) -> Json | None:
    if found := _BETWEEN.match(rest):
        low, high = number(found["low"]), number(found["high"])
        return cond(column, "between", value=[low, high]) if low is not None and high is not None else None
    if compared := _compared(rest):
        amount = number(compared[1])
        return cond(column, compared[0], value=amount) if amount is not None else None
    if found_or_more := re.match(
        r"^(?:is |of )?(?P<n>\S+) (?P<way>or more|or higher|or above|and up|\+|or less|or lower|or below|or fewer)$",
        rest,
        _FLAGS,
    ):
        amount = number(found_or_more["n"])
        op = "gte" if re.search(r"more|higher|above|up|\+", found_or_more["way"]) else "lte"
        return cond(column, op, value=amount) if amount is not None else None
    positive, value = _equal(rest)
    amount = number(value)
    return cond(column, "eq" if positive else "ne", value=amount) if amount is not None else None


def _date(column: Column, rest: str, *, today: date) -> Json | None:
    rest = re.sub(
        r"^(?:to|for|it|from|them)\s+(?=in |within|before|after|on |since|until|between|more|over|during)",
        "",
        rest,
        flags=_FLAGS,
    )
    relative = _relative(column, rest, today=today)
    if relative is not None:
        return relative
    if found := re.match(r"^(?P<day>.+?) or (?P<way>later|after|newer|earlier|before|older)$", rest, _FLAGS):
        days = span(re.sub(r"^(?:is|was|in|on|from)\s+", "", found["day"]), today=today)
        later = found["way"].casefold() in ("later", "after", "newer")
        if days:
            return cond(column, "gte" if later else "lte", value=(days.start if later else days.end).isoformat())
    if found := _BETWEEN.match(rest):
        low, high = span(found["low"], today=today), span(found["high"], today=today)
        return cond(column, "between", value=[low.start.isoformat(), high.end.isoformat()]) if low and high else None
    if compared := _compared(rest):
        days = span(compared[1], today=today)
        if days is None:
            return None
        day = days.start if compared[0] in ("lt", "gte") else days.end
        return cond(column, compared[0], value=day.isoformat())
    if found := re.match(r"^by\s+(?P<rest>.+)$", rest, _FLAGS):
        days = span(found["rest"], today=today)
        return cond(column, "lte", value=days.end.isoformat()) if days else None
    positive, value = _equal(rest)
    value = re.sub(r"^(?:on|in|for|from|during|due)\s+", "", value, flags=_FLAGS)
    days = span(value, today=today)
    return _in_span(column, days, positive=positive) if days else None


def _relative(column: Column, rest: str, *, today: date) -> Json | None:
    if _OVERDUE.match(rest):
        return cond(column, "lt", value=today.isoformat())
    if _AHEAD.match(rest):
        return cond(column, "gt", value=today.isoformat())
    if found := _OLDER.match(rest):
        return cond(column, "lt", value=(today - timedelta(days=_days(found))).isoformat())
    if found := _WITHIN.match(rest) or _WITHIN_SHORT.match(rest) or _YOUNGER.match(rest):
        ahead = (found.groupdict().get("way") or ("last" if _YOUNGER.match(rest) else "next")).casefold()
        op = "next_n_days" if ahead in ("next", "coming", "following") else "last_n_days"
        return cond(column, op, value=_days(found))
    words = re.sub(r"^(?:is|are|was|were|due|on|in|\s)+\s+", "", rest.casefold())
    named = {"today": "today", "this week": "this_week", "this month": "this_month"}.get(words)
    return cond(column, named) if named else None


def _days(found: re.Match[str]) -> int:
    return days_in(count(found["count"] or "one") or 1, unit=found["unit"])


def _in_span(column: Column, days: Span, *, positive: bool) -> Json:
    if days.is_day:
        return cond(column, "eq" if positive else "ne", value=days.start.isoformat())
    if positive:
        return cond(column, "between", value=[days.start.isoformat(), days.end.isoformat()])
    return {"or": [cond(column, "lt", value=days.start.isoformat()), cond(column, "gt", value=days.end.isoformat())]}


def _boolean(column: Column, rest: str, *, today: date) -> Json | None:
    positive, value = _equal(rest)
    truth = (
        True
        if not value or key(value) in tokens(column.name) or set(tokens(value)) <= set(tokens(column.name))
        else as_truth(value)
    )
    return None if truth is None else cond(column, "is", value=truth is positive)


def _select(column: Column, rest: str, *, today: date) -> Json | None:
    positive, value = _equal(rest)
    options = options_in(value, column=column)
    return cond(column, "any_of" if positive else "none_of", value=options) if options else None


def options_in(text: str, *, column: Column) -> list[str]:
    """The options a list names ("Applied or Offer"); none if any of it is no option."""
    text = re.sub(r"^(?:either|any of|one of|neither|both)\s+", "", text.strip(), flags=_FLAGS)
    whole = column.option(text) or column.option(_without_name(text, column=column))
    if whole is not None:
        return [whole]
    items = [part for item in split_list(text) for part in re.split(r"\s+(?:or|nor)\s+|/", item) if part]
    found = [column.option(re.sub(r"^(?:or|nor|not)\s+", "", item)) for item in items]
    return [option for option in dict.fromkeys(found) if option is not None] if found and None not in found else []


def _without_name(text: str, *, column: Column) -> str:
    """ "high priority" and "status done" name the column as well."""
    name = re.escape(column.name)
    return re.sub(rf"^(?:the )?{name}\s+|\s+{name}$", "", text, flags=_FLAGS)


def _text(column: Column, rest: str, *, page: Page) -> Json | None:
    for pattern, op in _TEXT:
        if found := pattern.match(rest):
            found_all = [cond(column, op, value=unquote(item)) for item in re.split(r"\s+or\s+", found["rest"])]
            return found_all[0] if len(found_all) == 1 else {"or": found_all}
    positive, value = _equal(rest)
    if positive and re.match(r"^(?:not|no)\b", value, _FLAGS):
        return None
    says_is = value != rest
    known = page.with_cell(value) is not None or unquote(value) != value
    if not known and (_IS_CLAUSE.match(value) or not (says_is or value[:1].isupper() or value[:1].isdigit())):
        return None
    value = unquote(value)
    if key(value) in EMPTY_WORDS:
        return cond(column, "empty" if positive else "not_empty")
    items = [unquote(item) for item in re.split(r"\s+or\s+", value)] if not page.with_cell(value) else [value]
    op = "eq" if positive else "ne"
    made = [cond(column, op, value=_as_written(item, column=column, page=page)) for item in items if item]
    if not made:
        return None
    return made[0] if len(made) == 1 else {"or": made} if positive else None


def _as_written(value: str, *, column: Column, page: Page) -> str:
    """The value as a cell that is shown writes it, for equality tells upper from lower case."""
    for row in (*page.selected, *page.samples):
        cell = row.data.get(column.name)
        if isinstance(cell, str) and key(cell) == key(value):
            return cell
    return value
