"""What a phrase means as a value of a column: an option, a number, a day, yes or no, or text as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from chat.demo.language.dates import span
from chat.demo.language.numbers import number
from chat.demo.language.words import and_list, key, shown, unquote
from chat.demo.page import Column

_YES = frozenset("yes true y done checked ticked on 1 set complete completed".split())
_NO = frozenset("no false n unchecked unticked off 0 not unset incomplete".split())
EMPTY_WORDS = frozenset(("empty", "nothing", "blank", "null", "none", "no value", "n/a", "missing", "unset", "not set"))


@dataclass(frozen=True)
class Misfit:
    """Why a phrase cannot be a value of a column, as a sentence."""

    why: str


def value_for(phrase: str, *, column: Column, today: date) -> Any | Misfit:
    """The value, None for "empty", or a Misfit."""
    text = unquote(phrase.strip()).strip()
    if key(text) in EMPTY_WORDS and column.option(text) is None:
        return None
    name = shown(column.name)
    if column.type == "select":
        option = column.option(text)
        return (
            option
            if option is not None
            else Misfit(f"{name} takes {_or(column.options)}. “{shown(text)}” is not one of them.")
        )
    if column.type == "number":
        amount = number(text)
        return amount if amount is not None else Misfit(f"{name} takes a number. “{shown(text)}” is not a number.")
    if column.type == "boolean":
        truth = as_truth(text)
        return truth if truth is not None else Misfit(f"{name} takes yes or no, and {shown(text)} is neither.")
    if column.type == "date":
        days = span(text, today=today)
        if days is None or not days.is_day:
            return Misfit(f"{name} takes one day, and I cannot read {shown(text)} as one.")
        return days.start.isoformat()
    return text


def as_truth(text: str) -> bool | None:
    """Yes or no, or neither."""
    low = key(text)
    return True if low in _YES else False if low in _NO else None


def _or(options: tuple[str, ...]) -> str:
    return and_list([shown(option) for option in options[:12]]) or "its options"
