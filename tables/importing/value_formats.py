"""Written formats of values that a column type accepts only if the user chooses them."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from shared.user_messages import declare
from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.date import NO_SUCH_DAY
from tables.column_types.faults import shown
from tables.column_types.number import NOT_A_NUMBER
from tables.importing.separators import number_parts, separators_of

# "" is the format that the column type itself reads.
Form = Literal["", "dmy", "mdy", "comma"]
FORMS: dict[str, tuple[str, ...]] = {"date": ("", "dmy", "mdy"), "number": ("", "comma")}
MAX_LENGTH = 60
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
# Messages for numbers in another format, and for values that are no numbers, by format.
OTHER_NUMBERS = {
    "": declare(
        "not_decimal_point",
        "{value:quoted} is not a number with a decimal point, like 1,200.5. "
        "If this column has a decimal comma, choose that.",
    ),
    "comma": declare(
        "other_decimal_sign",
        "{value:quoted} is not a number with a decimal comma, like 1.200,5. "
        "If this column has a decimal point, choose that.",
    ),
}
NO_NUMBERS = {
    "": declare("no_number_with_point", "{value:quoted} is not a number like 1,200 or 1.5."),
    "comma": declare("not_decimal_comma", "{value:quoted} is not a number like 1.200 or 1,5."),
}
# Numbers with the same separator between them; a time of day after them is ignored.
DAY = re.compile(
    r"\s*([0-9]{1,2})([/.\-])\s?([0-9]{1,2})\2\s?([0-9]{4})(?:[T ,]\s*[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?)?\s*"
)
# Booleans in languages other than English, which the column type reads itself.
BOOLEAN_WORDS = {
    **dict.fromkeys("ja wahr oui vrai sí si sì verdadero vero sim verdadeiro waar".split(), True),
    **dict.fromkeys("nein falsch non faux falso não nee onwaar nej nei".split(), False),
}


def day_parts(value: Any) -> tuple[int, int, int] | None:
    """Return first number, second number and year of a date like 03/04/2024; None for anything else."""
    found = DAY.fullmatch(value) if isinstance(value, str) and len(value) <= MAX_LENGTH else None
    return (int(found[1]), int(found[3]), int(found[4])) if found else None


def format_fault(fault: ValueFault, *, value: Any, form: str) -> ValueFault:
    """Return the fault of a value in terms of the format of the file."""
    if form in NO_DATES:
        template = NO_SUCH_DAY if day_parts(value) else NO_DATES[form]
        return ValueFault(fault.code, template(value=shown(value)))
    if fault.code == "not_a_date" and fault.message.code != NO_SUCH_DAY.code:
        template = OTHER_DATE if day_parts(value) else NOT_YEAR_FIRST
        return ValueFault(fault.code, template(value=shown(value)))
    if fault.message.code == NOT_A_NUMBER.code:
        return ValueFault(fault.code, NO_NUMBERS[form](value=shown(value)))
    return fault


def get_reader(form: str, *, type_name: str) -> Callable[[Any], Any] | None:
    """Return a function that converts values of this format to what the column type reads; None if none is needed."""
    return READERS.get((type_name, form))


def read_value(value: Any, *, type_name: str, form: str) -> Any:
    """Return the stored value of a filled cell in this format. Raises ValueFault."""
    read = get_reader(form, type_name=type_name)
    column = ColumnSpec(id="", name="", type=type_name)
    return get_column_type(type_name).cast(read(value) if read else value, column).value


def _day_first(value: Any) -> Any:
    parts = day_parts(value)
    return f"{parts[2]:04}-{parts[1]:02}-{parts[0]:02}" if parts else value


def _month_first(value: Any) -> Any:
    parts = day_parts(value)
    return f"{parts[2]:04}-{parts[0]:02}-{parts[1]:02}" if parts else value


def _decimal_point(value: Any) -> Any:
    # The column type accepts 1.200,5, because it is unambiguous. In a column with decimal points it is an error.
    if isinstance(value, str) and separators_of(value) == ",":
        raise ValueFault("not_a_number", OTHER_NUMBERS[""](value=shown(value)))
    return value


def _decimal_comma(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    parts = number_parts(value, separator=",")
    if parts is None:
        template = (OTHER_NUMBERS if separators_of(value) else NO_NUMBERS)["comma"]
        raise ValueFault("not_a_number", template(value=shown(value)))
    return ".".join(filter(None, parts))


def _boolean_word(value: Any) -> Any:
    is_short_text = isinstance(value, str) and len(value) <= MAX_LENGTH
    return BOOLEAN_WORDS.get(value.strip().lower(), value) if is_short_text else value


READERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("boolean", ""): _boolean_word,
    ("date", "dmy"): _day_first,
    ("date", "mdy"): _month_first,
    ("number", ""): _decimal_point,
    ("number", "comma"): _decimal_comma,
}
