"""Dates: days of the calendar, never a guess at which."""
from __future__ import annotations

import pytest

from tables.column_types import ColumnSpec, ValueFault, get_column_type

DATE = get_column_type("date")
DUE = ColumnSpec(id="col_aaaaaaaa", name="Due", type="date")


@pytest.mark.parametrize("day", ["2024-02-29", "0001-01-01", "9999-12-31"])
def test_a_day_of_the_calendar_is_kept(day: str) -> None:
    assert DATE.check(day, DUE) == day


@pytest.mark.parametrize(
    "value",
    ["2023-02-29", "2024-13-01", "0000-01-01", "20240315", "2024-W11-5", "2024-3-5", "٢٠٢٤-٠٣-١٥", " 2024-03-15",
     "2024-03-15T10:00", 20240315, True, ["2024-03-15"]],
)  # fmt: skip
def test_strictly_anything_else_is_refused(value: object) -> None:
    with pytest.raises(ValueFault) as caught:
        DATE.check(value, DUE)
    assert caught.value.code == "not_a_date"


@pytest.mark.parametrize(
    "text",
    ["2024-03-15T23:30:00Z", "2024-03-15T23:30:00-08:00", "2024-03-15 23:30", "2024-03-15T23:30:00.123456+0100",
     " 2024-03-15 ", "2024-03-15t00:00z"],
)  # fmt: skip
def test_a_moment_keeps_its_day_as_written(text: str) -> None:
    cast = DATE.cast(text, DUE)
    assert (cast.value, cast.changed) == ("2024-03-15", True)


@pytest.mark.parametrize(
    "text",
    ["03/04/2024", "3.4.2024", "15 March 2024", "tomorrow", "2024-03-15T25:00", "2024-03-15Tx", "2024-02-30T10:00",
     "2024-03", "2024", "x" * 70_000],
)  # fmt: skip
def test_a_text_that_could_mean_another_day_is_refused(text: str) -> None:
    with pytest.raises(ValueFault):
        DATE.cast(text, DUE)
