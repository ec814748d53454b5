"""The written forms of values that a column type does not take by itself, and may take once somebody has said so."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from tables.column_types import ValueFault
from tables.column_types.date import NO_SUCH_DAY
from tables.column_types.faults import shown
from user_messages import declare

# "" is what the column type itself understands.
Form = Literal["", "dmy", "mdy", "comma"]
FORMS: dict[str, tuple[str, ...]] = {"date": ("", "dmy", "mdy"), "number": ("", "comma")}
LABELS = {
    "dmy": "Day first: 31/12/2024",
    "mdy": "Month first: 12/31/2024",
    "comma": "Decimal comma: 1.234,5",
    "": "",
}
LONGEST = 60
# What is said of other things than dates of this form.
NO_DATES = {
    "dmy": declare("not_day_first", "{value:quoted} is not a date with the day first, like 31/12/2024."),
    "mdy": declare("not_month_first", "{value:quoted} is not a date with the month first, like 12/31/2024."),
}
NOT_YEAR_FIRST = declare("not_year_first", "{value:quoted} is not a date like 2024-12-31.")
OTHER_DATE = declare(
    "other_date",
    "{value:quoted} is not a date like 2024-12-31. If the day or the month comes first, say so for this column.",
)
OTHER_NUMBER = declare(
    "other_number",
    "{value:quoted} is not a number like 1200, 1,200.5 or -3. "
    "If its comma is a decimal point, say so for this column.",
)
NOT_DECIMAL_COMMA = declare("not_decimal_comma", "{value:quoted} is not a number like 1.200 or 1,5.")
# Numbers with the same sign between them; a time of day may follow and does not count.
DAY = re.compile(
    r"\s*([0-9]{1,2})([/.\-])\s?([0-9]{1,2})\2\s?([0-9]{4})(?:[T ,]\s*[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?)?\s*"
)
COMMA = re.compile(
    r"(?P<sign>[+\-\u2212]?)(?:(?P<plain>0|[1-9][0-9]*)|(?P<groups>[1-9][0-9]{0,2}(?:\.[0-9]{3})+))(?:,(?P<rest>[0-9]+))?"
)


def day_parts(value: Any) -> tuple[int, int, int] | None:
    """First number, second number and year of a date like 03/04/2024; None for anything else."""
    found = DAY.fullmatch(value) if isinstance(value, str) and len(value) <= LONGEST else None
    return (int(found[1]), int(found[3]), int(found[4])) if found else None


def in_its_form(fault: ValueFault, *, value: Any, form: str) -> ValueFault:
    """The fault in the words of whoever wrote the file: of the value that stands there, and of the form it has."""
    if form in NO_DATES:
        template = NO_SUCH_DAY if day_parts(value) else NO_DATES[form]
        return ValueFault(fault.code, template(value=shown(value)))
    if fault.code == "not_a_date" and fault.message.code != NO_SUCH_DAY.code:
        template = OTHER_DATE if day_parts(value) else NOT_YEAR_FIRST
        return ValueFault(fault.code, template(value=shown(value)))
    if fault.code == "not_a_number" and not form and _has_decimal_comma(value):
        return ValueFault(fault.code, OTHER_NUMBER(value=shown(value)))
    return fault


def reader_of(form: str) -> Callable[[Any], Any] | None:
    """What turns values of this form into what the column type understands; None where nothing has to be turned."""
    return {"dmy": _day_first, "mdy": _month_first, "comma": _decimal_comma}.get(form)


def _day_first(value: Any) -> Any:
    parts = day_parts(value)
    return f"{parts[2]:04}-{parts[1]:02}-{parts[0]:02}" if parts else value


def _month_first(value: Any) -> Any:
    parts = day_parts(value)
    return f"{parts[2]:04}-{parts[0]:02}-{parts[1]:02}" if parts else value


def _decimal_comma(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found = _comma_parts(value)
    if found is None:
        raise ValueFault("not_a_number", NOT_DECIMAL_COMMA(value=shown(value)))
    whole = found["plain"] or found["groups"].replace(".", "")
    return f"{found['sign']}{whole}.{found['rest']}" if found["rest"] else f"{found['sign']}{whole}"


def _comma_parts(value: str) -> re.Match[str] | None:
    text = value.strip().removesuffix("%").strip().strip("€$£").strip()
    return COMMA.fullmatch(text) if len(text) <= LONGEST else None


def _has_decimal_comma(value: Any) -> bool:
    found = _comma_parts(value) if isinstance(value, str) else None
    return found is not None and found["rest"] is not None
