"""Numbers: what is one, what means one, and how it is written."""
from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.number import number_text

NUMBER = get_column_type("number")
AMOUNT = ColumnSpec(id="col_aaaaaaaa", name="Amount", type="number")
SAFE = 2**53 - 1


@pytest.mark.parametrize(
    ("given", "stored"),
    [(5, 5), (5.0, 5), (-0.0, 0), (1.5, 1.5), (1e300, 1e300), (SAFE, SAFE), (-SAFE, -SAFE), (1e23, 1e23), (0, 0)],
)
def test_a_json_number_is_kept_in_one_form(given: float, stored: float) -> None:
    kept = NUMBER.check(given, AMOUNT)
    assert (kept, type(kept)) == (stored, type(stored))
    assert math.copysign(1, kept) == math.copysign(1, stored)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (True, "not_a_number"), ("5", "not_a_number"), ([], "not_a_number"), ({}, "not_a_number"),
        (SAFE + 1, "too_large"), (-SAFE - 1, "too_large"), (10**400, "too_large"),
        (math.inf, "not_finite"), (math.nan, "not_finite"),
    ],
)  # fmt: skip
def test_strictly_anything_else_is_refused(given: object, code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        NUMBER.check(given, AMOUNT)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1200", 1200), ("1,200", 1200), ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1.234", 1.234), ("0", 0),
        ("1,234,567.25", 1234567.25), ("1.234.567,5", 1234567.5), ("+5", 5), ("-5", -5), ("\u22125", -5), ("-0", 0),
        ("$1,200", 1200), ("-$5", -5), ("$-5", -5), ("5 €", 5), ("£ 5", 5), ("5 %", 5), ("5%", 5), ("  7  ", 7),
        ("\u00a07\u00a0", 7), ("0.50", 0.5), ("10.00", 10), ("9007199254740991", SAFE),
    ],
)  # fmt: skip
def test_a_text_that_means_exactly_one_number_is_cast(text: str, number: float) -> None:
    cast = NUMBER.cast(text, AMOUNT)
    assert (cast.value, type(cast.value), cast.changed) == (number, type(number), True)


@pytest.mark.parametrize(
    "text",
    [
        "1,5", "007", "(5)", "1e5", "12abc", "٣", "１２", "1 200", "1'200", "1,20,000", "12,34", "0,123", "01,234",
        "1.234.567", "--5", "+-5", "$$5", "$5€", "5%%", "5-", "-", "$", "%", ".", "5.", ".5", "1_000", "0x10", "NaN",
        "Infinity", "∞", "½", "USD 5", "1,234.5,6", "1.5.5,5", " ", "9007199254740992", "9" * 300, "9" * 5000,
    ],
)  # fmt: skip
def test_a_text_that_could_mean_another_or_none_is_refused(text: str) -> None:
    with pytest.raises(ValueFault):
        NUMBER.cast(text, AMOUNT)


@pytest.mark.parametrize("empty", [None, ""])
def test_nothing_is_no_number_in_both_modes(empty: object) -> None:
    cast = NUMBER.cast(empty, AMOUNT)
    assert (NUMBER.check(empty, AMOUNT), cast.value, cast.changed) == (None, None, False)


def test_a_number_that_is_cast_stays_as_it_is() -> None:
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
def test_a_number_is_written_as_browsers_write_it(number: float, text: str) -> None:
    assert number_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_written_so_that_it_reads_back(number: float) -> None:
    assert float(number_text(NUMBER.check(number, AMOUNT))) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_comes_back_the_same_from_a_database_that_writes_out_all_digits(number: float) -> None:
    stored = NUMBER.check(number, AMOUNT)
    whole = int(stored) if float(stored).is_integer() else stored
    assert repr(NUMBER.normalise(json.loads(json.dumps(whole)))) == repr(stored)
