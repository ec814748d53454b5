"""Counts, sums, averages, medians, minima and maxima of rows grouped by cells, computed by the database."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Aggregate, Count, FloatField, IntegerField, Max, Min, TextField
from django.db.models.expressions import RawSQL

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.exceptions import Invalid
from tables.models import Table
from tables.operations.queries.filters import Filter
from tables.operations.queries.measures import GroupKey, Measure, average_of, median_of, sum_of
from tables.selectors.rows.reading import live_rows
from tables.selectors.sql.conditions import comparable, plain_cell
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.elements import element_of, with_elements
from tables.selectors.sql.expressions import Sql
from tables.selectors.tables import table_shape

MAX_GROUPS = 10_000
TOO_MANY_GROUPS = declare("too_many_groups", "That would be more than {count:,} groups.")
COLUMN_NO_LONGER_EXISTS = declare("column_no_longer_exists", "This column no longer exists.")
DATE_PREFIX_LENGTHS = {"day": 10, "month": 7, "year": 4}


@dataclass(frozen=True)
class Group:
    """A group of rows: its key values (None: empty), its number of rows, and one value per measure.

    The value of a measure without filled cells is None, except for `count`. A sum beyond the range of doubles is None.
    """

    key: tuple[Any, ...]
    rows: int
    values: tuple[Any, ...]


def aggregate(
    table: Table,
    *,
    shape: TableShape | None = None,
    group_by: Sequence[GroupKey] = (),
    measures: Sequence[Measure] = (Measure("count"),),
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    ids: Sequence[int] | None = None,
) -> list[Group]:
    """Return the groups in the order of their values, empty ones last.

    A row is in the group of each option of a list. Without `group_by`, return one group of all rows. `ids`: only rows
    with these ids. Sums are exact; averages and medians are rounded to 15 significant digits. Options are in their
    order. Raises Invalid for more than 10,000 groups.
    """
    shape = shape or table_shape(table)
    rows = live_rows(table, filter=filter, search=search, ids=ids)
    computed = {"n": Count("pk")}
    for index, measure in enumerate(measures):
        computed |= dict(_expressions(measure, name=f"m{index}", shape=shape))
    if not group_by:
        return [_group(rows.aggregate(**computed), keys=(), measures=measures, shape=shape)]
    for index, key in enumerate(group_by):
        if _has_lists(_column(key.column_id, shape=shape)):
            rows = with_elements(rows, column_id=key.column_id, alias=f"e{index}")
    keys = {f"k{index}": _key_value(key, alias=f"e{index}", shape=shape) for index, key in enumerate(group_by)}
    found = rows.annotate(**keys).values(*keys).annotate(**computed).order_by()[: MAX_GROUPS + 1]
    groups = [_group(row, keys=group_by, measures=measures, shape=shape) for row in found]
    if len(groups) > MAX_GROUPS:
        raise Invalid(TOO_MANY_GROUPS(count=MAX_GROUPS), code="too_many_groups")
    columns = [_column(key.column_id, shape=shape) for key in group_by]
    return sorted(groups, key=lambda group: [_order(v, column=c) for v, c in zip(group.key, columns, strict=True)])


def sort_groups(groups: Sequence[Group], *, order: str) -> list[Group]:
    """Sort groups by the first measure, those without a value last; "group" leaves the order as it is."""
    if order == "group":
        return list(groups)
    filled = [group for group in groups if group.values[0] is not None]
    empty = [group for group in groups if group.values[0] is None]
    return sorted(filled, key=lambda group: group.values[0], reverse=order == "largest") + empty


class ExactSum(Aggregate):
    """The sum of the decimal numbers that doubles are written as, in digits: 0.3 for 0.1 and 0.2."""

    function = "exact_sum"
    name = "ExactSum"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # The text has the digits of a double; without it, PostgreSQL would round to 15.
        return self.as_sql(compiler, connection, template="sum((%(expressions)s)::text::numeric)::text", **context)


class LowMedian(Aggregate):
    """The lower of the two middle numbers, or the middle one."""

    function = "median_low"
    name = "LowMedian"
    output_field = FloatField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template=self.on_postgresql, **context)

    on_postgresql = "percentile_disc(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"


class HighMedian(LowMedian):
    """The higher of the two middle numbers, or the middle one."""

    function = "median_high"
    name = "HighMedian"
    on_postgresql = "percentile_disc(0.5) WITHIN GROUP (ORDER BY %(expressions)s DESC)"


def _expressions(measure: Measure, *, name: str, shape: TableShape) -> Iterator[tuple[str, Any]]:
    """Yield the names and expressions of a measure. Names contain its index, never user input."""
    if measure.column_id is None:
        return
    column, read = _column(measure.column_id, shape=shape), dialect()
    yield f"{name}_n", Count(_text(plain_cell(column, read=read)))
    cell = comparable(column, read=read)
    if measure.function in ("sum", "average"):
        yield f"{name}_sum", ExactSum(_double(cell))
    elif measure.function == "median":
        yield f"{name}_low", LowMedian(_double(cell))
        yield f"{name}_high", HighMedian(_double(cell))
    elif measure.function in ("min", "max"):
        of = _double(cell) if get_column_type(column.type).comparison == "number" else _text(cell)
        yield f"{name}_end", (Min if measure.function == "min" else Max)(of)


def _group(
    found: dict[str, Any], *, keys: Sequence[GroupKey], measures: Sequence[Measure], shape: TableShape
) -> Group:
    key = tuple(_cell(found[f"k{index}"], column=_column(k.column_id, shape=shape)) for index, k in enumerate(keys))
    values = tuple(_value(found, measure=m, name=f"m{index}", shape=shape) for index, m in enumerate(measures))
    return Group(key=key, rows=found["n"], values=values)


def _value(found: dict[str, Any], *, measure: Measure, name: str, shape: TableShape) -> Any:
    if measure.column_id is None:
        return found["n"]
    filled = found[f"{name}_n"]
    if measure.function == "count" or not filled:
        return filled if measure.function == "count" else None
    if measure.function in ("min", "max"):
        return _cell(found[f"{name}_end"], column=_column(measure.column_id, shape=shape))
    if measure.function == "median":
        return median_of(found[f"{name}_low"], found[f"{name}_high"])
    total = Decimal(found[f"{name}_sum"] or 0)
    return average_of(total, count=filled) if measure.function == "average" else sum_of(total)


def _has_lists(column: ColumnSpec) -> bool:
    return get_column_type(column.type).comparison == "options"


def _key_value(key: GroupKey, *, alias: str, shape: TableShape) -> RawSQL:
    column, read = _column(key.column_id, shape=shape), dialect()
    if _has_lists(column):
        return element_of(alias)
    kind = get_column_type(column.type)
    source = kind.source(column.id)
    if kind.comparison == "number":
        return _double(read.number(source))
    if kind.comparison == "boolean":
        boolean = read.boolean(column.id)
        return RawSQL(boolean.text, boolean.params, output_field=IntegerField())
    plain = read.names(source) if kind.comparison == "names" else plain_cell(column, read=read)
    if key.part in DATE_PREFIX_LENGTHS:
        if kind.has_times(column):
            plain = read.local_day(source, zone=str(column.zone))
        return _text(Sql(f"substr({plain.text}, 1, {DATE_PREFIX_LENGTHS[key.part]})", plain.params))
    return _text(plain)


def _cell(value: Any, *, column: ColumnSpec) -> Any:
    """Return a value as a cell of the column would be read."""
    column_type = get_column_type(column.type)
    if value is None:
        return None
    if column_type.comparison == "person":
        return int(value)
    return bool(value) if column_type.comparison == "boolean" else column_type.normalise(value)


def _order(value: Any, *, column: ColumnSpec) -> tuple[Any, ...]:
    """Return the sort key of a group: as in a sort by its column, ties of folded texts in exact order."""
    if value is None:
        return (1,)
    comparison = get_column_type(column.type).comparison
    if comparison in ("option", "options", "person"):
        return (0, column.choices.index(value) if value in column.choices else len(column.choices), value)
    return (0, value.casefold(), value) if comparison in ("folded", "names") else (0, value)


def _column(column_id: str, *, shape: TableShape) -> ColumnSpec:
    column = shape.column(column_id)
    if column is None:
        raise Invalid(COLUMN_NO_LONGER_EXISTS(), code="unknown_column")
    return column


def _double(sql: Sql) -> RawSQL:
    return RawSQL(sql.text, sql.params, output_field=FloatField())


def _text(sql: Sql) -> RawSQL:
    return RawSQL(sql.text, sql.params, output_field=TextField())
