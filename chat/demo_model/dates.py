"""Days and spans of days as English writes them: "June", "last week", "3 days ago", "2026-06-01"."""

import re
from calendar import monthrange
from datetime import date, timedelta

from chat.demo_model.text import COUNTS

Span = tuple[date, date]
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?)"
)
_COUNT = rf"(?P<count>\d{{1,4}}|an?|{'|'.join(COUNTS)})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d))?"
_PATTERNS = tuple(
    re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
    for pattern in (
        r"(?P<iso>\d{4}-\d\d-\d\d)",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_YEAR}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTH}{_YEAR}",
        rf"{_MONTH}{_YEAR}",
        r"(?P<named>today|yesterday|tomorrow)",
        r"(?P<which>this|last|next)\s+(?P<single>week|month|year)",
        rf"(?:the\s+)?(?P<span>last|past|next)\s+{_COUNT}\s+{_UNIT}",
        rf"{_COUNT}\s+{_UNIT}\s+ago",
    )
)
_AGE = re.compile(rf"(older|newer|younger)\s+than\s+{_COUNT}\s+{_UNIT}(?:\s+(?:ago|old))?(?!\w)", re.IGNORECASE)


def read_at(text: str, start: int, *, today: date) -> tuple[int, Span] | None:
    """Return the end of a date phrase that begins at `start`, and its first and last day."""
    for pattern in _PATTERNS:
        if found := pattern.match(text, start):
            try:
                return found.end(), _span(found, today)
            except (ValueError, OverflowError):
                continue
    return None


def far_day(text: str, *, today: date) -> tuple[str, Span] | None:
    """Return the first day or month without a year in a text that is nearer in another year than the current one."""
    for found in (found for pattern in _PATTERNS[1:4] for found in pattern.finditer(text) if not found["year"]):
        if (span := read(found[0], today=today)) and abs(span[0] - today) > timedelta(days=183):
            return found[0], span
    return None


def read(text: str, *, today: date) -> Span | None:
    """Return the first and last day that the whole text names; a bare year counts as well."""
    found = read_at(text.strip(), 0, today=today)
    if found and found[0] == len(text.strip()):
        return found[1]
    year = int(text) if re.fullmatch(r"(?:19|20)\d\d", text.strip()) else 0
    return (date(year, 1, 1), date(year, 12, 31)) if year else None


def age_at(text: str, start: int, *, today: date) -> tuple[int, str, date] | None:
    """Return the end of "older than 30 days" at `start`, its operator, and the day that it compares with."""
    found = _AGE.match(text, start)
    if not found:
        return None
    day = _back(today, _number(found["count"].lower()), unit=found["unit"].lower())
    return found.end(), "lt" if found[1].lower() == "older" else "gt", day


def _back(day: date, number: int, *, unit: str) -> date:
    """Return the day that many days, weeks, months or years before a day; negative numbers go forward."""
    if unit in ("day", "week"):
        return day - timedelta(days=number * (7 if unit == "week" else 1))
    year, month = divmod(day.year * 12 + day.month - 1 - number * (12 if unit == "year" else 1), 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else COUNTS.get(text, 1)


def _whole(unit: str, day: date) -> Span:
    """Return the week, month or year of a day."""
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=6)
    if unit == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])


def _span(match: re.Match[str], today: date) -> Span:
    found = {name: (said or "").lower() for name, said in match.groupdict().items()}
    day = today
    if found.get("iso"):
        day = date.fromisoformat(found["iso"])
    elif found.get("month"):
        month = _MONTHS.index(found["month"][:3]) + 1
        # Without a year it is the current one, as for dates typed into the grid (column_types/date_text.js).
        day = date(int(found.get("year") or today.year), month, int(found.get("day") or 1))
        if not found.get("day"):
            return _whole("month", day)
    elif found.get("named"):
        day = today + timedelta(days={"today": 0, "yesterday": -1, "tomorrow": 1}[found["named"]])
    elif found.get("single"):
        back = {"this": 0, "last": 1, "next": -1}[found["which"]]
        day = today if found["single"] == "week" else today.replace(day=1)
        return _whole(found["single"], _back(day, back, unit=found["single"]))
    elif found.get("span") == "next":
        return today, _back(today, -_number(found["count"]), unit=found["unit"]) - timedelta(days=1)
    elif found.get("span"):
        return _back(today, _number(found["count"]), unit=found["unit"]) + timedelta(days=1), today
    else:
        day = _back(today, _number(found["count"]), unit=found["unit"])
    return day, day
