"""Counts and ranges of columns, computed by the database in a fixed number of queries."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Count, FloatField, IntegerField, Max, Min, QuerySet, Sum, TextField, Value
from django.db.models.expressions import RawSQL

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.models import Row, Table
from tables.operations.queries.filters import Filter
from tables.selectors.rows.costs import is_costly, refuse_costly
from tables.selectors.rows.reading import count_rows, live_rows
from tables.selectors.sql.conditions import among_ids, comparable, plain_cell, words_of
from tables.selectors.sql.dialects import Dialect, dialect
from tables.selectors.sql.elements import element_of, with_elements
from tables.selectors.sql.expressions import Sql, row_column
from tables.selectors.tables import table_shape

# SQLite joins at most 500 selects and returns at most 2,000 values a statement, PostgreSQL 1,664.
COLUMNS_PER_QUERY = 100
# Looking up more rows by their ids takes longer than testing the filter again.
MAX_IDS = 20_000
# As `str.isspace` knows them; what databases trim by default differs.
WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())


def column_stats(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
) -> dict[str, Any]:
    """Return `{"row_count": n, "columns": {column id: statistics}}`.

    The statistics are `{"empty": n, "counts": {value: n}}` or `{"empty": n, "min", "max"}`, by type. Options are
    counted in their order, unused ones with 0. The values of a boolean are "true" and "false".
    """
    shape = shape or table_shape(table)
    rows = _rows_tested_once(table, filter=filter, search=search)
    row_count, columns = None, {}
    for some in _batches(shape.columns):
        summary = rows.aggregate(n=Count("pk"), **_measures(some))
        counts = _option_counts([(column, rows) for column in some if _has_options(column)])
        # The row count of the first query is used throughout, so that the numbers are consistent.
        row_count = summary["n"] if row_count is None else row_count
        for index, column in enumerate(some):
            columns[column.id] = _of_column(column, index=index, summary=summary, counts=counts.get(column.id, {}))
    return {"row_count": rows.count() if row_count is None else row_count, "columns": columns}


def empty_cells(table: Table, *, shape: TableShape, columns: Sequence[ColumnSpec]) -> dict[str, int]:
    """Return the number of rows without a value in each of these columns, by id, in one scan.

    All cells of a column that does not exist yet are empty. Text of only white space is no value, unless it will be
    converted to another type.
    """
    known = {column.id: column for column in shape.columns}
    ids = [column.id for column in columns]
    counts = dict.fromkeys(ids, count_rows(table) if any(each not in known for each in ids) else 0)
    for some in _batches([column for column in columns if column.id in known]):
        filled = {
            f"filled_{index}": Count(_raw(_filled_cell(column, stored=known[column.id])))
            for index, column in enumerate(some)
        }
        summary = live_rows(table).aggregate(n=Count("pk"), **filled)
        counts |= {column.id: summary["n"] - summary[f"filled_{index}"] for index, column in enumerate(some)}
    return counts


def _filled_cell(column: ColumnSpec, *, stored: ColumnSpec) -> Sql:
    """Return the text of a cell that has a value, else NULL."""
    cell = plain_cell(stored, read=dialect())
    if column.type != stored.type or get_column_type(column.type).comparison != "folded":
        return cell
    return Sql(f"NULLIF(TRIM({cell.text}, %s), '')", (*cell.params, WHITE_SPACE))


def choice_counts(
    table: Table,
    *,
    columns: Sequence[ColumnSpec],
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
) -> dict[str, dict[str, int]]:
    """Return `{column id: {option: n}}`: how many rows would match if this option were selected.

    The current selection of the column itself is ignored. People are counted by id as text, also in columns with their
    names. Columns without options and people are skipped.
    """
    counts: dict[str, dict[str, int]] = {}
    with_options = [column for column in columns if _has_options(column) or column.names_people]
    filters = {column.id: filter.without_choice(column.id) if filter else None for column in with_options}
    refuse_costly(table, [each for each in filters.values() if each])
    rows = {each: _rows_tested_once(table, filter=each, search=search) for each in dict.fromkeys(filters.values())}
    for some in _batches(with_options):
        found = _option_counts([(column, rows[filters[column.id]]) for column in some])
        for column in some:
            counts[column.id] = _of_choices(column, counts=found.get(column.id, {}))
    return counts


def _rows_tested_once(table: Table, *, filter: Filter | None, search: str) -> QuerySet[Row]:  # noqa: A002
    """Return the matching rows; by their ids if several queries would repeat a costly filter for few rows."""
    rows = live_rows(table, filter=filter, search=search)
    if is_costly(table, [filter] if filter else [], words=len(words_of(search))):
        ids = list(rows.values_list("pk", flat=True)[: MAX_IDS + 1])
        if len(ids) <= MAX_IDS:
            return live_rows(table).filter(among_ids(ids))
    return rows


def _batches(columns: Sequence[ColumnSpec]) -> Iterator[Sequence[ColumnSpec]]:
    for start in range(0, len(columns), COLUMNS_PER_QUERY):
        yield columns[start : start + COLUMNS_PER_QUERY]


def _measures(columns: Sequence[ColumnSpec]) -> dict[str, Any]:
    """Return the aggregates of one query. Names contain the index of the column, never user input."""
    read = dialect()
    measures: dict[str, Any] = {}
    for index, column in enumerate(columns):
        comparison = get_column_type(column.type).comparison
        measures[f"filled_{index}"] = Count(_raw(plain_cell(column, read=read)))
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
    return get_column_type(column.type).comparison in ("option", "options", "person")


def _option_counts(columns: Sequence[tuple[ColumnSpec, QuerySet[Row]]]) -> dict[str, dict[str, int]]:
    """Return how many rows have each option, for each column in its own rows, in one query."""
    read, parts = dialect(), []
    for index, (column, rows) in enumerate(columns):
        value = _raw(_option(column, read=read))
        if get_column_type(column.type).has_lists:
            rows, value = with_elements(rows, column_id=column.id, alias="e"), element_of("e")
        grouped = rows.annotate(index=Value(index), value=value).values_list("index", "value").order_by()
        parts.append(grouped.annotate(n=Count("pk")))
    found: dict[str, dict[str, int]] = {}
    if parts:
        for index, value, n in parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]:
            if value is not None:
                found.setdefault(columns[index][0].id, {})[str(value)] = n
    return found


def _option(column: ColumnSpec, *, read: Dialect) -> Sql:
    """Return the option or the id of the person in a cell, as text."""
    field = get_column_type(column.type).row_field
    # Names would be looked up for each row.
    return Sql(f"CAST({row_column(f'{field}_id').text} AS text)") if field else read.plain(column.id)


def _of_choices(column: ColumnSpec, *, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of all options; of people, by id as text, those in any row."""
    if column.names_people:
        ordered = [str(each) for each in column.people.ids]
        return {each: counts[each] for each in dict.fromkeys([*ordered, *sorted(counts)]) if each in counts}
    return {option: counts.get(option, 0) for option in column.options}


def _of_column(column: ColumnSpec, *, index: int, summary: dict[str, Any], counts: dict[str, int]) -> dict[str, Any]:
    column_type, filled = get_column_type(column.type), summary[f"filled_{index}"]
    found: dict[str, Any] = {"empty": summary["n"] - filled}
    if _has_options(column):
        found["counts"] = _of_choices(column, counts=counts)
    elif column_type.comparison == "boolean":
        true = summary[f"true_{index}"] or 0
        found["counts"] = {"true": true, "false": filled - true}
    elif f"min_{index}" in summary:
        found |= {end: column_type.normalise(summary[f"{end}_{index}"]) for end in ("min", "max")}
    return found


def _raw(sql: Sql) -> RawSQL:
    return RawSQL(sql.text, sql.params, output_field=TextField())
