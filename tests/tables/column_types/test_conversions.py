"""Conversion of values when their column changes its type."""
from __future__ import annotations

from typing import Any

import pytest

from tables.column_types import ColumnSpec, ValueFault, get_column_type, type_names


def column(type_name: str) -> ColumnSpec:
    options = ("Done", "To do", "5", "true", "Nein", "2024-03-15") if type_name == "select" else ()
    return ColumnSpec(id="col_aaaaaaaa", name="Cell", type=type_name, options=options)


def convert(value: Any, source: str, target: str) -> Any:
    return get_column_type(target).convert(value, source=column(source), target=column(target))


@pytest.mark.parametrize(
    ("value", "source", "target", "result"),
    [
        (1200, "number", "text", "1200"), (0.1, "number", "text", "0.1"), (True, "boolean", "text", "true"),
        ("2024-03-15", "date", "text", "2024-03-15"), ("Done", "select", "text", "Done"),
        (" x ", "text", "text", " x "),
        ("1,200", "text", "number", 1200), ("yes", "text", "boolean", True),
        ("2024-03-15T10:00", "text", "date", "2024-03-15"),
        ("done", "text", "select", "Done"), (1, "number", "boolean", True), (0, "number", "boolean", False),
        (True, "boolean", "number", 1), (False, "boolean", "number", 0), (5, "number", "select", "5"),
        (True, "boolean", "select", "true"), (False, "boolean", "select", "Nein"),
        ("2024-03-15", "date", "select", "2024-03-15"), ("5", "select", "number", 5),
        ("true", "select", "boolean", True), ("2024-03-15", "select", "date", "2024-03-15"),
        ("Done", "select", "select", "Done"),
        (5, "number", "number", 5),
    ],
)  # fmt: skip
def test_a_value_with_one_meaning_in_the_other_type_is_converted(
    value: Any, source: str, target: str, result: Any
) -> None:
    converted = convert(value, source, target)
    assert (converted, type(converted)) == (result, type(result))


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [
        (2, "number", "boolean"), ("2024-03-15", "date", "number"), ("2024-03-15", "date", "boolean"),
        (20240315, "number", "date"), (True, "boolean", "date"), ("1,5", "text", "number"), ("soon", "text", "date"),
        ("maybe", "text", "boolean"), ("Later", "text", "select"), ("1", "text", "boolean"),
        ("Old", "select", "select"),
    ],
)  # fmt: skip
def test_a_value_without_a_meaning_in_the_other_type_is_refused(value: Any, source: str, target: str) -> None:
    with pytest.raises(ValueFault):
        convert(value, source, target)


@pytest.mark.parametrize("source", type_names())
@pytest.mark.parametrize("target", type_names())
def test_an_empty_cell_stays_empty(source: str, target: str) -> None:
    assert convert(None, source, target) is None
