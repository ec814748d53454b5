"""Numbers as people write them: digits, words, "a dozen", "80k"."""

from __future__ import annotations

import re

_UNITS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_VAGUE = {
    "half a dozen": 6,
    "a half dozen": 6,
    "two dozen": 24,
    "a dozen": 12,
    "dozen": 12,
    "a couple of": 2,
    "a couple": 2,
    "couple of": 2,
    "a handful of": 5,
    "a handful": 5,
    "a few": 5,
    "few": 5,
    "several": 5,
    "some": 5,
    "a bunch of": 8,
    "a hundred": 100,
    "one hundred": 100,
    "two hundred": 200,
    "hundred": 100,
}
_TENS_PATTERN = "|".join(_TENS)
_UNITS_PATTERN = "|".join(sorted(_UNITS, key=len, reverse=True))
COUNT = (
    r"(?:\d[\d,]*|"
    + "|".join(sorted(_VAGUE, key=len, reverse=True))
    + rf"|(?:{_TENS_PATTERN})(?:[ -](?:{_UNITS_PATTERN}))?|{_UNITS_PATTERN})"
)
_NUMBER = re.compile(
    r"^(?P<sign>[-+−]?)\s*[$€£¥]?\s*(?P<digits>(?!0\d)\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?!0\d)\d+(?:\.\d+)?|\.\d+)\s*"
    r"(?P<scale>k|thousand|m|mio|million|bn|billion)?\s*(?:[$€£¥%]|percent|dollars?|euros?|pounds?|usd|eur|gbp)?$",
    re.IGNORECASE,
)
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}


def count(text: str) -> int | None:
    """The whole number a count word means ("ten", "a dozen", "25"), or None."""
    low = re.sub(r"\s+", " ", text.strip().casefold())
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+|\d{1,15}", low):
        return int(low.replace(",", ""))
    if low in _VAGUE:
        return _VAGUE[low]
    if low in _UNITS:
        return _UNITS[low]
    tens, _, unit = low.replace("-", " ").partition(" ")
    if tens in _TENS:
        return _TENS[tens] + _UNITS.get(unit, 0)
    return 1 if low in ("a", "an") else None


def number(text: str) -> int | float | None:
    """The number a phrase means ("$1,200", "80k", "-3.5", "twelve"), or None."""
    found = _NUMBER.match(text.strip())
    if found is None:
        low = text.strip().casefold()
        return None if low in _VAGUE and low not in ("a dozen", "a hundred") else _whole(text)
    value = float(found["digits"].replace(",", "")) * _SCALES.get((found["scale"] or "").casefold(), 1.0)
    if found["sign"] in ("-", "−"):
        value = -value
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def _whole(text: str) -> int | None:
    return None if text[:1].isdigit() or text.strip().casefold() in ("a", "an") else count(text)


def spoken(count: int) -> str:
    """A count as a sentence shows it: thousands separated."""
    return f"{count:,}"


def cell_number(value: float) -> str:
    """The number of a cell, or one computed from cells: as the grid shows it, with two decimals at most."""
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    return f"{value:.2f}".rstrip("0").rstrip(".")
