"""Number columns: valid values, casts and their text."""
from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.value_texts import number_text

NUMBER = get_column_type("number")
AMOUNT = ColumnSpec(id="col_aaaaaaaa", name="Amount", type="number")
MAX_SAFE_INTEGER = 2**53 - 1


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (10**400, "too_large"), (math.inf, "not_finite"), (math.nan, "not_finite"),
    ],
)  # fmt: skip
def test_values_impossible_in_json_are_refused(given: object, code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        NUMBER.check(given, AMOUNT)
    assert caught.value.code == code


def test_ambiguous_amounts_are_refused() -> None:
    with pytest.raises(ValueFault) as caught:
        NUMBER.cast("−3.000 €", AMOUNT)
    assert caught.value.detail == "“−3.000 €” can mean -3 or -3000. Enter the number you mean."


@pytest.mark.parametrize("empty", [None, ""])
def test_empty_values_are_no_number_in_both_modes(empty: object) -> None:
    cast = NUMBER.cast(empty, AMOUNT)
    assert (NUMBER.check(empty, AMOUNT), cast.value, cast.changed) == (None, None, False)


def test_casting_a_number_does_not_change_it() -> None:
    assert NUMBER.cast(5.0, AMOUNT).changed is False


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5, "5"), (-5, "-5"), (0.1, "0.1"), (1234.5, "1234.5"), (1e-6, "0.000001"), (1e-7, "1e-7"),
        (-1.5e-7, "-1.5e-7"),
        (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.25e300, "1.25e+300"), (5e-324, "5e-324"),
        (1.2345678901234567e19, "12345678901234567000"), (123456789.125, "123456789.125"),
    ],
)  # fmt: skip
def test_numbers_are_written_like_in_browsers(number: float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(2012, "2012"), (-1234567.25, "-1234567.25"), (10**15, "1000000000000000")]
)
def test_a_number_is_displayed_without_thousands_separators(number: float, text: str) -> None:
    assert NUMBER.display(number, AMOUNT) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_written_numbers_are_read_back_unchanged(number: float) -> None:
    assert float(number_text(NUMBER.check(number, AMOUNT))) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_with_all_digits_are_read_back_unchanged(number: float) -> None:
    stored = NUMBER.check(number, AMOUNT)
    whole = int(stored) if float(stored).is_integer() else stored
    assert repr(NUMBER.normalise(json.loads(json.dumps(whole)))) == repr(stored)


@given(st.lists(st.floats() | st.integers(), min_size=1, max_size=4))
def test_numbers_that_are_stored_unchanged_are_valid(numbers: list[int | float]) -> None:
    same_type = [each for each in numbers if type(each) is type(numbers[0])]
    if NUMBER.stores_unchanged(same_type, AMOUNT):
        assert [repr(NUMBER.check(each, AMOUNT)) for each in same_type] == [repr(each) for each in same_type]
