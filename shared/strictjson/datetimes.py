"""Date-times in JSON, limited to those that can be shown in every time zone."""

from __future__ import annotations

from datetime import UTC, datetime

from shared.user_messages import declare

# Python's calendar without its first and last day, because local times differ from UTC by less than a day.
MIN_DATETIME = datetime(1, 1, 2, tzinfo=UTC)
MAX_DATETIME = datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)
OUT_OF_RANGE = declare("moment_out_of_range", "The date must be between {first} and {last}.")


class DatetimeOutOfRange(ValueError):
    """A date-time that cannot be shown in every time zone. `message` names the first and last possible day."""

    def __init__(self) -> None:
        self.message = OUT_OF_RANGE(first=MIN_DATETIME.date().isoformat(), last=MAX_DATETIME.date().isoformat())
        super().__init__(self.message)


def parse_datetime(text: str) -> datetime:
    """Return the date-time of an ISO 8601 text in UTC; a text without a time zone is taken as UTC.

    Raises DatetimeOutOfRange, and ValueError or TypeError for anything that is not such a text.
    """
    moment = datetime.fromisoformat(text)
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        raise DatetimeOutOfRange from None
    if not MIN_DATETIME <= moment <= MAX_DATETIME:
        raise DatetimeOutOfRange
    return moment
