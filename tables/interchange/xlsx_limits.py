"""What a workbook can hold: rows, characters of a text, numbers, days."""
from __future__ import annotations

import datetime
import re
import sys
from typing import Any

from user_messages import Message, declare

# The cell, or the name of a column, comes before each of them.
TEXT_DOES_NOT_FIT = declare(
    "text_does_not_fit", "has {count:,} characters, and a cell of an Excel file holds {limit:,}"
)
CHARACTER_DOES_NOT_FIT = declare(
    "character_does_not_fit", "holds the control character {character}, which an Excel file cannot hold"
)
NUMBER_DOES_NOT_FIT = declare(
    "number_does_not_fit", "is {number}, and an Excel file holds numbers up to {greatest} and from {least} on"
)

# Without the row of names.
MAX_ROWS = 1_048_575
MAX_CHARACTERS = 32_767
GREATEST = 9.99999999999999e307
LEAST = sys.float_info.min
# Before March 1900 the format counts a day that never was.
FIRST_DAY = "1900-03-01"
UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class DoesNotFit(ValueError):
    """A value that no workbook can hold; `message` says why, after “the cell”."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def check_text(text: str) -> None:
    """Raises DoesNotFit for a text that is too long, and for characters that cannot be in XML."""
    if len(text) > MAX_CHARACTERS // 2 and (units := _units(text)) > MAX_CHARACTERS:
        raise DoesNotFit(TEXT_DOES_NOT_FIT(count=units, limit=MAX_CHARACTERS))
    if unfit := UNFIT.search(text):
        raise DoesNotFit(CHARACTER_DOES_NOT_FIT(character=f"U+{ord(unfit[0]):04X}"))


def check_number(value: int | float) -> None:
    """Raises DoesNotFit for a number that is too great, or too close to zero."""
    if abs(value) > GREATEST or 0 < abs(value) < LEAST:
        # As Python writes them: with all digits and an exponent, in every language.
        limits = {"greatest": repr(GREATEST), "least": repr(LEAST)}
        raise DoesNotFit(NUMBER_DOES_NOT_FIT(number=repr(value), **limits))


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
