"""Cells of a workbook as XML: what a value becomes, and which values the format cannot hold."""
from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Callable
from typing import Any

from tables.column_types import ColumnSpec, get_column_type

MOST_CHARACTERS = 32_767
GREATEST = 9.99999999999999e307
LEAST = sys.float_info.min
# Days are numbers of days; before March 1900 the format counts a day that never was.
DAY_ZERO = datetime.date(1899, 12, 30)
FIRST_DAY = "1900-03-01"
DATE_STYLE, HEAD_STYLE = 1, 2
# Where nothing of this is in a text, it is written as it is.
SPECIAL = re.compile(r"[&<>\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# `_x0041_` stands for A: a text that has just this says so with the escape of its first character.
LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")

Drawn = Callable[[Any, str], str]


class DoesNotFit(ValueError):
    """A value that no workbook can hold; the message says why, after “the cell”."""


def drawing_of(column: ColumnSpec) -> Drawn:
    """How a filled cell of the column is written: `(value, "B12")` gives its XML. Raises DoesNotFit when called."""
    kind = get_column_type(column.type)

    def draw(value: Any, place: str) -> str:
        if isinstance(value, bool):
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        if isinstance(value, int | float):
            return f'<c r="{place}"><v>{_number(value)}</v></c>'
        if kind.has_days and (days := _days(value)):
            return f'<c r="{place}" s="{DATE_STYLE}"><v>{days}</v></c>'
        return text_cell(value if isinstance(value, str) else kind.text(value), place=place)

    return draw


def text_cell(text: str, *, place: str, style: str = "") -> str:
    """A cell with a text, which is never a formula. Raises DoesNotFit."""
    if len(text) > MOST_CHARACTERS // 2 and _units(text) > MOST_CHARACTERS:
        raise DoesNotFit(f"has {_units(text):,} characters, and a cell of an Excel file holds {MOST_CHARACTERS:,}")
    if SPECIAL.search(text):
        text = xml_text(text)
    # White space at the ends, and line ends, are dropped otherwise.
    kept = ' xml:space="preserve"' if text != text.strip() or "\n" in text else ""
    return f'<c r="{place}"{style} t="inlineStr"><is><t{kept}>{text}</t></is></c>'


def xml_text(text: str) -> str:
    """A text as it stands in XML. Raises DoesNotFit for characters that cannot."""
    if unfit := UNFIT.search(text):
        raise DoesNotFit(f"holds the control character U+{ord(unfit[0]):04X}, which an Excel file cannot hold")
    text = LOOKS_ESCAPED.sub("_x005F_", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # Whoever reads XML makes a line feed of a carriage return.
    return text.replace("\r", "_x000D_")


def _number(value: int | float) -> str:
    if abs(value) > GREATEST or 0 < abs(value) < LEAST:
        raise DoesNotFit(f"is {value!r}, and an Excel file holds numbers up to {GREATEST!r} and from {LEAST!r} on")
    return repr(value)


def _days(value: Any) -> int:
    """The number of a day; 0 for what is none that the format can count: it stays the text it is."""
    if not isinstance(value, str) or value < FIRST_DAY:
        return 0
    try:
        return (datetime.date.fromisoformat(value) - DAY_ZERO).days
    except ValueError:
        return 0


def _units(text: str) -> int:
    """How many characters the format counts: those beyond U+FFFF twice."""
    return len(text.encode("utf-16-le")) // 2
