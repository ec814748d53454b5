"""Relative days ("this week") as a first and a last day; today is an argument."""
from __future__ import annotations

from calendar import monthrange
from datetime import date

RELATIVE_OPERATORS = ("today", "this_week", "this_month", "last_n_days", "next_n_days")
COUNTED_OPERATORS = ("last_n_days", "next_n_days")
MAX_DAYS = 36_525


def relative_day_range(operator: str, *, today: date, count: int = 1) -> tuple[date, date]:
    """Return the first and the last day of a relative range; weeks start on Monday, today is one of the n days."""
    if operator == "this_week":
        monday = _shift(today, days=-today.weekday())
        return monday, _shift(today, days=6 - today.weekday())
    if operator == "this_month":
        return today.replace(day=1), today.replace(day=monthrange(today.year, today.month)[1])
    if operator == "last_n_days":
        return _shift(today, days=1 - count), today
    if operator == "next_n_days":
        return today, _shift(today, days=count - 1)
    return today, today


def _shift(day: date, *, days: int) -> date:
    """Return a day that many days later, limited to the range of the calendar."""
    return date.fromordinal(min(max(day.toordinal() + days, date.min.toordinal()), date.max.toordinal()))
