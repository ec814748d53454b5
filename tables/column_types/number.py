"""The number type."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, Cast, ColumnType
from tables.column_types.decimal_separators import LABELS, number_parts, separators_of
from tables.column_types.display_locale import ENGLISH, DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.number_currencies import split_code
from tables.column_types.number_formats import (
    FORMATS,
    NUMBER_SETTINGS,
    PLAIN,
    NumberFormat,
    detect_settings,
    read_duration,
)
from tables.column_types.number_sheet_formats import detect_sheet_settings
from tables.column_types.number_values import (
    MAX_SAFE_INTEGER,
    NOT_A_NUMBER,
    PLAIN_NUMBER,
    check_number,
    normal_number,
    strip_number_marks,
)
from tables.column_types.spec import ColumnSpec
from tables.column_types.value_texts import has_no_value, number_text
from tables.column_types.written_forms import JsonForm, WrittenForm

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
# Whole numbers that floats represent.
FEW_DIGITS = re.compile(r"0|[1-9][0-9]{0,14}")
# Numbers that are identifiers: with leading zeros, a plus sign, or more digits than a float can represent.
IDENTIFIER = re.compile(r"\s*(?:[+\-\u2212]?0[0-9]|\+|[0-9]{16})")


def _decimal_point(value: Any) -> Any:
    # The column type accepts 1.200,5, because it is unambiguous. In a column with decimal points it is an error.
    if isinstance(value, str) and PLAIN_NUMBER.fullmatch(value):
        return value
    if isinstance(value, str) and separators_of(value) == ",":
        raise ValueFault("not_a_number", OTHER_NUMBERS[""](value=shown(value)))
    return value


def _decimal_comma(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    parts = number_parts(value, separator=",")
    if parts is None and read_duration(value) is not None:
        return value
    if parts is None:
        template = (OTHER_NUMBERS if separators_of(value) else NO_NUMBERS)["comma"]
        raise ValueFault("not_a_number", template(value=shown(value)))
    number, code = ".".join(filter(None, parts)), split_code(value)[1]
    if code:
        # Three decimal places are ambiguous in an amount of money.
        return f"{number}{'0' * (len(parts[1]) == 3)} {code}"
    return f"{number}%" if value.rstrip().endswith("%") else number


def number_format(column: ColumnSpec) -> NumberFormat:
    """Return the format of a number column."""
    return FORMATS.get(column.used_settings.get("format", ""), PLAIN) if column.settings else PLAIN


class Number(ColumnType):
    """Column type for numbers, 64-bit floats."""

    name = "number"
    label = "Number"
    hint = "Numbers can be sorted, added up and averaged."
    described = "a JSON number"
    json_form = JsonForm(
        "a number, stored as a 64-bit float; one that is written without a point and exponent is at most ±(2⁵³ − 1), "
        "so that it is exact. With the `format` `percent` it is a fraction (0.05 is 5 %), with `duration` minutes, "
        "with `rating` stars",
        1200.5,
    )
    operators = ("eq", "ne", "lt", "lte", "gt", "gte", "between", *ALWAYS)
    comparison = "number"
    sort_labels = ("lowest first", "highest first")
    icon = "hash"
    format_icons: ClassVar[Mapping[str, str]] = {
        "currency": "receipt", "percent": "percent", "rating": "star", "duration": "clock",
    }  # fmt: skip
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

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return the value. Those of another format are not restricted by that of the target."""
        if source.type == target.type:
            return self.check_restored(value, target)
        return super().convert(value, source=source, target=target)

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return the value if it is a number: formats restrict new values only."""
        return None if value is None or value == "" else check_number(value)

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        if has_no_value(value, column):
            return Cast(None, changed=False)
        stored = _read(value, column)
        return Cast(stored, changed=isinstance(value, str))

    def caster(self, column: ColumnSpec) -> Callable[[Any], Any]:
        """Return the function. Most numbers are only digits and need no further check."""
        if column.settings:
            return super().caster(column)

        def number(value: Any) -> Any:
            if type(value) is str and FEW_DIGITS.fullmatch(value):
                return int(value)
            return self.cast(value, column).value

        return number

    def restricts(self, target: ColumnSpec, *, source: ColumnSpec) -> bool:
        return number_format(target).restricts and (source.type != self.name or source.settings != target.settings)

    def stores_unchanged(self, values: Sequence[Any], column: ColumnSpec) -> bool:
        if number_format(column).restricts:
            return False
        if type(values[0]) is int:
            return bool(min(values) >= -MAX_SAFE_INTEGER and max(values) <= MAX_SAFE_INTEGER)
        # Whole numbers are stored as integers.
        return type(values[0]) is float and all(map(math.isfinite, values)) and not any(map(float.is_integer, values))

    def _check(self, value: Any, column: ColumnSpec) -> int | float:
        number = check_number(value)
        if column.settings and (form := number_format(column)).restricts:
            form.check_new(number, column.used_settings)
        return number

    def _cast(self, value: Any, column: ColumnSpec) -> int | float:
        return self._check(_read(value, column), column)

    def _text(self, value: Any) -> str:
        return number_text(value)

    def edit_text(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        if not self.stores(value):
            return self.text(value)
        return number_format(column).edit_text(value, column.used_settings, locale)

    def typed(self, text: str, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        return number_format(column).typed(_with_point(text, locale=locale)) if text.strip() else text

    def stars(self, value: Any, column: ColumnSpec) -> tuple[int, int] | None:
        return number_format(column).stars(value, column.used_settings) if self.stores(value) else None

    def sheet_format(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        return number_format(column).sheet_format(value, column.used_settings, locale)

    def sheet_value(self, value: Any, column: ColumnSpec) -> Any:
        return number_format(column).sheet_value(value)

    def detect_settings(self, values: Sequence[Any]) -> Mapping[str, Any]:
        return detect_settings(values)

    def detect_sheet_settings(self, formats: Sequence[str]) -> Mapping[str, Any]:
        return detect_sheet_settings(formats)

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        return number_format(column).show(value, column.used_settings, locale)

    def explain_fault(self, fault: ValueFault, *, value: Any, form: str) -> ValueFault:
        is_no_number = fault.message.code == NOT_A_NUMBER.code
        return ValueFault(fault.code, NO_NUMBERS[form](value=shown(value))) if is_no_number else fault

    def normalise(self, value: Any) -> Any:
        if type(value) is int and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return value
        return normal_number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> int | float:
        return int(value) if isinstance(value, bool) else _read(text, target)


def _read(value: Any, column: ColumnSpec) -> int | float:
    """Return the number that a value means in the format of the column. Raises ValueFault."""
    return number_format(column).read(value, column.used_settings) if isinstance(value, str) else check_number(value)


def _with_point(text: str, *, locale: DisplayLocale) -> str:
    """Return a number as typed in the language with a decimal point: 1.200 is 1200 in German, 1.2 in French."""
    if locale.decimal != ",":
        return text
    parts = number_parts(text, separator=",", spaced=locale.group != ".")
    if parts is None:
        return text
    # Keep the currency sign: ambiguous amounts of money are refused.
    _, body, _ = strip_number_marks(split_code(text)[0])
    return text.replace(body, ".".join(filter(None, parts)).removeprefix("-"))


TYPE = Number()
