"""Errors of JSON Schema validation are sentences with paths, few and short."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chat.json_schema import MAX_FAULT_LENGTH, MAX_FAULTS, faults_of

ROWS = {
    "type": "object",
    "required": ["rows"],
    "properties": {"rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
}


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"rows": []}, ()),
        ({}, ("'rows' is a required property",)),
        ({"rows": [{}, {"n": "x"}]}, ("rows[1].n: 'x' is not of type 'integer'",)),
        ([], ("[] is not of type 'object'",)),
    ],
)
def test_error_names_the_path_and_the_problem(value: Any, faults: tuple[str, ...]) -> None:
    assert faults_of(value, ROWS) == faults


def test_only_the_first_errors_are_reported() -> None:
    assert len(faults_of({"rows": [1] * 100}, ROWS)) == MAX_FAULTS


def test_error_does_not_repeat_a_long_value() -> None:
    [fault] = faults_of({"rows": [{"n": "x" * 10_000}]}, ROWS)
    assert len(fault) == MAX_FAULT_LENGTH


DIFFERENT = {"type": "array", "uniqueItems": True}
SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text("ab", max_size=2)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2),
    max_leaves=5,
)


@given(st.lists(JSON, max_size=5))
@example([1, True, [1], [True], ["bool", 1], 0, False, 0.0, -0.0])
@example([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}])
def test_equal_items_are_found_like_by_the_library(items: list[Any]) -> None:
    assert bool(faults_of(items, DIFFERENT)) is not Draft202012Validator(DIFFERENT).is_valid(items)


class Counted(int):
    """A number that counts its comparisons."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Counted.times += 1
        return int(self) == other

    __hash__ = int.__hash__


def test_long_list_of_objects_is_not_compared_pairwise() -> None:
    items = [{"at": Counted(number)} for number in range(1_000)]
    assert faults_of(items, DIFFERENT) == ()
    assert Counted.times < 10 * len(items)


def test_number_too_large_to_be_divided_is_an_error() -> None:
    assert faults_of({"n": 10**400}, {"properties": {"n": {"multipleOf": 0.5}}}) == ("A number in it is too large.",)
