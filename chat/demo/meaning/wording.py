"""Conditions and values in a person's words, so that a sentence says what a proposal will do."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from chat.demo.language.dates import spoken_day
from chat.demo.language.numbers import cell_number, spoken
from chat.demo.language.words import linked, shown, unquote
from chat.demo.page import Column, Page

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_WITHOUT = {
    "empty": "is empty",
    "not_empty": "is not empty",
    "today": "is today",
    "this_week": "is this week",
    "this_month": "is this month",
}
_WORDS = {
    "eq": "is",
    "ne": "is not",
    "lt": "is below",
    "lte": "is at most",
    "gt": "is over",
    "gte": "is at least",
    "contains": "contains",
    "not_contains": "does not contain",
    "starts_with": "starts with",
}
_DAYS = {"lt": "is before", "lte": "is not after", "gt": "is after", "gte": "is not before"}


def condition_in_words(filter_: Json, *, page: Page) -> str:
    """A filter as a person would say it."""
    return " and ".join(_clause(clause, page=page) for clause in filter_.get("and", []))


def among_in_words(filter_: Json | None, *, page: Page, selected: bool = False) -> str:
    """The rows that a figure is about: " of the selected rows where Status is Offer"; "" for all rows."""
    where = f" where {condition_in_words(filter_, page=page)}" if filter_ else ""
    return f" of the selected rows{where}" if selected else where


def counted_selection(number: int) -> str:
    """ "12 selected rows"."""
    return f"{spoken(number)} selected {'row' if number == 1 else 'rows'}"


def value_in_words(value: Any) -> str:
    """A cell's value in a sentence; the empty value is "empty"."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return cell_number(value)
    day = _day(value)
    return spoken_day(day) if day else shown(value)


def name_in_words(data: Json, *, page: Page, besides: Column) -> str:
    """What a row is called: its first text that stands in another column; "" if there is none."""
    naming = next((column for column in page.of_type("text") if column is not besides and data.get(column.name)), None)
    return shown(data[naming.name]) if naming else ""


def row_in_words(row: Json, *, page: Page, besides: Column) -> str:
    """The same as a link to the row."""
    name = name_in_words(row.get("data") or {}, page=page, besides=besides)
    return linked(name, kind="row", to=row.get("row_id"))


def column_in_words(column: Column) -> str:
    """A column's name as a link to it."""
    return linked(shown(column.name), kind="column", to=column.id)


def no_column(said: str) -> str:
    """The sentence for a column that is not there: "the column Link" and "Link column" are both called Link."""
    name = re.sub(r"^(?:(?:the|my|our|a|an)\s+)?(?:(?:columns?|fields?)\s+)?(?=\S)", "", said.strip(), flags=_FLAGS)
    name = re.sub(r"(?<=\S)\s+(?:columns?|fields?)$", "", name, flags=_FLAGS)
    return f"I see no column {shown(unquote(name))} here."


def _clause(clause: Json, *, page: Page) -> str:
    if "or" in clause:
        parts = [_clause(item, page=page) for item in clause["or"]]
        return parts[0] if len(parts) == 1 else "(" + " or ".join(parts) + ")"
    column = page.column(str(clause.get("column", "")))
    name = shown(column.name if column else clause.get("column", ""))
    op, value = str(clause.get("op", "")), clause.get("value")
    if op == "is":
        return f"{name} is {'yes' if value else 'no'}"
    if op in _WITHOUT:
        return f"{name} {_WITHOUT[op]}"
    if op == "between" and isinstance(value, list) and len(value) == 2:
        return f"{name} is from {value_in_words(value[0])} to {value_in_words(value[1])}"
    if isinstance(value, list):
        return f"{name} is {'not ' if op == 'none_of' else ''}{' or '.join(value_in_words(item) for item in value)}"
    if op in ("last_n_days", "next_n_days"):
        return f"{name} is in the {op[:4]} {value} days"
    words = _DAYS.get(op) if column is not None and column.type == "date" else None
    return f"{name} {words or _WORDS.get(op, op)} {value_in_words(value)}"


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None
