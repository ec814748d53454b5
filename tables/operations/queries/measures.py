"""Aggregates and grouping of rows, parsed to plain values, independent of the database."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, did_you_mean, get_column_type
from tables.column_types.number import normal_number
from tables.exceptions import Invalid, Malformed
from tables.operations.body_reader import UNKNOWN_PART, read_word
from tables.operations.queries.sorts import unknown_column

COLUMN_NEEDED = declare("column_needed", "“{function}” needs a column.")
NOT_COMPUTABLE = declare("not_computable", "“{function}” cannot be computed for a {type} column.")
NO_DAYS = declare("no_days", "Only dates can be grouped by {part}; this column is of type {type}.")
NOT_A_LIST_OF_OBJECTS = declare("not_a_list_of_objects", "This must be a list of at most {count} objects.")
FUNCTIONS = ("count", "sum", "avg", "min", "max")
DATE_PARTS = ("value", "month", "year")
MAX_MEASURES = 20
MAX_GROUP_KEYS = 3
# Allowed values of `ColumnType.comparison` by function.
FUNCTION_COMPARISONS = {"sum": ("number",), "avg": ("number",), "min": ("number", "exact"), "max": ("number", "exact")}
# Databases add numbers in different orders; the results agree in 12 digits. Rounding in two steps gives the same result
# for sums that differ in the last bit.
ROUNDING_STEPS = (Context(prec=15), Context(prec=12))


@dataclass(frozen=True)
class Measure:
    """`count` of rows (without column) or of filled cells; `sum`, `avg`, `min`, `max` of filled cells."""

    function: str
    column_id: str | None = None


@dataclass(frozen=True)
class GroupKey:
    """Groups rows by the value of a column, or by the month or year of a date."""

    column_id: str
    part: str = "value"


def parse_measures(raw: Any, *, shape: TableShape, path: str = "measures") -> tuple[Measure, ...]:
    """Return the measures of `[{"function": "sum", "column": "Amount"}]`; the default is the count of rows.

    Raises Malformed and Invalid with the path of the first fault.
    """
    if raw is None or raw == []:
        return (Measure("count"),)
    return tuple(
        _measure(item, shape=shape, path=where) for item, where in _listed(raw, path=path, most=MAX_MEASURES)
    )


def parse_groups(raw: Any, *, shape: TableShape, path: str = "group_by") -> tuple[GroupKey, ...]:
    """Return the keys of `[{"column": "Status"}, {"column": "Due", "by": "month"}]`.

    Raises Malformed and Invalid.
    """
    if raw is None or raw == []:
        return ()
    return tuple(_key(item, shape=shape, path=where) for item, where in _listed(raw, path=path, most=MAX_GROUP_KEYS))


def rounded(value: float) -> int | float:
    """Return a computed number rounded to 12 significant digits, as an integer where it is one."""
    for context in ROUNDING_STEPS:
        value = float(context.create_decimal_from_float(value))
    return normal_number(value)


def _measure(item: dict[str, Any], *, shape: TableShape, path: str) -> Measure:
    _only(item, ("function", "column"), path=path)
    function = read_word(item.get("function"), allowed=FUNCTIONS, path=f"{path}.function")
    if item.get("column") is None:
        if function != "count":
            raise Malformed.at(f"{path}.column", COLUMN_NEEDED(function=function), code="missing")
        return Measure("count")
    column = _column(item["column"], shape=shape, path=f"{path}.column")
    if function != "count" and get_column_type(column.type).comparison not in FUNCTION_COMPARISONS[function]:
        message = NOT_COMPUTABLE(function=function, type=column.type)
        raise Invalid.at(f"{path}.function", message, code="not_computable")
    return Measure(function, column.id)


def _key(item: dict[str, Any], *, shape: TableShape, path: str) -> GroupKey:
    _only(item, ("column", "by"), path=path)
    column = _column(item.get("column"), shape=shape, path=f"{path}.column")
    part = read_word(item.get("by") or "value", allowed=DATE_PARTS, path=f"{path}.by")
    if part != "value" and not get_column_type(column.type).has_days:
        raise Invalid.at(f"{path}.by", NO_DAYS(part=part, type=column.type), code="not_a_date")
    return GroupKey(column.id, part)


def _listed(raw: Any, *, path: str, most: int) -> list[tuple[dict[str, Any], str]]:
    if not isinstance(raw, list) or len(raw) > most or not all(isinstance(item, dict) for item in raw):
        raise Malformed.at(path, NOT_A_LIST_OF_OBJECTS(count=most), code="not_a_list")
    return [(item, f"{path}[{index}]") for index, item in enumerate(raw)]


def _column(ref: Any, *, shape: TableShape, path: str) -> ColumnSpec:
    column = shape.column(ref) if isinstance(ref, str) else None
    if column is None:
        fault = unknown_column(ref, shape=shape, path=path)
        raise Invalid(fault.message, faults=(fault,))
    return column


def _only(item: dict[str, Any], known: Sequence[str], *, path: str) -> None:
    for field in item:
        if field not in known:
            hint = did_you_mean(field, known)
            raise Malformed.at(f"{path}.{field}", UNKNOWN_PART(hint=hint), code="unknown_field")
