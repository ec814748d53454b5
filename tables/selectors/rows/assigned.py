"""Rows that are assigned to a user: those of all readable tables in which a column of people has this user."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

from shared import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.spec import TYPES_WITH_PEOPLE
from tables.models import Column, Row, Table
from tables.operations import first_value
from tables.operations.queries.filters import AnyOf, Condition, Filter
from tables.selectors.access import tables_of
from tables.selectors.sql.cell_indexes import live_rows_of, reading_dialect
from tables.selectors.sql.conditions import matching
from tables.selectors.sql.dialects import Dialect
from tables.selectors.sql.expressions import Sql, row_column
from tables.selectors.tables import MAX_ID, column_spec

# Tables whose rows one statement reads, and statements of a page. A page may have fewer rows than requested if they
# find too few.
TABLES_PER_QUERY = 20
MAX_QUERIES = 5
LOWEST_POSITION = -(2**63)
ROWS = Row._meta.db_table


class AssignedCursor(NamedTuple):
    """The last row of a page: tables continue in descending order of ids, rows in the order of their table."""

    table_id: int
    position: int = LOWEST_POSITION
    row_id: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))

    @classmethod
    def read(cls, text: str) -> AssignedCursor | None:
        """Return the cursor of a text written by `str`; None for any other text."""
        parts = text.split(".")
        if len(parts) != 3 or any(len(part) > 20 or not _is_whole(part) for part in parts):
            return None
        table_id, position, row_id = map(int, parts)
        is_possible = 0 < table_id <= MAX_ID and abs(position) <= MAX_ID + 1 and 0 <= row_id <= MAX_ID
        return cls(table_id, position, row_id) if is_possible and position <= MAX_ID else None


@dataclass(frozen=True)
class AssignedRow:
    """A row with the columns that have the user.

    `label` is the first column with a value in the row that is stored and does not name people, None if there is none,
    and `value` is its value.
    """

    table: Table
    id: int
    columns: tuple[ColumnSpec, ...]
    label: ColumnSpec | None
    value: Any

    @property
    def name(self) -> str:
        """Return the text of the value, cut if it is long; "" for none."""
        return first_value({self.label.id: self.value}, [self.label]) if self.label else ""


@dataclass(frozen=True)
class AssignedRows:
    """A page of rows, grouped by table, and the cursor of the next one, None for the last page."""

    rows: tuple[AssignedRow, ...]
    next: AssignedCursor | None


def assigned_rows(user: Any, *, after: AssignedCursor | None = None, limit: int = 50) -> AssignedRows:
    """Return the rows of the tables that this user may view in which a column of people has the user.

    Tables that were created last come first. A page takes three queries for each 20 tables that it reads, of
    at most 100.
    """
    max_tables = TABLES_PER_QUERY * MAX_QUERIES
    ids = list(_tables_with_people(user, after=after)[: max_tables + 1])
    found: list[AssignedRow] = []
    last = after
    for start in range(0, min(len(ids), max_tables), TABLES_PER_QUERY):
        tables = _read_tables(ids[start : start + TABLES_PER_QUERY])
        for row, cursor in _read_rows(tables, user=user, after=after, limit=limit + 1 - len(found)):
            if len(found) == limit:
                return AssignedRows(tuple(found), last)
            found.append(row)
            last = cursor
    return AssignedRows(tuple(found), AssignedCursor(ids[max_tables]) if len(ids) > max_tables else None)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _tables_with_people(user: Any, *, after: AssignedCursor | None) -> QuerySet[Column, int]:
    columns = Column.objects.filter(type__in=TYPES_WITH_PEOPLE, table__in=tables_of(user).values("pk"))
    if after is not None:
        columns = columns.filter(table_id__lte=after.table_id)
    return columns.order_by("-table_id").values_list("table_id", flat=True).distinct()


def _read_tables(ids: Sequence[int]) -> list[tuple[Table, list[ColumnSpec]]]:
    """Return these tables in this order, with their columns."""
    tables = Table.objects.prefetch_related("columns").in_bulk(ids)
    found = [tables[each] for each in ids if each in tables]
    return [(table, [column_spec(column) for column in table.columns.all()]) for table in found]


def _read_rows(
    tables: Sequence[tuple[Table, list[ColumnSpec]]], *, user: Any, after: AssignedCursor | None, limit: int
) -> Iterable[tuple[AssignedRow, AssignedCursor]]:
    """Yield the rows of these tables that have the user, in the order of pages, and their cursors; one query."""
    read = reading_dialect(*(table for table, _ in tables))
    parts = [
        _select(nth, table, filter=_names(user, columns), read=read, after=after, limit=limit)
        for nth, (table, columns) in enumerate(tables)
    ]
    if not parts:
        return
    union = Sql.joined(parts, between=" UNION ALL ", around="SELECT * FROM ({}) AS part")
    with connection.cursor() as cursor:
        text = f"SELECT nth, id, position, data FROM ({union.text}) AS rows_of_user ORDER BY nth, position, id LIMIT %s"
        cursor.execute(text, [*union.params, limit])
        found = cursor.fetchall()
    cells = strictjson.loads_stored([data for *_, data in found])
    for (nth, row_id, position, _), data in zip(found, cells, strict=True):
        table, columns = tables[nth]
        row = _row(table, row_id, data=data, columns=columns, user=user)
        yield row, AssignedCursor(table.pk, position, row_id)


def _names(user: Any, columns: Iterable[ColumnSpec]) -> Filter:
    people = (user.pk,)
    named = [column for column in columns if column.has_people]
    return Filter((AnyOf(tuple(Condition(column.id, column.type, "is_me", people=people) for column in named)),))


def _select(
    nth: int,
    table: Table,
    *,
    filter: Filter,  # noqa: A002
    read: Dialect,
    after: AssignedCursor | None,
    limit: int,
) -> Sql:
    """Return the query of the first rows of one table, whose partition the database then finds by its id."""
    conditions = [live_rows_of(table, read=read), matching(filter, read=read)]
    position, pk = row_column("position").text, row_column("id").text
    if after is not None and after.table_id == table.pk:
        conditions.append(Sql(f"({position}, {pk}) > (%s, %s)", (after.position, after.row_id)))
    where = Sql.joined(conditions, between=" AND ", around="({})")
    text = (
        f"SELECT {nth} AS nth, {pk} AS id, {position} AS position, {row_column('data').text} AS data"
        f" FROM {ROWS} WHERE {where.text} ORDER BY {position}, {pk} LIMIT %s"
    )
    return Sql(text, (*where.params, limit))


def _row(table: Table, row_id: int, *, data: dict[str, Any], columns: Sequence[ColumnSpec], user: Any) -> AssignedRow:
    named = tuple(column for column in columns if column.has_people and data.get(column.id) == user.pk)
    labels = [column for column in columns if not column.has_people and not column.is_computed]
    label = next((column for column in labels if data.get(column.id) is not None), None)
    value = None if label is None else get_column_type(label.type).normalise(data[label.id])
    return AssignedRow(table=table, id=row_id, columns=named, label=label, value=value)
