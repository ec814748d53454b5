"""What a workbook can hold: rows, characters of a text, numbers, days."""
from __future__ import annotations

import datetime
import re
import sys
from typing import Any

# Without the row of names.
MAX_ROWS = 1_048_575
MAX_CHARACTERS = 32_767
GREATEST = 9.99999999999999e307
LEAST = sys.float_info.min
# Before March 1900 the format counts a day that never was.
FIRST_DAY = "1900-03-01"
UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class DoesNotFit(ValueError):
    """A value that no workbook can hold; the message says why, after “the cell”."""


def check_text(text: str) -> None:
    """Raises DoesNotFit for a text that is too long, and for characters that cannot be in XML."""
    if len(text) > MAX_CHARACTERS // 2 and (units := _units(text)) > MAX_CHARACTERS:
        raise DoesNotFit(f"has {units:,} characters, and a cell of an Excel file holds {MAX_CHARACTERS:,}")
    if unfit := UNFIT.search(text):
        raise DoesNotFit(f"holds the control character U+{ord(unfit[0]):04X}, which an Excel file cannot hold")


def check_number(value: int | float) -> None:
    """Raises DoesNotFit for a number that is too great, or too close to zero."""
    if abs(value) > GREATEST or 0 < abs(value) < LEAST:
        raise DoesNotFit(f"is {value!r}, and an Excel file holds numbers up to {GREATEST!r} and from {LEAST!r} on")


def fitting_day(value: Any) -> datetime.date | None:
    """The day, or None for what is none that the format can count: it stays the text it is."""
    if not isinstance(value, str) or value < FIRST_DAY:
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return None


def _units(text: str) -> int:
    """How many characters the format counts: those beyond U+FFFF twice."""
    return len(text.encode("utf-16-le")) // 2
