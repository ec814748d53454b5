"""Moments as texts in JSON, within the days that every time zone can show."""

from __future__ import annotations

from datetime import UTC, datetime

from shared.user_messages import declare

# Local times differ from UTC by less than a day, and the calendar of Python ends on both sides.
EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
LATEST = datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)
OUT_OF_RANGE = declare("moment_out_of_range", "The day must be between {first} and {last}.")


class OutOfRange(ValueError):
    """A moment that some time zones cannot show; `message` says which days are possible."""

    def __init__(self) -> None:
        self.message = OUT_OF_RANGE(first=EARLIEST.date().isoformat(), last=LATEST.date().isoformat())
        super().__init__(self.message)


def read_moment(text: str) -> datetime:
    """Return the moment of an ISO 8601 text in UTC, which is also the zone of a text without one.

    Raises OutOfRange, and ValueError or TypeError for anything that is no such text.
    """
    moment = datetime.fromisoformat(text)
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        raise OutOfRange from None
    if not EARLIEST <= moment <= LATEST:
        raise OutOfRange
    return moment
