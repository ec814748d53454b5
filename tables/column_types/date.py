"""Dates: calendar days as YYYY-MM-DD, without time and time zone."""
from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, ColumnType
from tables.column_types.display_locale import DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import MAX_LENGTH, WrittenForm

NO_SUCH_DAY = declare("no_such_day", "{value:quoted} is not a valid date.")
NOT_A_DATE_ON_PAGES = declare(
    "not_a_date_for_people", "{value:quoted} is not a date. Try 24 Dec 2026 or 2026-12-24."
)
NOT_A_DATE = declare(
    "not_a_date", "{value:quoted} is not a date in the format YYYY-MM-DD.", for_pages=NOT_A_DATE_ON_PAGES
)
ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?:[0-5][0-9]|60)(?:[.,][0-9]{1,9})?)?"
    r" ?(?:[Zz]|[+\-\u2212][0-9]{2}(?::?[0-9]{2})?)?"
)
MAX_TEXT_LENGTH = 60
# Messages for values that are not dates, by format.
NO_DATES = {
    "dmy": declare("not_day_first", "{value:quoted} is not a day-first date like 31/12/2024."),
    "mdy": declare("not_month_first", "{value:quoted} is not a month-first date like 12/31/2024."),
}
NOT_YEAR_FIRST = declare("not_year_first", "{value:quoted} is not a date like 2024-12-31.")
OTHER_DATE = declare(
    "other_date",
    "{value:quoted} is not a date like 2024-12-31. If the day or month comes first, choose that format.",
)
# Numbers with the same separator between them; a time of day after them is ignored.
WRITTEN_DAY = re.compile(
    r"\s*([0-9]{1,2})([/.\-])\s?([0-9]{1,2})\2\s?([0-9]{4})(?:[T ,]\s*[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?)?\s*"
)


def day_parts(value: Any) -> tuple[int, int, int] | None:
    """Return first number, second number and year of a date like 03/04/2024; None for anything else."""
    found = WRITTEN_DAY.fullmatch(value) if isinstance(value, str) and len(value) <= MAX_LENGTH else None
    return (int(found[1]), int(found[3]), int(found[4])) if found else None


def _day_first(value: Any) -> Any:
    parts = day_parts(value)
    return f"{parts[2]:04}-{parts[1]:02}-{parts[0]:02}" if parts else value


def _month_first(value: Any) -> Any:
    parts = day_parts(value)
    return f"{parts[2]:04}-{parts[0]:02}-{parts[1]:02}" if parts else value


def _has_day_parts(value: Any) -> bool:
    return day_parts(value) is not None


class Date(ColumnType):
    """Column type for dates, stored as text that sorts chronologically."""

    name = "date"
    label = "Date"
    hint = "Days, without a time."
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
    forms = (
        WrittenForm(label="Year first: 2024-12-31"),
        # With slashes or dots, it is a date in one of these formats or none.
        WrittenForm("dmy", "Day first: 31/12/2024", read=_day_first, suits=_has_day_parts),
        WrittenForm("mdy", "Month first: 12/31/2024", read=_month_first, suits=_has_day_parts),
    )
    asks_form = True
    detected = True
    sheet_width = 12

    def _check(self, value: Any, column: ColumnSpec) -> str:
        if self.stores(value):
            return str(value)
        if isinstance(value, str) and ISO_DAY.fullmatch(value):
            raise ValueFault("not_a_date", NO_SUCH_DAY(value=shown(value)))
        raise ValueFault("not_a_date", NOT_A_DATE(value=shown(value)))

    def stores(self, value: Any) -> bool:
        """Return whether the value is a calendar day in the form YYYY-MM-DD."""
        return isinstance(value, str) and _is_day(value)

    def day(self, value: Any) -> datetime.date | None:
        return datetime.date.fromisoformat(value) if self.stores(value) else None

    def explain_fault(self, fault: ValueFault, *, value: Any, form: str) -> ValueFault:
        if form in NO_DATES:
            template = NO_SUCH_DAY if day_parts(value) else NO_DATES[form]
        elif fault.code == "not_a_date" and fault.message.code != NO_SUCH_DAY.code:
            template = OTHER_DATE if day_parts(value) else NOT_YEAR_FIRST
        else:
            return fault
        return ValueFault(fault.code, template(value=shown(value)))

    def _cast(self, value: Any, column: ColumnSpec) -> str:
        if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH:
            return self._check(value, column)
        moment = MOMENT.fullmatch(value.strip())
        return self._check(moment[1] if moment else value.strip(), column)

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        day = datetime.date.fromisoformat(value)
        return f"{day:%b} {day.day}, {day.year}"


# The rows of a table have few different days.
@lru_cache(maxsize=4_096)
def _is_day(text: str) -> bool:
    if not ISO_DAY.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


TYPE = Date()
