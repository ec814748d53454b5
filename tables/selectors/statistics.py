"""Counts and ranges of a table's columns, computed by the database in a fixed number of statements."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, FloatField, IntegerField, Max, Min, QuerySet, Sum, TextField, Value
from django.db.models.expressions import RawSQL

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.models import Row, Table
from tables.operations.filters import Filter
from tables.selectors.conditions import among_ids, comparable, words_of
from tables.selectors.costs import is_costly, refuse_costly
from tables.selectors.dialects import Sql, dialect
from tables.selectors.rows import count_rows, live_rows
from tables.selectors.tables import table_shape

# SQLite joins at most 500 selects and returns at most 2,000 values a statement, PostgreSQL 1,664.
COLUMNS_AT_ONCE = 100
# Looking up more rows by their ids takes longer than testing the filter again.
MAX_IDS = 20_000


def column_stats(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
) -> dict[str, Any]:
    """`{"row_count": n, "columns": {column id: {"empty": n, "counts": {value: n}} or {…, "min", "max"}}}`.

    Options are counted in their order, those nobody uses with 0; a boolean's values are "true" and "false".
    """
    shape = shape or table_shape(table)
    rows = _rows_tested_once(table, filter=filter, search=search)
    row_count, columns = None, {}
    for some in _batches(shape.columns):
        summary = rows.aggregate(n=Count("pk"), **_measures(some))
        counts = _option_counts([(column, rows) for column in some if _has_options(column)])
        # The first statement decides, so that the parts belong together as far as one statement can see.
        row_count = summary["n"] if row_count is None else row_count
        for index, column in enumerate(some):
            columns[column.id] = _of_column(column, index=index, summary=summary, counts=counts.get(column.id, {}))
    return {"row_count": rows.count() if row_count is None else row_count, "columns": columns}


def empty_cells(table: Table, *, shape: TableShape, columns: Sequence[str]) -> dict[str, int]:
    """How many rows have no value in each of these columns (ids), in one pass within the database.

    In a column that the table does not have yet no row has one.
    """
    known = {column.id: column for column in shape.columns}
    counts = dict.fromkeys(columns, count_rows(table) if any(each not in known for each in columns) else 0)
    read = dialect()
    for some in _batches([known[each] for each in columns if each in known]):
        filled = {f"filled_{index}": Count(_raw(read.plain(column.id))) for index, column in enumerate(some)}
        summary = live_rows(table).aggregate(n=Count("pk"), **filled)
        counts |= {column.id: summary["n"] - summary[f"filled_{index}"] for index, column in enumerate(some)}
    return counts


def choice_counts(
    table: Table,
    *,
    columns: Sequence[ColumnSpec],
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
) -> dict[str, dict[str, int]]:
    """`{column id: {option: n}}`: how many rows each option would leave, if it were what is chosen of its column.

    What the filter says of that choice now is left out of account; columns without options are passed over.
    """
    counts: dict[str, dict[str, int]] = {}
    with_options = [column for column in columns if _has_options(column)]
    filters = {column.id: filter.without_choice(column.id) if filter else None for column in with_options}
    refuse_costly(table, [each for each in filters.values() if each])
    rows = {each: _rows_tested_once(table, filter=each, search=search) for each in dict.fromkeys(filters.values())}
    for some in _batches(with_options):
        found = _option_counts([(column, rows[filters[column.id]]) for column in some])
        for column in some:
            counts[column.id] = {option: found.get(column.id, {}).get(option, 0) for option in column.options}
    return counts


def _rows_tested_once(table: Table, *, filter: Filter | None, search: str) -> QuerySet[Row]:  # noqa: A002  as everywhere
    """Return the rows that pass; few rows by their ids, where several statements would each test a costly filter."""
    rows = live_rows(table, filter=filter, search=search)
    if is_costly(table, [filter] if filter else [], words=len(words_of(search))):
        ids = list(rows.values_list("pk", flat=True)[: MAX_IDS + 1])
        if len(ids) <= MAX_IDS:
            return live_rows(table).filter(among_ids(ids))
    return rows


def _batches(columns: Sequence[ColumnSpec]) -> Iterator[Sequence[ColumnSpec]]:
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        yield columns[start : start + COLUMNS_AT_ONCE]


def _measures(columns: Sequence[ColumnSpec]) -> dict[str, Any]:
    """What one pass over the rows finds out; names are made of the column's place, never of anything written."""
    read = dialect()
    measures: dict[str, Any] = {}
    for index, column in enumerate(columns):
        comparison = get_column_type(column.type).comparison
        measures[f"filled_{index}"] = Count(_raw(read.plain(column.id)))
        cell = comparable(column, read=read)
        if comparison == "boolean":
            measures[f"true_{index}"] = Sum(RawSQL(cell.text, cell.params, output_field=IntegerField()))
        elif comparison == "number":
            number = RawSQL(cell.text, cell.params, output_field=FloatField())
            measures |= {f"min_{index}": Min(number), f"max_{index}": Max(number)}
        elif comparison == "exact":
            measures |= {f"min_{index}": Min(_raw(cell)), f"max_{index}": Max(_raw(cell))}
    return measures


def _has_options(column: ColumnSpec) -> bool:
    return get_column_type(column.type).comparison == "option"


def _option_counts(asked: Sequence[tuple[ColumnSpec, QuerySet[Row]]]) -> dict[str, dict[str, int]]:
    """How often each option occurs, of each column in rows of its own, all in one statement."""
    read, parts = dialect(), []
    for index, (column, rows) in enumerate(asked):
        value = _raw(read.plain(column.id))
        grouped = rows.annotate(place=Value(index), value=value).values_list("place", "value").order_by()
        parts.append(grouped.annotate(n=Count("pk")))
    found: dict[str, dict[str, int]] = {}
    if parts:
        for place, value, n in parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]:
            if value is not None:
                found.setdefault(asked[place][0].id, {})[value] = n
    return found


def _of_column(column: ColumnSpec, *, index: int, summary: dict[str, Any], counts: dict[str, int]) -> dict[str, Any]:
    column_type, filled = get_column_type(column.type), summary[f"filled_{index}"]
    found: dict[str, Any] = {"empty": summary["n"] - filled}
    if column_type.comparison == "option":
        found["counts"] = {option: counts.get(option, 0) for option in column.options}
    elif column_type.comparison == "boolean":
        true = summary[f"true_{index}"] or 0
        found["counts"] = {"true": true, "false": filled - true}
    elif f"min_{index}" in summary:
        found |= {end: column_type.normalise(summary[f"{end}_{index}"]) for end in ("min", "max")}
    return found


def _raw(sql: Sql) -> RawSQL:
    return RawSQL(sql.text, sql.params, output_field=TextField())
