"""Faults against a JSON Schema are sentences with paths, few and short."""
from __future__ import annotations

from typing import Any

import pytest

from chat.json_schema import LONGEST_FAULT, MOST_FAULTS, faults_of

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
def test_a_fault_names_the_path_and_what_is_wrong(value: Any, faults: tuple[str, ...]) -> None:
    assert faults_of(value, ROWS) == faults


def test_of_many_faults_the_first_few_are_told() -> None:
    assert len(faults_of({"rows": [1] * 100}, ROWS)) == MOST_FAULTS


def test_a_fault_does_not_repeat_a_long_value() -> None:
    [fault] = faults_of({"rows": [{"n": "x" * 10_000}]}, ROWS)
    assert len(fault) == LONGEST_FAULT
