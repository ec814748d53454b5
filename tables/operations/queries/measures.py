"""Aggregates and grouping of rows, parsed to plain values, independent of the database."""
from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from shared.user_messages import declare
from shared.user_messages.request_messages import FIELD_MISSING
from tables.column_types import ColumnSpec, TableShape, did_you_mean, get_column_type
from tables.column_types.number_values import normal_number
from tables.operations.body_reader import ONE_OF, UNKNOWN_PART, Form
from tables.operations.queries.sorts import COLUMN_NAMED_TWICE, unknown_column

COLUMN_NEEDED = declare("column_needed", "“{function}” needs a column.")
NOT_COMPUTABLE = declare("not_computable", "“{function}” cannot be computed for a {type} column.")
NO_DAYS = declare("no_days", "Only dates can be grouped by {part}; this column is of type {type}.")
NOT_A_LIST_OF_OBJECTS = declare("not_a_list_of_objects", "This must be a list of at most {count} objects.")
FUNCTIONS = ("count", "sum", "average", "min", "max", "median")
DATE_PARTS = ("value", "day", "month", "year")
# Orders of groups: by their values, or by the first measure.
ORDERS = ("group", "largest", "smallest")
MAX_MEASURES = 20
MAX_GROUP_KEYS = 3
# Allowed values of `ColumnType.comparison` by function.
FUNCTION_COMPARISONS = {
    **dict.fromkeys(("sum", "average", "median"), ("number",)), **dict.fromkeys(("min", "max"), ("number", "exact")),
}  # fmt: skip
# Codes of well-formed measures and groups that do not fit the table.
INVALID_CODES = {"unknown_column", "doubled_column", "not_computable", "not_a_date"}
# Digits of the largest and the smallest double, and of the number of rows.
EXACT = Context(prec=700)
# All decimal numbers of 15 digits are different doubles.
FIFTEEN_DIGITS = Context(prec=15, rounding=ROUND_HALF_UP)


@dataclass(frozen=True)
class Measure:
    """`count` of rows (without column) or of filled cells; the other functions are of filled cells."""

    function: str
    column_id: str | None = None


@dataclass(frozen=True)
class GroupKey:
    """Groups rows by the value of a column, or by the day, month or year of a date.

    Those of moments are in the time zone of the user.
    """

    column_id: str
    part: str = "value"


def parse_measures(raw: Any, *, shape: TableShape, path: str = "measures") -> tuple[Measure, ...]:
    """Return the measures of `[{"function": "sum", "column": "Amount"}]`; the default is the count of rows.

    Raises Malformed and Invalid with all faults and their paths.
    """
    if raw is None or raw == []:
        return (Measure("count"),)
    form = _form()
    items = _listed(raw, path=path, most=MAX_MEASURES, form=form)
    measures = [_measure(item, shape=shape, path=where, form=form) for item, where in items]
    form.refuse()
    return tuple(measures)


def parse_groups(raw: Any, *, shape: TableShape, path: str = "group_by") -> tuple[GroupKey, ...]:
    """Return the keys of `[{"column": "Status"}, {"column": "Due", "by": "month"}]`, each of another column.

    Raises Malformed and Invalid with all faults and their paths.
    """
    if raw is None or raw == []:
        return ()
    form = _form()
    keys: list[GroupKey] = []
    for item, where in _listed(raw, path=path, most=MAX_GROUP_KEYS, form=form):
        key = _key(item, shape=shape, path=where, form=form)
        if key and any(key.column_id == other.column_id for other in keys):
            form.fault(path=f"{where}.column", code="doubled_column", message=COLUMN_NAMED_TWICE())
        keys += [key] if key else []
    form.refuse()
    return tuple(keys)


def sum_of(total: Decimal) -> int | float | None:
    """Return an exact sum as a number, the nearest one where doubles have fewer digits; None beyond their range."""
    number = float(total)
    return normal_number(number) if math.isfinite(number) else None


def average_of(total: Decimal, *, count: int) -> int | float:
    """Return the average of numbers with this exact sum, rounded to 15 significant digits."""
    return normal_number(float(FIFTEEN_DIGITS.divide(total, Decimal(count))))


def median_of(low: float, high: float) -> int | float:
    """Return the middle of the two middle numbers, rounded to 15 significant digits if they are different."""
    if low == high:
        return normal_number(low)
    return average_of(EXACT.add(Decimal(repr(low)), Decimal(repr(high))), count=2)


def _form() -> Form:
    return Form(invalid_codes=set(INVALID_CODES))


def _measure(item: dict[str, Any], *, shape: TableShape, path: str, form: Form) -> Measure:
    _only(item, ("function", "column"), path=path, form=form)
    function = _word(item.get("function"), allowed=FUNCTIONS, path=f"{path}.function", form=form)
    if item.get("column") is None:
        if function not in ("count", ""):
            form.fault(path=f"{path}.column", code="missing", message=COLUMN_NEEDED(function=function))
        return Measure(function)
    column = _column(item["column"], shape=shape, path=f"{path}.column", form=form)
    if column is None:
        return Measure(function)
    allowed = FUNCTION_COMPARISONS.get(function)
    if allowed and get_column_type(column.type).comparison not in allowed:
        message = NOT_COMPUTABLE(function=function, type=column.type)
        form.fault(path=f"{path}.function", code="not_computable", message=message)
    return Measure(function, column.id)


def _key(item: dict[str, Any], *, shape: TableShape, path: str, form: Form) -> GroupKey | None:
    _only(item, ("column", "by"), path=path, form=form)
    column = _column(item.get("column"), shape=shape, path=f"{path}.column", form=form)
    part = _word(item.get("by") or "value", allowed=DATE_PARTS, path=f"{path}.by", form=form)
    if column is None:
        return None
    if part in DATE_PARTS and part != "value" and not get_column_type(column.type).has_days:
        form.fault(path=f"{path}.by", code="not_a_date", message=NO_DAYS(part=part, type=column.type))
    return GroupKey(column.id, part)


def _listed(raw: Any, *, path: str, most: int, form: Form) -> list[tuple[dict[str, Any], str]]:
    if not isinstance(raw, list) or len(raw) > most or not all(isinstance(item, dict) for item in raw):
        code = "too_many" if isinstance(raw, list) and len(raw) > most else "not_a_list"
        form.fault(path=path, code=code, message=NOT_A_LIST_OF_OBJECTS(count=most))
        return []
    return [(item, f"{path}[{index}]") for index, item in enumerate(raw)]


def _column(ref: Any, *, shape: TableShape, path: str, form: Form) -> ColumnSpec | None:
    column = shape.column(ref) if isinstance(ref, str) else None
    if ref is None:
        form.fault(path=path, code="missing", message=FIELD_MISSING(name="column"))
    elif column is None:
        form.faults.append(unknown_column(ref, shape=shape, path=path))
    return column


def _word(value: Any, *, allowed: Collection[str], path: str, form: Form) -> str:
    """Return one of these words, or "" and the fault that names the nearest one."""
    if isinstance(value, str) and value in allowed:
        return value
    if value is None:
        form.fault(path=path, code="missing", message=FIELD_MISSING(name=path.rpartition(".")[2]))
        return ""
    message = ONE_OF(names=tuple(allowed), hint=did_you_mean(value, allowed, listed=True))
    form.fault(path=path, code="unknown_value", message=message)
    return ""


def _only(item: dict[str, Any], known: Collection[str], *, path: str, form: Form) -> None:
    for field in item:
        if field not in known:
            hint = form.hint(field, names=known)
            form.fault(path=f"{path}.{field[:100]}", code="unknown_field", message=UNKNOWN_PART(hint=hint))
