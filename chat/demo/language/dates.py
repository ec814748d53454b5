"""Days and spans of days as people say them: "June", "last week", "3 days ago", "the end of May", "2026-06-01"."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from chat.demo.language.numbers import COUNT, count

_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.casefold(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_DAYS = {name.casefold(): number for number, name in enumerate(calendar.day_name)}
_DAYS |= {name.casefold(): number for number, name in enumerate(calendar.day_abbr)} | {"tues": 1, "thurs": 3}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(_DAYS, key=len, reverse=True))
UNIT = r"(?P<unit>days?|weeks?|months?|quarters?|years?)"


@dataclass(frozen=True)
class Span:
    """Days from `start` to `end`, both included; `said` is how a sentence calls it."""

    start: date
    end: date

    @property
    def is_day(self) -> bool:
        """Whether it is a single day."""
        return self.start == self.end


def days_in(amount: int, *, unit: str) -> int:
    """About how many days so many weeks, months or years are."""
    return amount * {"d": 1, "w": 7, "m": 30, "q": 91, "y": 365}[unit[0].casefold()]


def span(text: str, *, today: date) -> Span | None:
    """The days a phrase means, or None."""
    low = re.sub(r"\s+", " ", text.strip(" .,?!").casefold())
    low = re.sub(r"^(?:on |in |the (?!end|start|beginning|first|last|middle)|during )+", "", low).removesuffix(
        " of this year"
    )
    for reader in (_exact, _named, _relative_unit, _weekday, _ago, _month, _quarter, _edge):
        found = reader(low, today)
        if found is not None:
            return found
    return None


def _one(day: date) -> Span:
    return Span(day, day)


def _safe(*, year: int, month: int, day: int) -> Span | None:
    try:
        return _one(date(year, month, day))
    except ValueError:
        return None


def _exact(low: str, today: date) -> Span | None:
    if found := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", low):
        return _safe(year=int(found[1]), month=int(found[2]), day=int(found[3]))
    if found := re.fullmatch(rf"({_MONTH})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?,?(?: (\d{{4}}))?", low):
        return _safe(year=int(found[3] or today.year), month=_MONTHS[found[1]], day=int(found[2]))
    if found := re.fullmatch(rf"(?:the )?(\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? ({_MONTH})\.?,?(?: (\d{{4}}))?", low):
        return _safe(year=int(found[3] or today.year), month=_MONTHS[found[2]], day=int(found[1]))
    return None


def _named(low: str, today: date) -> Span | None:
    steps = {
        "today": 0,
        "now": 0,
        "yesterday": -1,
        "tomorrow": 1,
        "the day before yesterday": -2,
        "the day after tomorrow": 2,
    }
    return _one(today + timedelta(days=steps[low])) if low in steps else None


def _relative_unit(low: str, today: date) -> Span | None:
    found = re.fullmatch(r"(?:the )?(this|last|next|past|previous|current|coming) (week|month|quarter|year)", low)
    if found is None:
        return None
    step = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(found[1], -1)
    if found[2] == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return Span(monday, monday + timedelta(days=6))
    if found[2] == "month":
        return _month_span(year=today.year, month=today.month + step)
    if found[2] == "quarter":
        return _quarter_span(year=today.year, quarter=(today.month - 1) // 3 + 1 + step)
    return Span(date(today.year + step, 1, 1), date(today.year + step, 12, 31))


def _weekday(low: str, today: date) -> Span | None:
    found = re.fullmatch(rf"(?:(this|last|next|past|coming) )?({_DAY})", low)
    if found is None:
        return None
    ahead = (_DAYS[found[2]] - today.weekday()) % 7
    if found[1] in ("last", "past"):
        return _one(today + timedelta(days=ahead - 7))
    return _one(today + timedelta(days=ahead or (7 if found[1] == "next" else 0)))


def _ago(low: str, today: date) -> Span | None:
    if found := re.fullmatch(rf"(?P<count>{COUNT}|an?) {UNIT} ago", low):
        return _one(today - timedelta(days=days_in(count(found["count"]) or 1, unit=found["unit"])))
    if found := re.fullmatch(rf"(?:in )?(?P<count>{COUNT}|an?) {UNIT}(?: from now)?", low):
        return _one(today + timedelta(days=days_in(count(found["count"]) or 1, unit=found["unit"])))
    return None


def _month(low: str, today: date) -> Span | None:
    if found := re.fullmatch(rf"(?:(this|last|next) )?({_MONTH})\.?,?(?: (?:of )?(\d{{4}}))?", low):
        month = _MONTHS[found[2]]
        year = int(found[3] or today.year)
        if found[1] == "last" and month >= today.month:
            year -= 1
        if found[1] == "next" and month <= today.month:
            year += 1
        return _month_span(year=year, month=month)
    if found := re.fullmatch(r"(?:19|20)\d\d", low):
        return Span(date(int(found[0]), 1, 1), date(int(found[0]), 12, 31))
    if found := re.fullmatch(r"((?:19|20)\d\d)-(\d\d)", low):
        return _month_span(year=int(found[1]), month=int(found[2])) if 1 <= int(found[2]) <= 12 else None
    return None


def _quarter(low: str, today: date) -> Span | None:
    found = re.fullmatch(r"q([1-4])(?: (\d{4}))?", low)
    return _quarter_span(year=int(found[2] or today.year), quarter=int(found[1])) if found else None


def _edge(low: str, today: date) -> Span | None:
    found = re.fullmatch(r"(?:the )?(end|start|beginning|first|last day|first day|middle)(?: of)? (.+)", low)
    inner = span(found[2], today=today) if found else None
    if found is None or inner is None or inner.is_day:
        return None
    if found[1] == "middle":
        return _one(inner.start + (inner.end - inner.start) // 2)
    return _one(inner.end if found[1] in ("end", "last day") else inner.start)


def _month_span(*, year: int, month: int) -> Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return Span(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _quarter_span(*, year: int, quarter: int) -> Span:
    first = _month_span(year=year, month=3 * quarter - 2)
    return Span(first.start, _month_span(year=year, month=3 * quarter).end)


def spoken_day(day: date) -> str:
    """ "June 1, 2026"."""
    return f"{calendar.month_name[day.month]} {day.day}, {day.year}"
