"""Dates: calendar days as YYYY-MM-DD, without time and time zone."""
from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, ColumnType
from tables.column_types.faults import ValueFault, shown
from tables.column_types.spec import ColumnSpec

NO_SUCH_DAY = declare("no_such_day", "{value:quoted} is not a valid date.")
NOT_A_DATE_ON_PAGES = declare(
    "not_a_date_for_people", "{value:quoted} is not a date. Try 24 Dec 2026 or 2026-12-24."
)
NOT_A_DATE = declare(
    "not_a_date", "{value:quoted} is not a date in the format YYYY-MM-DD.", for_pages=NOT_A_DATE_ON_PAGES
)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?:[0-5][0-9]|60)(?:[.,][0-9]{1,9})?)?"
    r" ?(?:[Zz]|[+\-\u2212][0-9]{2}(?::?[0-9]{2})?)?"
)
MAX_TEXT_LENGTH = 60


class Date(ColumnType):
    """Column type for dates, stored as text that sorts chronologically."""

    name = "date"
    label = "Date"
    described = "a string YYYY-MM-DD"
    operators = (
        "eq", "ne", "lt", "lte", "gt", "gte", "between",
        "today", "this_week", "this_month", "last_n_days", "next_n_days", *ALWAYS,
    )  # fmt: skip
    comparison = "exact"
    has_days = True
    icon = "calendar"
    drawn = "time"
    never_from = ("number", "boolean")

    def _check(self, value: Any, column: ColumnSpec) -> str:
        if self.stores(value):
            return str(value)
        if isinstance(value, str) and DAY.fullmatch(value):
            raise ValueFault("not_a_date", NO_SUCH_DAY(value=shown(value)))
        raise ValueFault("not_a_date", NOT_A_DATE(value=shown(value)))

    def stores(self, value: Any) -> bool:
        """Return whether the value is a calendar day in the form YYYY-MM-DD."""
        return isinstance(value, str) and _is_day(value)

    def _cast(self, value: Any, column: ColumnSpec) -> str:
        if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH:
            return self._check(value, column)
        moment = MOMENT.fullmatch(value.strip())
        return self._check(moment[1] if moment else value.strip(), column)

    def _display(self, value: Any) -> str:
        day = datetime.date.fromisoformat(value)
        return f"{day:%b} {day.day}, {day.year}"


# The rows of a table have few different days.
@lru_cache(maxsize=4_096)
def _is_day(text: str) -> bool:
    if not DAY.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


TYPE = Date()
