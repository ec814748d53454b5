"""Dates with a time of day: read and shown in a time zone, stored to the minute in UTC as YYYY-MM-DDTHH:MMZ.

A local time that occurs twice, when clocks are turned back, is the earlier one. One that is skipped, when they are
turned forward, is later by the time that was skipped.
"""
from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from shared.user_messages import Template, declare
from tables.column_types.faults import ValueFault, shown

NOT_A_MOMENT_ON_PAGES = declare(
    "not_a_moment_for_people", "{value:quoted} is not a date and time. Try 24 Dec 2026 15:30 or 2026-12-24 3:30 pm."
)
NOT_A_MOMENT = declare(
    "not_a_moment",
    "{value:quoted} is not a date and time like 2026-12-24T15:30Z.",
    for_pages=NOT_A_MOMENT_ON_PAGES,
)
NO_SUCH_MOMENT = declare("no_such_moment", "{value:quoted} is not a valid date and time.")
ZONE_NEEDED = declare(
    "moment_needs_zone", "{value:quoted} has no time zone. Add Z for UTC, or an offset such as +01:00."
)
SECONDS_GIVEN = declare(
    "moment_has_seconds", "{value:quoted} has seconds. Times are stored to the minute; leave the seconds out."
)
FIRST, LAST = "0001-01-01T00:00Z", "9999-12-31T23:59Z"
MINUTE = timedelta(minutes=1)
MAX_TEXT_LENGTH = 60
STORED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z")
ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
WRITTEN = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt]|,? {1,2})(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)?"
    r" ?(?P<zone>[Zz]|(?P<sign>[+\-\u2212])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2})?)?"
)
# The part of them that is ISO 8601 and needs no interpretation.
STRICT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)


# The rows of a table often have equal times.
@lru_cache(maxsize=4_096)
def is_moment(text: str) -> bool:
    """Return whether a text is a stored moment."""
    if not STORED.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text[:-1])
    except ValueError:
        return False
    return True


def check_moment(text: str) -> str:
    """Return the stored form of an ISO date and time with its time zone and without seconds. Raises ValueFault."""
    if is_moment(text):
        return text
    found = WRITTEN.fullmatch(text) if len(text) <= MAX_TEXT_LENGTH and STRICT.fullmatch(text) else None
    if found is None:
        raise _fault(NOT_A_MOMENT, text)
    if not found["zone"]:
        raise _fault(ZONE_NEEDED, text)
    if int(found["second"] or 0) or int(found["fraction"] or 0):
        raise _fault(SECONDS_GIVEN, text)
    return _stored(found, zone=UTC)


def read_moment(text: str, *, zone: tzinfo) -> str:
    """Return the stored form of a date and time. Raises ValueFault.

    Without a time zone it is that of `zone`, without a time it is midnight; seconds are dropped.
    """
    written = text.strip() if len(text) <= MAX_TEXT_LENGTH else text
    if is_moment(written):
        return written
    if ISO_DAY.fullmatch(written):
        written += "T00:00"
    found = WRITTEN.fullmatch(written)
    if found is None:
        raise _fault(NOT_A_MOMENT, text)
    return _stored(found, zone=zone)


def loses_time(text: str, *, stored: str, zone: tzinfo) -> bool:
    """Return whether a written date has a time of day, or seconds, that its stored day or moment does not have."""
    found = WRITTEN.fullmatch(text.strip()) if len(text) <= MAX_TEXT_LENGTH else None
    if found is None:
        return False
    if int(found["second"] or 0) or int(found["fraction"] or 0):
        return True
    try:
        return read_moment(text, zone=zone) != read_moment(stored, zone=zone)
    except ValueFault:
        # The first and the last day have local times outside of the years 1 to 9999 in UTC.
        return int(found["hour"]) > 0 or int(found["minute"]) > 0


def _stored(found: re.Match[str], *, zone: tzinfo) -> str:
    hour, half = int(found["hour"]), (found["half"] or "")[:1].lower()
    if half and not 1 <= hour <= 12:
        raise _fault(NO_SUCH_MOMENT, found[0])
    if half:
        hour = hour % 12 + 12 * (half == "p")
    # 60 is a leap second.
    if int(found["second"] or 0) > 60 or int(found["hours"] or 0) > 23 or int(found["minutes"] or 0) > 59:
        raise _fault(NO_SUCH_MOMENT, found[0])
    try:
        local = datetime.fromisoformat(f"{found['day']}T{hour:02}:{found['minute']}")
        if not found["zone"]:
            return to_utc(local, zone=zone)
        offset = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
        return _text(local + offset if found["sign"] in ("-", "\u2212") else local - offset)
    except (ValueError, OverflowError):
        raise _fault(NO_SUCH_MOMENT, found[0]) from None


def to_utc(local: datetime, *, zone: tzinfo) -> str:
    """Return the stored form of a local time. Raises OverflowError outside of the years 1 to 9999."""
    # Offsets before the 20th century have seconds. Local times are shown without theirs, so offsets are rounded down.
    offset = (zone.utcoffset(local) or timedelta()) // MINUTE * MINUTE
    return _text(local - offset)


def local_time(moment: str, *, zone: tzinfo) -> datetime:
    """Return a stored moment as local time without a time zone, within the years 1 to 9999."""
    return _local(moment, zone=zone) or datetime.fromisoformat((FIRST if moment[:4] == "0001" else LAST)[:-1])


def _local(moment: str, *, zone: tzinfo) -> datetime | None:
    """Return the local time, None outside of the years 1 to 9999."""
    try:
        local = datetime.fromisoformat(moment[:-1]).replace(tzinfo=UTC).astimezone(zone)
    except (OverflowError, ValueError):
        return None
    return local.replace(tzinfo=None, second=0, microsecond=0, fold=0)


def local_day(moment: str, *, zone: tzinfo) -> str:
    """Return the day of a stored moment in a time zone, as YYYY-MM-DD."""
    return local_time(moment, zone=zone).date().isoformat()


def local_text(moment: str, *, zone: tzinfo) -> str:
    """Return a stored moment as local ISO text, which `read_moment` reads back exactly.

    It only has a time zone where it is necessary: the later of two equal local times has its offset.
    """
    local = _local(moment, zone=zone)
    if local is None:
        return moment
    text = local.isoformat(timespec="minutes")
    if to_utc(local, zone=zone) == moment:
        return text
    minutes = (local - datetime.fromisoformat(moment[:-1])) // MINUTE
    return f"{text}{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def display_moment(moment: str, *, zone: tzinfo) -> str:
    """Return a stored moment in English: Dec 24, 2026, 3:30 PM."""
    local = local_time(moment, zone=zone)
    half = "AM" if local.hour < 12 else "PM"
    return f"{local:%b} {local.day}, {local.year}, {local.hour % 12 or 12}:{local.minute:02} {half}"


def day_bounds(day: str, *, zone: tzinfo) -> tuple[str, str]:
    """Return the first and the last minute of a day in a time zone."""
    start = date.fromisoformat(day)
    try:
        first = to_utc(datetime.combine(start, datetime.min.time()), zone=zone)
    except OverflowError:
        first = FIRST if start.year == 1 else LAST
    try:
        following = to_utc(datetime.combine(start + timedelta(days=1), datetime.min.time()), zone=zone)
        return first, _text(datetime.fromisoformat(following[:-1]) - MINUTE)
    except OverflowError:
        return first, LAST if start.year > 1 else FIRST


def _text(utc: datetime) -> str:
    return utc.isoformat(timespec="minutes") + "Z"


def _fault(template: Template, text: str) -> ValueFault:
    return ValueFault("not_a_date", template(value=shown(text)))
