"""Dates: calendar days as YYYY-MM-DD without time and time zone, or moments in UTC as YYYY-MM-DDTHH:MMZ."""
from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from shared.locales.typed_days import iso_text
from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, ColumnType, get_column_type
from tables.column_types.display_locale import ENGLISH, DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.moments import (
    ISO_DAY,
    NOT_A_MOMENT,
    WRITTEN,
    check_moment,
    day_bounds,
    display_moment,
    is_moment,
    local_day,
    local_text,
    local_time,
    read_moment,
)
from tables.column_types.settings import Setting, choice_setting
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import MAX_LENGTH, JsonForm, WrittenForm

NO_SUCH_DAY = declare("no_such_day", "{value:quoted} is not a valid date.")
NOT_A_DATE_ON_PAGES = declare(
    "not_a_date_for_people", "{value:quoted} is not a date. Try 24 Dec 2026 or 2026-12-24."
)
NOT_A_DATE = declare(
    "not_a_date", "{value:quoted} is not a date in the format YYYY-MM-DD.", for_pages=NOT_A_DATE_ON_PAGES
)
MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?:[0-5][0-9]|60)(?:[.,][0-9]{1,9})?)?"
    r" ?(?:[Zz]|[+\-\u2212](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?"
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
# Numbers with the same separator between them, and a time of day.
WRITTEN_DAY = re.compile(
    r"\s*([0-9]{1,2})([/.\-])\s?([0-9]{1,2})\2\s?([0-9]{4})"
    r"(?:[T ,]\s*(?P<hour>[0-2]?[0-9]):(?P<rest>[0-5][0-9](?::[0-5][0-9])?)(?:\s?(?P<half>[AaPp])\.?[Mm]\.?)?)?\s*"
)
LOCAL_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
DATE, DATE_AND_TIME = "date", "datetime"
# The lowest and the highest stored value that an operand means, as in an ISO 8601 interval.
INTERVAL = "/"


def day_parts(value: Any) -> tuple[int, int, int] | None:
    """Return first number, second number and year of a date like 03/04/2024; None for anything else."""
    found = _written_day(value)
    return (int(found[1]), int(found[3]), int(found[4])) if found else None


def _written_day(value: Any) -> re.Match[str] | None:
    return WRITTEN_DAY.fullmatch(value) if isinstance(value, str) and len(value) <= MAX_LENGTH else None


def _iso(found: re.Match[str], *, month: str, day: str) -> str:
    """Return a date like 03/04/2024 3:30 PM as 2024-04-03T15:30, which may not exist."""
    text = f"{found[4]}-{int(month):02}-{int(day):02}"
    if not found["hour"]:
        return text
    hour = int(found["hour"])
    # 13 PM is left as it is.
    if found["half"] and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (found["half"].lower() == "p")
    return f"{text}T{hour:02}:{found['rest']}"


def _day_first(value: Any) -> Any:
    found = _written_day(value)
    return _iso(found, month=found[3], day=found[1]) if found else value


def _month_first(value: Any) -> Any:
    found = _written_day(value)
    return _iso(found, month=found[1], day=found[3]) if found else value


def _has_day_parts(value: Any) -> bool:
    return day_parts(value) is not None


def _has_time(value: Any) -> bool:
    """Return whether a text in a file is a date with a time of day other than midnight."""
    text = _day_first(value)
    found = WRITTEN.fullmatch(text.strip()) if isinstance(text, str) and len(text) <= MAX_LENGTH else None
    if found is None:
        return False
    is_midnight = int(found["hour"]) == (12 if (found["half"] or "")[:1].lower() == "a" else 0)
    return not is_midnight or int(found["minute"]) > 0 or int(found["second"] or 0) > 0


class Date(ColumnType):
    """Column type for dates, and for dates with a time of day, stored as text that sorts chronologically."""

    name = "date"
    label = "Date"
    hint = "Days, or days with a time."
    described = "a string YYYY-MM-DD; with the format datetime YYYY-MM-DDTHH:MMZ"
    json_form = JsonForm(
        "a string YYYY-MM-DD; with the `format` `datetime` YYYY-MM-DDTHH:MMZ, in UTC; it can be sent with an offset "
        "such as `+01:00` in place of `Z`",
        "2027-03-01",
    )
    operators = (
        "eq", "ne", "lt", "lte", "gt", "gte", "between",
        "today", "this_week", "this_month", "last_n_days", "next_n_days", *ALWAYS,
    )  # fmt: skip
    comparison = "exact"
    sort_labels = ("oldest first", "latest first")
    has_days = True
    icon = "calendar"
    drawn = "time"
    never_from: ClassVar[tuple[str, ...]] = ("number", "boolean")
    forms: ClassVar[tuple[WrittenForm, ...]] = (
        WrittenForm(label="Year first: 2024-12-31"),
        # With slashes or dots, it is a date in one of these formats or none.
        WrittenForm("dmy", "Day first: 31/12/2024", read=_day_first, suits=_has_day_parts),
        WrittenForm("mdy", "Month first: 12/31/2024", read=_month_first, suits=_has_day_parts),
    )
    asks_form = True
    detected = True
    sheet_width = 22
    settings: ClassVar[tuple[Setting, ...]] = (
        choice_setting(
            {DATE: "Date", DATE_AND_TIME: "Date and time"},
            name="format",
            label="Format",
            default=DATE,
            described="datetime has a time to the minute, stored in UTC; write it with Z or an offset",
            converts=True,
        ),
    )

    def has_times(self, column: ColumnSpec) -> bool:
        return bool(column.settings) and column.used_settings.get("format") == DATE_AND_TIME

    def stores_unchanged(self, values: Sequence[Any], column: ColumnSpec) -> bool:
        return self.has_times(column) and type(values[0]) is str and all(map(is_moment, values))

    def _check(self, value: Any, column: ColumnSpec) -> str:
        if self.has_times(column):
            if not isinstance(value, str):
                raise ValueFault("not_a_date", NOT_A_MOMENT(value=shown(value)))
            return check_moment(value)
        if isinstance(value, str) and _is_day(value):
            return value
        if isinstance(value, str) and ISO_DAY.fullmatch(value):
            raise ValueFault("not_a_date", NO_SUCH_DAY(value=shown(value)))
        raise ValueFault("not_a_date", NOT_A_DATE(value=shown(value)))

    def stores(self, value: Any) -> bool:
        """Return whether the value is a calendar day in the form YYYY-MM-DD, or a moment in UTC."""
        return isinstance(value, str) and (_is_day(value) or is_moment(value))

    def day(self, value: Any) -> datetime.date | None:
        return datetime.date.fromisoformat(value) if isinstance(value, str) and _is_day(value) else None

    def local_time(self, value: Any, zone: datetime.tzinfo) -> datetime.datetime | None:
        return local_time(value, zone=zone) if isinstance(value, str) and is_moment(value) else None

    def operand(self, value: Any, column: ColumnSpec) -> Any:
        """Return a day, a moment, or an interval of moments such as 2026-12-23T23:00Z/2026-12-24T22:59Z."""
        if not self.has_times(column) or not isinstance(value, str):
            return super().operand(value, column)
        if _is_day(value.strip()):
            return value.strip()
        start, separator, end = value.partition(INTERVAL)
        if separator and is_moment(start) and is_moment(end):
            return value
        return super().operand(value, column)

    def bounds(self, operand: Any, column: ColumnSpec) -> tuple[Any, Any]:
        if not self.has_times(column):
            return operand, operand
        if _is_day(operand):
            return day_bounds(operand, zone=column.zone)
        start, _, end = operand.partition(INTERVAL)
        return start, end or start

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return the value. A day becomes its midnight, and a moment its day, both in the time zone of the user."""
        if isinstance(value, str) and not self.has_times(target):
            if get_column_type(source.type).has_times(source) and is_moment(value):
                return local_day(value, zone=target.zone)
        elif source.type == target.type and isinstance(value, str) and _is_day(value):
            return read_moment(value, zone=target.zone)
        return super().convert(value, source=source, target=target)

    def detect_settings(self, values: Sequence[Any]) -> Mapping[str, Any]:
        return {"format": DATE_AND_TIME} if any(map(_has_time, values)) else {}

    def edit_text(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        if not isinstance(value, str) or not is_moment(value):
            return self.text(value)
        return local_text(value, zone=locale.zone or column.zone)

    def typed(self, text: str, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        return iso_text(text, tag=locale.tag)

    def input_type(self, text: str, column: ColumnSpec) -> str:
        # The input has no time zone, which the later of two equal local times needs.
        is_local = not text or LOCAL_TIME.fullmatch(text)
        return "datetime-local" if self.has_times(column) and is_local else ""

    def explain_fault(self, fault: ValueFault, *, value: Any, form: str) -> ValueFault:
        if form in NO_DATES:
            template = NO_SUCH_DAY if day_parts(value) else NO_DATES[form]
        elif fault.message.code in (NOT_A_DATE.code, NOT_A_MOMENT.code):
            template = OTHER_DATE if day_parts(value) else NOT_YEAR_FIRST
        else:
            return fault
        return ValueFault(fault.code, template(value=shown(value)))

    def _cast(self, value: Any, column: ColumnSpec) -> str:
        if self.has_times(column) and isinstance(value, str):
            return read_moment(value, zone=column.zone)
        if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH:
            return self._check(value, column)
        moment = MOMENT.fullmatch(value.strip())
        return self._check(moment[1] if moment else value.strip(), column)

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        if is_moment(value):
            return display_moment(value, zone=locale.zone or column.zone)
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
