"""The decimal separator that a written number has: `12,5` has a comma, `1.200` may have a point."""
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from tables.column_types.number_currencies import split_code
from tables.column_types.number_values import strip_number_marks

Decimal = Literal[".", ","]
# The names of number formats in files by separator, and their labels.
FORM_OF: Mapping[str, Literal["", "comma"]] = {".": "", ",": "comma"}
SEPARATOR_OF: Mapping[str, Decimal] = {"": ".", "comma": ","}
LABELS: Mapping[str, str] = {".": "Decimal point: 1,234.5", ",": "Decimal comma: 1.234,5"}
MAX_LENGTH = 400
WITH_POINT = re.compile(r"(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.(?P<fraction>[0-9]+))?")
WITH_COMMA = re.compile(r"(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?:,(?P<fraction>[0-9]+))?")
# With a decimal comma; the groups have the same kind of space between them.
WITH_SPACES = re.compile(
    r"(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{0,2}(?P<space>\s)[0-9]{3}(?:(?P=space)[0-9]{3})*)(?:,(?P<fraction>[0-9]+))?"
)


def number_parts(value: Any, *, separator: str, spaced: bool = False) -> tuple[str, str] | None:
    """Return the digits of a number before and after its decimal separator, with a minus; None for anything else.

    One sign, one currency sign or code or a per cent sign, and space around the number are ignored. `spaced`: thousands
    are separated by spaces, not by dots, in a number with a decimal comma.
    """
    if not isinstance(value, str) or len(value) > MAX_LENGTH:
        return None
    sign, body, _ = strip_number_marks(split_code(value)[0])
    with_comma = WITH_SPACES if spaced else WITH_COMMA
    found = (with_comma if separator == "," else WITH_POINT).fullmatch(body)
    if found is None:
        return None
    whole = re.sub(r"[.,\s]", "", found["whole"])
    return f"-{whole}" if sign < 0 else whole, found["fraction"] or ""


def separators_of(value: Any) -> Literal["", ".", ",", ".,"]:
    """Return the decimal separator that a number must have; both if each gives another number, else ""."""
    if not isinstance(value, str) or ("," not in value and "." not in value):
        return ""
    point, comma = (number_parts(value, separator=each) is not None for each in ".,")
    if point and comma:
        return ".,"
    return "." if point else "," if comma else ""
