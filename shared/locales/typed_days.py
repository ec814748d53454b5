"""Days that users type in the order and with the months of their locale, such as 24.12.2026 or Dec 24, 2026."""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from babel import Locale

from shared.locales.tags import DEFAULT

MAX_LENGTH = 60
# A time of day at the end, which is not read here.
_CLOCK = re.compile(r"[\s,]+(?P<clock>\d{1,2}:\d{2}(?:\s?[AaPp]\.?[Mm]\.?)?)$")
_NUMBERS = re.compile(r"(\d{1,2})\s?([./\- ])\s?(\d{1,2})\s?\2\s?(\d{4})\.?")
_YEAR_FIRST = re.compile(r"(\d{4})([./\-])\s?(\d{1,2})\2\s?(\d{1,2})\.?")
_MARKS = str.maketrans("", "", "\u200e\u200f")
_WORD = re.compile(r"[^\W\d_]{3,}")


def iso_text(text: str, *, tag: str) -> str:
    """Return a typed day with its time, if it has one, as `2026-12-24 15:30`; other texts unchanged."""
    written = text.translate(_MARKS).strip() if len(text) <= MAX_LENGTH else ""
    clock = _CLOCK.search(written)
    day = _day(written[: clock.start()] if clock else written, tag=tag)
    if day is None:
        return text
    return f"{day} {clock['clock']}" if clock else day.isoformat()


def _day(text: str, *, tag: str) -> date | None:
    if numbers := _NUMBERS.fullmatch(text):
        # With points, the day comes first in all languages.
        day_first = numbers[2] == "." or _day_comes_first(tag)
        day, month = (numbers[1], numbers[3]) if day_first else (numbers[3], numbers[1])
        return _existing(numbers[4], month=int(month), day=day)
    if numbers := _YEAR_FIRST.fullmatch(text):
        return _existing(numbers[1], month=int(numbers[3]), day=numbers[4])
    months = {month for word in _WORD.findall(_folded(text)) if (month := _months(tag).get(word))}
    parts = re.findall(r"\d+", text)
    years, days = [[each for each in parts if len(each) in lengths] for lengths in ((4,), (1, 2))]
    if len(months) != 1 or len(parts) != 2 or len(years) != 1 or len(days) != 1:
        return None
    return _existing(years[0], month=months.pop(), day=days[0])


def _existing(year: str, *, month: int, day: str) -> date | None:
    try:
        return date(int(year), month, int(day))
    except ValueError:
        return None


@lru_cache(maxsize=500)
def _day_comes_first(tag: str) -> bool:
    pattern = Locale.parse(tag, sep="-").date_formats["short"].pattern
    return pattern.index("d") < pattern.index("M")


@lru_cache(maxsize=100)
def _months(tag: str) -> Mapping[str, int]:
    """Return the months by their names and abbreviations, also the English ones."""
    found: dict[str, int] = {}
    for locale in (Locale.parse(tag, sep="-"), Locale.parse(DEFAULT)):
        for context in ("format", "stand-alone"):
            for width in ("abbreviated", "wide"):
                for number, name in locale.months[context][width].items():
                    found.setdefault(_folded(name).rstrip("."), number)
    return found


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
