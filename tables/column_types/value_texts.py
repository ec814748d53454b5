"""Texts of stored values by their JSON type; whether there is a value, and whether two are the same."""
from __future__ import annotations

from decimal import Decimal
from typing import Any

from shared import strictjson
from tables.column_types.spec import ColumnSpec


def has_no_value(value: Any, column: ColumnSpec) -> bool:
    """Return whether a cell counts as empty: null, "", and in a required column also text of only white space."""
    return value is None or value == "" or (column.required and isinstance(value, str) and value.isspace())


def is_same(given: Any, stored: Any) -> bool:
    """Return whether two values are the same: 5.0 and 5 are, "5" and 5 and True and 1 are not."""
    numbers = (int, float)
    if isinstance(given, bool) or isinstance(stored, bool):
        return given is stored
    if isinstance(given, numbers) and isinstance(stored, numbers):
        return bool(given == stored)
    return type(given) is type(stored) and bool(given == stored)


def boolean_text(value: bool) -> str:
    """Return "true" or "false"."""
    return "true" if value else "false"


# The words for true and false. In languages other than English they are read in files only.
BOOLEAN_WORDS = {True: ("true", "yes"), False: ("false", "no")}
FOREIGN_BOOLEAN_WORDS = {
    True: tuple("ja wahr oui vrai sí si sì verdadero vero sim verdadeiro waar".split()),
    False: tuple("nein falsch non faux falso não nee onwaar nej nei".split()),
}


def number_text(value: int | float) -> str:
    """Return the shortest text that reads back as the same float, as browsers show it (0.00001, 1e+21)."""
    if isinstance(value, int):
        return str(value)
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0") or "0"
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{point - 1:+d}"


def plain_number(value: int | float) -> str:
    """Return the shortest digits of a number without exponent, from which it can be read again exactly.

    Whole numbers beyond 2^53 end in `.0`, because such a float also represents neighbouring integers.
    """
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text if "." in text else f"{text}.0"


def value_text(value: Any) -> str:
    """Return the text of any stored value, independent of the type of its column."""
    if isinstance(value, bool):
        return boolean_text(value)
    if isinstance(value, int | float):
        return number_text(value)
    return value if isinstance(value, str) else strictjson.dumps(value)
