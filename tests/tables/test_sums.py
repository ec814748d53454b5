"""Exact sums and averages, with a file that the tests of scripts read as well."""
from __future__ import annotations

import json
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tables.operations.queries.measures import EXACT, average_of, sum_of
from tests.snapshots import UPDATE_HINT, snapshot

VECTORS = Path(__file__).parents[1] / "js/tables/sum_vectors.json"
CASES: list[list[float]] = [
    [0.1, 0.2], [1, 2, 4], [0.1] * 10, [12345678901234.56, 0.01, 0.01], [2**53 - 1, 0.5, 2 - 2**53], [0.3, 0, 0],
    [-1.005, -2.01], [1e16, 1, 1, -1e16], [1.7e308, 1.7e308], [1.7e308, -1.7e308], [5e-324, 5e-324], [1e300, 1e-300],
    [0, 0], [1, -1], [1e-7, 1], [999999999999999.5, 1], [123456.789] * 7, [2**53 - 1] * 3, [1.5, 1.25, 1.125],
]  # fmt: skip


def exact(numbers: list[float]) -> Decimal:
    total = Decimal()
    for number in numbers:
        total = EXACT.add(total, Decimal(repr(number)))
    return total


def test_sums_and_averages_are_those_of_scripts() -> None:
    cents = random.Random(25)
    cases = [*CASES, *([cents.randrange(-(10**14), 10**14) / 100 for _ in range(count)] for count in (5, 9, 30))]
    vectors = [[case, sum_of(exact(case)), average_of(exact(case), count=len(case))] for case in cases]
    text = "[\n" + ",\n".join(map(json.dumps, vectors)) + "\n]\n"
    assert text == snapshot(text, file=VECTORS), UPDATE_HINT


@given(st.lists(st.integers(-(10**15) + 1, 10**15 - 1), min_size=1), st.integers(0, 6))
def test_sums_of_decimal_numbers_lose_no_digit(units: list[int], places: int) -> None:
    scale = 10**places
    total = exact([unit / scale for unit in units])
    assert Fraction(total) == Fraction(sum(units), scale)
    assert sum_of(total) == sum(units) / scale
    average = Fraction(average_of(total, count=len(units)))
    assert abs(average - Fraction(sum(units), scale * len(units))) <= abs(average) * Fraction(1, 10**14)
