"""Dates with a time: what is read, how it is stored and shown, and the days of a time zone."""
from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.display_locale import DisplayLocale

DATE = get_column_type("date")
BERLIN = ZoneInfo("Europe/Berlin")
SETTINGS = (("format", "datetime"),)
WHEN = ColumnSpec("col_a", "When", "date", settings=SETTINGS, zone=BERLIN)
DAY = ColumnSpec("col_a", "Day", "date", zone=BERLIN)
REFUSED = None


@pytest.mark.parametrize(
    ("given", "strict", "cast"),
    [
        ("2026-12-24T15:30Z", "2026-12-24T15:30Z", "2026-12-24T15:30Z"),
        ("2026-12-24 15:30:00.000z", "2026-12-24T15:30Z", "2026-12-24T15:30Z"),
        ("2026-12-24T15:30+01:00", "2026-12-24T14:30Z", "2026-12-24T14:30Z"),
        ("2026-12-24T00:30-2359", "2026-12-25T00:29Z", "2026-12-25T00:29Z"),
        ("2026-12-24T15:30:59Z", REFUSED, "2026-12-24T15:30Z"),
        ("2026-12-24T15:30\u221201:00", REFUSED, "2026-12-24T16:30Z"),
        (" 2026-12-24 15:30 ", REFUSED, "2026-12-24T14:30Z"),
        ("2026-12-24 3:30 PM", REFUSED, "2026-12-24T14:30Z"),
        ("2026-12-24, 12:05 a.m.", REFUSED, "2026-12-23T23:05Z"),
        ("2026-12-24", REFUSED, "2026-12-23T23:00Z"),
        # Clocks skip this time, and show that one twice.
        ("2026-03-29T02:30", REFUSED, "2026-03-29T01:30Z"),
        ("2026-10-25T02:30", REFUSED, "2026-10-25T00:30Z"),
        *((text, REFUSED, REFUSED) for text in (
            "2026-12-24T24:00Z", "2026-12-24T15:60Z", "2026-02-30T10:00Z", "0000-01-01T00:00Z", "2026-12-24 13:00 pm",
            "0001-01-01T00:00+00:01", "9999-12-31T23:59-14:00", "2026-12-24T00:00+99:99", "15:30", "x" * 10_000,
            "2026-12-24T15:30Z" + " " * 10_000, "٢٠٢٤-٠٣-١٥T10:00Z", 20261224, True, [],
        )),
    ],
)  # fmt: skip
def test_dates_with_times_are_stored_in_utc(given: Any, strict: Any, cast: Any) -> None:
    for read, expected in ((DATE.check, strict), (lambda value, column: DATE.cast(value, column).value, cast)):
        if expected is REFUSED:
            with pytest.raises(ValueFault):
                read(given, WHEN)
        else:
            assert read(given, WHEN) == expected


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ("2026-12-24T15:30", "“2026-12-24T15:30” has no time zone. Add Z for UTC, or an offset such as +01:00."),
        ("2026-12-24T15:30:01Z",
         "“2026-12-24T15:30:01Z” has seconds. Times are stored to the minute; leave the seconds out."),
    ],
)  # fmt: skip
def test_strict_errors_say_what_is_missing(given: str, detail: str) -> None:
    with pytest.raises(ValueFault) as refused:
        DATE.check(given, WHEN)
    assert (refused.value.code, refused.value.detail) == ("not_a_date", detail)


ZONES = ["UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia"]
MINUTES = int((datetime.max - datetime.min) / timedelta(minutes=1))  # noqa: DTZ901
moments = st.one_of(
    # Changes of clocks are on Sundays of this year.
    st.integers(0, 366 * 24 * 60).map(lambda minutes: datetime(2018, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)),
    st.integers(0, MINUTES).map(lambda minutes: datetime(1, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)),
    st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)]),
).map(lambda moment: moment.isoformat(timespec="minutes")[:16] + "Z")


@given(moment=moments, zone=st.sampled_from(ZONES).map(ZoneInfo))
def test_the_text_for_editing_is_read_back_exactly(moment: str, zone: tzinfo) -> None:
    column = ColumnSpec("col_a", "When", "date", settings=SETTINGS, zone=zone)
    text = DATE.edit_text(moment, column)
    assert DATE.cast(DATE.typed(text, column), column).value == moment
    low, high = DATE.bounds(text[:10], column)
    assert (low <= moment <= high) or text.endswith("Z")


def test_the_later_of_two_equal_local_times_is_edited_with_its_offset() -> None:
    texts = [DATE.edit_text(moment, WHEN) for moment in ("2026-10-25T00:30Z", "2026-10-25T01:30Z")]
    assert texts == ["2026-10-25T02:30", "2026-10-25T02:30+01:00"]
    assert [DATE.input_type(text, WHEN) for text in texts] == ["datetime-local", ""]


def test_moments_are_shown_in_the_time_zone_of_the_reader() -> None:
    newyork = DisplayLocale(zone=ZoneInfo("America/New_York"))
    assert DATE.display("2026-12-24T23:30Z", WHEN) == "Dec 25, 2026, 12:30 AM"
    assert DATE.display("2026-12-24T23:30Z", WHEN, newyork) == "Dec 24, 2026, 6:30 PM"


@pytest.mark.parametrize(
    ("value", "source", "target", "result"),
    [
        ("2026-12-24", DAY, WHEN, "2026-12-23T23:00Z"),
        ("2026-12-24T23:30Z", WHEN, DAY, "2026-12-25"),
        ("2026-12-24T23:30Z", WHEN, ColumnSpec("col_a", "A", "text"), "2026-12-24T23:30Z"),
        ("2026-12-24 15:30", ColumnSpec("col_a", "A", "text"), WHEN, "2026-12-24T14:30Z"),
        ("2026-12-24T15:30Z", ColumnSpec("col_a", "A", "select", options=("2026-12-24T15:30Z",)), WHEN,
         "2026-12-24T15:30Z"),
    ],
)  # fmt: skip
def test_values_are_converted_between_formats_and_types(
    value: str, source: ColumnSpec, target: ColumnSpec, result: str
) -> None:
    assert get_column_type(target.type).convert(value, source=source, target=target) == result
