"""The number type."""
from __future__ import annotations

import re
from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, ColumnType, number_text
from tables.column_types.decimal_separators import LABELS, number_parts, separators_of
from tables.column_types.display_locale import DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.number_formats import NUMBER_SETTINGS
from tables.column_types.number_values import NOT_A_NUMBER, check_number, normal_number, read_number
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import WrittenForm

# Messages for numbers in another format of files, and for values that are no numbers, by format.
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
# Numbers that are identifiers: with leading zeros, a plus sign, or more digits than a float can represent.
IDENTIFIER = re.compile(r"\s*(?:[+\-\u2212]?0[0-9]|\+|[0-9]{16})")


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


class Number(ColumnType):
    """Column type for numbers, 64-bit floats."""

    name = "number"
    label = "Number"
    described = "a JSON number"
    operators = ("eq", "ne", "lt", "lte", "gt", "gte", "between", *ALWAYS)
    comparison = "number"
    icon = "hash"
    cell_class = "is-num"
    never_from = ("date",)
    has_decimals = True
    forms = (
        WrittenForm("", LABELS["."], read=_decimal_point, separator="."),
        WrittenForm("comma", LABELS[","], read=_decimal_comma, separator=","),
    )
    detected = True
    never_detected_with = IDENTIFIER
    sheet_width = 14
    settings = NUMBER_SETTINGS

    def _check(self, value: Any, column: ColumnSpec) -> int | float:
        return check_number(value)

    def _cast(self, value: Any, column: ColumnSpec) -> int | float:
        return read_number(value) if isinstance(value, str) else check_number(value)

    def _text(self, value: Any) -> str:
        return number_text(value)

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        # Without thousands separators, because a number may be a year or a reference.
        text = number_text(value)
        return text if "e" in text else text.replace(".", locale.decimal)

    def explain_fault(self, fault: ValueFault, *, value: Any, form: str) -> ValueFault:
        is_no_number = fault.message.code == NOT_A_NUMBER.code
        return ValueFault(fault.code, NO_NUMBERS[form](value=shown(value))) if is_no_number else fault

    def normalise(self, value: Any) -> Any:
        return normal_number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> int | float:
        return int(value) if isinstance(value, bool) else read_number(text)


TYPE = Number()
