"""The grammar of row filters, parsed to plain values. The current date is an argument."""
from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from shared.user_messages import Message, declare
from tables.column_types import DEFAULT_TYPE, ColumnSpec, TableShape, ValueFault, did_you_mean, get_column_type
from tables.column_types.operators import get_operator
from tables.exceptions import Fault, Invalid, Malformed
from tables.operations.body_reader import UNKNOWN_PART
from tables.operations.queries.sorts import unknown_column

MAX_CONDITIONS = 50
MAX_CHOICES = 1_000
# As many invalid values of a list are reported.
MAX_NAMED = 20
MAX_DAYS = 36_525
FIELDS = ("column", "op", "value")
GRAMMAR = declare(
    "filter_grammar",
    'A filter is {"and": [condition or {"or": [conditions]}]}, a condition {"column": …, "op": …, "value": …}.',
)
AND_NOT_A_LIST = declare("and_not_a_list", "“and” takes a list. {grammar}")
OR_NOT_A_LIST = declare("or_not_a_list", "“or” takes a list of at least one condition. {grammar}")
NESTED = declare("nested_conditions", "“{field}” cannot be inside “and” or “or” here. {grammar}")
TOO_MANY_CONDITIONS = declare("too_many_conditions", "A filter can have at most {count} conditions.")
FIELD_NEEDED = declare("field_needed", "A condition needs “{field}” as a text.")
UNKNOWN_OPERATOR = declare("unknown_operator", "Operators for {type} columns: {operators}.{hint}")
NEEDLESS_VALUE = declare("needless_value", "“{operator}” takes no value.")
NOT_A_COUNT_OF_DAYS = declare("not_a_count_of_days", "“{operator}” takes a whole number of days between 1 and {most}.")
NOT_A_PAIR = declare("not_a_pair", "“between” takes a list of two values, the lower one first.")
NOT_A_LIST_OF_OPTIONS = declare("not_a_list_of_options", "“{operator}” takes a list of one to {most} options.")
VALUE_NEEDED = declare("value_needed", "“{operator}” needs a value. Use “empty” to find empty cells.")


@dataclass(frozen=True)
class Condition:
    """A test of one cell. `value` is in stored form (a tuple for several).

    `people` is the user who reads the rows, for the operator `is_me`. `bounds` are the lowest and the highest stored
    value that relative days, or a day in a column with times, mean.
    """

    column_id: str
    type: str
    op: str
    value: Any = None
    bounds: tuple[str, str] | None = None
    people: tuple[int, ...] = ()

    def as_json(self, *, fixed: bool = False) -> dict[str, Any]:
        """Return the form it was read from, by column id; `fixed` replaces days of the user by their bounds."""
        if fixed and self.bounds:
            if get_operator(self.op).is_relative or self.op == "between":
                return {"column": self.column_id, "op": "between", "value": list(self.bounds)}
            return {"column": self.column_id, "op": self.op, "value": "/".join(self.bounds)}
        condition = {"column": self.column_id, "op": self.op}
        if get_operator(self.op).operand == "nothing":
            return condition
        return {**condition, "value": list(self.value) if isinstance(self.value, tuple) else self.value}


@dataclass(frozen=True)
class AnyOf:
    """Conditions of which at least one must hold."""

    conditions: tuple[Condition, ...]

    def as_json(self, *, fixed: bool = False) -> dict[str, Any]:
        """Return the JSON form; a single condition needs no "or"."""
        conditions = [condition.as_json(fixed=fixed) for condition in self.conditions]
        return conditions[0] if len(conditions) == 1 else {"or": conditions}


@dataclass(frozen=True)
class Filter:
    """Clauses that must all hold. A filter without clauses is false and matches every row."""

    clauses: tuple[AnyOf, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses)

    def as_json(self, *, fixed: bool = False) -> dict[str, Any]:
        """Return the JSON form that `parse_filter` reads."""
        return {"and": [clause.as_json(fixed=fixed) for clause in self.clauses]}

    @property
    def column_ids(self) -> set[str]:
        """The columns of the conditions."""
        return {condition.column_id for clause in self.clauses for condition in clause.conditions}

    def without_choice(self, column_id: str) -> Filter:
        """Return the filter without the first clause that is only a condition of the filter bar on this column."""
        for index, clause in enumerate(self.clauses):
            first, *others = clause.conditions
            is_choice = first.op == get_column_type(first.type).click_operator
            if not others and is_choice and first.column_id == column_id:
                return Filter(self.clauses[:index] + self.clauses[index + 1 :])
        return self


def parse_filter(raw: Any, *, shape: TableShape, today: date, path: str = "filter") -> Filter:
    """Return the filter in a parsed JSON value. None, {} and [] match every row. Columns by id or name.

    Raises Malformed if the form is wrong, Invalid if a column, an operator or a value does not fit; both list all
    faults with their paths.
    """
    reading = _FilterReader(shape=shape, today=today)
    clauses = reading.clauses(raw, path=path)
    if reading.malformed:
        raise Malformed(reading.malformed[0].message, faults=(*reading.malformed, *reading.invalid))
    if reading.invalid:
        raise Invalid(reading.invalid[0].message, faults=tuple(reading.invalid))
    return Filter(clauses=clauses)


class _FilterReader:
    """Reads a raw filter and continues after a fault, so that all faults are reported at once."""

    def __init__(self, *, shape: TableShape, today: date) -> None:
        self.shape = shape
        self.today = today
        self.count = 0
        self.malformed: list[Fault] = []
        self.invalid: list[Fault] = []

    def clauses(self, raw: Any, *, path: str) -> tuple[AnyOf, ...]:
        if raw is None or raw in ({}, []):
            return ()
        if isinstance(raw, dict) and "and" in raw:
            self._only(raw, ("and",), path=path)
            raw, path = raw["and"], f"{path}.and"
            if not isinstance(raw, list):
                self._malformed(path, "not_a_list", AND_NOT_A_LIST(grammar=GRAMMAR()))
                return ()
        items = [(item, f"{path}[{i}]") for i, item in enumerate(raw)] if isinstance(raw, list) else [(raw, path)]
        return tuple(AnyOf(conditions=found) for item, where in items if (found := self._clause(item, path=where)))

    def _clause(self, raw: Any, *, path: str) -> tuple[Condition, ...]:
        if isinstance(raw, dict) and "or" in raw:
            self._only(raw, ("or",), path=path)
            if not isinstance(raw["or"], list) or not raw["or"]:
                code = "empty" if raw["or"] == [] else "not_a_list"
                self._malformed(f"{path}.or", code, OR_NOT_A_LIST(grammar=GRAMMAR()))
                return ()
            found = [self._condition(item, path=f"{path}.or[{i}]") for i, item in enumerate(raw["or"])]
        else:
            found = [self._condition(raw, path=path)]
        return tuple(condition for condition in found if condition is not None)

    def _condition(self, raw: Any, *, path: str) -> Condition | None:
        self.count += 1
        if self.count > MAX_CONDITIONS:
            if self.count == MAX_CONDITIONS + 1:
                self._malformed(path, "too_many_conditions", TOO_MANY_CONDITIONS(count=MAX_CONDITIONS))
            return None
        if not isinstance(raw, dict):
            self._malformed(path, "not_a_condition", GRAMMAR())
            return None
        nested = [field for field in ("and", "or") if field in raw]
        for field in nested:
            self._malformed(f"{path}.{field}", "not_a_condition", NESTED(field=field, grammar=GRAMMAR()))
        if nested:
            return None
        self._only(raw, FIELDS, path=path)
        missing = [field for field in ("column", "op") if not isinstance(raw.get(field), str)]
        for field in missing:
            self._malformed(f"{path}.{field}", "missing", FIELD_NEEDED(field=field))
        column = self.shape.column(raw.get("column"))
        if column is None and "column" not in missing:
            self.invalid.append(unknown_column(raw["column"], shape=self.shape, path=f"{path}.column"))
        if column is None or missing:
            return None
        return self._of_column(raw, column=column, path=path)

    def _of_column(self, raw: dict[str, Any], *, column: ColumnSpec, path: str) -> Condition | None:
        op, operators = raw["op"], get_column_type(column.type).operators
        if op not in operators:
            hint = did_you_mean(op, operators, listed=True)
            message = UNKNOWN_OPERATOR(type=column.type, operators=tuple(operators), hint=hint)
            self.invalid.append(Fault(path=f"{path}.op", code="unknown_operator", message=message, value=op))
            return None
        try:
            value = _operand(raw.get("value"), op=op, column=column)
        except ValueFault as fault:
            shown = raw.get("value") if isinstance(raw.get("value"), str | int | float) else None
            self.invalid += [
                Fault(path=f"{path}.value", code=each.code, message=each.message, value=shown) for each in fault.all
            ]
            return None
        bounds = _bounds(value, op=op, column=column, today=self.today)
        me = (column.people.me,) if get_operator(op).is_of_user and column.people.me is not None else ()
        return Condition(column_id=column.id, type=column.type, op=op, value=value, bounds=bounds, people=me)

    def _only(self, raw: dict[str, Any], known: tuple[str, ...], *, path: str) -> None:
        for field in raw:
            if field not in known:
                self._malformed(f"{path}.{field}", "unknown_field", UNKNOWN_PART(hint=did_you_mean(field, known)))

    def _malformed(self, path: str, code: str, message: Message) -> None:
        self.malformed.append(Fault(path=path, code=code, message=message))


def _operand(raw: Any, *, op: str, column: ColumnSpec) -> Any:
    """Return the operand in stored form. Raises ValueFault."""
    takes = get_operator(op).operand
    if takes == "nothing":
        if raw is not None and raw != "":
            raise ValueFault("needless_value", NEEDLESS_VALUE(operator=op))
        return None
    if takes == "days":
        if isinstance(raw, bool) or not isinstance(raw, int) or not 1 <= raw <= MAX_DAYS:
            raise ValueFault("not_a_count", NOT_A_COUNT_OF_DAYS(operator=op, most=MAX_DAYS))
        return raw
    if takes == "pair":
        if not isinstance(raw, list) or len(raw) != 2:
            raise ValueFault("not_a_pair", NOT_A_PAIR())
        return tuple(_single(item, op=op, column=column) for item in raw)
    if takes == "options":
        if not isinstance(raw, list) or not 1 <= len(raw) <= MAX_CHOICES:
            code = "not_a_list" if not isinstance(raw, list) else "too_many" if raw else "empty"
            raise ValueFault(code, NOT_A_LIST_OF_OPTIONS(operator=op, most=MAX_CHOICES))
        return _choices(raw, op=op, column=column)
    return _single(raw, op=op, column=column)


def _bounds(value: Any, *, op: str, column: ColumnSpec, today: date) -> tuple[str, str] | None:
    """Return the stored values that a condition with days means; None if it means its value alone."""
    kind = get_column_type(column.type)
    if get_operator(op).is_relative:
        first, last = relative_day_range(op, today=today, count=1 if value is None else value)
        return kind.bounds(first.isoformat(), column)[0], kind.bounds(last.isoformat(), column)[1]
    if not kind.has_times(column) or get_operator(op).operand not in ("value", "pair"):
        return None
    low, high = value if isinstance(value, tuple) else (value, value)
    bounds = kind.bounds(low, column)[0], kind.bounds(high, column)[1]
    return None if bounds == (low, high) else bounds


def _single(raw: Any, *, op: str, column: ColumnSpec) -> Any:
    # A part of a value, such as “@navy” of an address, is not checked as a value of the type.
    takes = get_operator(op).operand
    kind = get_column_type(DEFAULT_TYPE if takes == "part" else column.type)
    return _given(kind.operand(raw, column), op=op)


def _choices(raw: Sequence[Any], *, op: str, column: ColumnSpec) -> tuple[Any, ...]:
    """Return the values of a list without doubles. Raises ValueFault with the faults of all values."""
    found: dict[Any, None] = {}
    faults: list[ValueFault] = []
    for item in raw:
        try:
            found[_given(get_column_type(column.type).cast_choice(item, column), op=op)] = None
        except ValueFault as fault:
            faults.append(fault)
            if len(faults) == MAX_NAMED:
                break
    if faults:
        raise ValueFault.of_all(faults)
    return tuple(found)


def _given(value: Any, *, op: str) -> Any:
    if value is None:
        raise ValueFault("value_needed", VALUE_NEEDED(operator=op))
    return value


def relative_day_range(operator: str, *, today: date, count: int = 1) -> tuple[date, date]:
    """Return the first and the last day of a relative range; weeks start on Monday, today is one of the n days."""
    if operator == "this_week":
        monday = _shift(today, days=-today.weekday())
        return monday, _shift(today, days=6 - today.weekday())
    if operator == "this_month":
        return today.replace(day=1), today.replace(day=monthrange(today.year, today.month)[1])
    if operator == "last_n_days":
        return _shift(today, days=1 - count), today
    if operator == "next_n_days":
        return today, _shift(today, days=count - 1)
    return today, today


def _shift(day: date, *, days: int) -> date:
    """Return a day that many days later, limited to the range of the calendar."""
    return date.fromordinal(min(max(day.toordinal() + days, date.min.toordinal()), date.max.toordinal()))
