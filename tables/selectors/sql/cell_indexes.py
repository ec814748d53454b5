"""Indexes on cells of large tables: names, expressions, and SQL that SQLite's planner can match with them.

SQLite uses an index on an expression only for the same expression, compared before parameters have values. Therefore
indexed cells have literals in place of parameters: column ids, which only this code generates, and quoted options.

Indexes contain built-in functions only, so that other programs can write the file. No built-in function folds case
outside of ASCII. Therefore each row stores the folded form of those texts for which `lower` differs from it
(`Row.folded_cells`), and an index has the stored form, or that of `lower`. Compared with a stored key for every text,
this adds 2 bytes to most rows instead of the length of their texts, and a few hundred nanoseconds to their writing.
"""
from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Sequence

from django.db import connection

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.column_types.operators import get_operator
from tables.models import Row, Table
from tables.operations.queries.filters import Condition, Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors.sql.conditions import MIN_REPEATED, index_cell
from tables.selectors.sql.dialects import Dialect, Sqlite, dialect
from tables.selectors.sql.expressions import Sql, row_column, row_is_live

# Number of rows from which a table has indexes on cells.
LARGE = 10_000
PREFIX = "cells_"
# More options would make the expression, which is computed for each row that is written, slow.
MAX_INDEXED_OPTIONS = 100
ASCENDING, DESCENDING = "ASC NULLS LAST", "DESC NULLS LAST"
_COLUMN_ID = re.compile(r"[A-Za-z0-9_]+")


def index_name(column_id: str, cell: Sql, *, order: str) -> str:
    """Return the name of the index on this expression, which differs for another type and for other options."""
    return f"{PREFIX}{column_id}_{zlib.crc32(repr((cell.text, cell.params, order)).encode()):08x}"


def can_be_literal(column: ColumnSpec) -> bool:
    """Return whether an index of SQLite can have the cells of the column."""
    return bool(_COLUMN_ID.fullmatch(column.id)) and len(column.choices) <= MAX_INDEXED_OPTIONS


def reading_dialect(*tables: Table) -> Dialect:
    """Return the dialect for reading the rows of these tables, which on SQLite depends on their indexes."""
    # Positions are never reused, so a table has at most as many rows as this.
    if connection.vendor != "sqlite" or all(table.next_position < LARGE for table in tables):
        return dialect()
    names = sqlite_index_names()
    return IndexedSqlite(names) if names else dialect()


def sqlite_index_names() -> list[str]:
    """Return the names of the indexes on cells that the database file has."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = %s AND substr(name, 1, %s) = %s",
            [Row._meta.db_table, len(PREFIX), PREFIX],
        )
        return [name for (name,) in cursor.fetchall()]


def live_rows_of(table: Table, *, read: Dialect) -> Sql:
    """Test whether a row belongs to this table and is not deleted, as the partial indexes do."""
    if not isinstance(read, IndexedSqlite):
        return row_is_live(table)
    return Sql(f"{row_column('table_id').text} = {int(table.pk)} AND {row_column('deleted_at').text} IS NULL")


class LiteralSqlite(Sqlite):
    """SQLite without parameters in cells. `prefix` is the name of the table, which an index must leave out."""

    def __init__(self, prefix: str = "") -> None:
        super().__init__(f'{prefix}"data"')
        self._folded_cells = f'{prefix}"folded_cells"'

    def path(self, column_id: str) -> Sql:
        if not _COLUMN_ID.fullmatch(column_id):
            raise ValueError(f"not an id of a column: {column_id!r}")
        return Sql(f"""'$."{column_id}"'""")

    def folded(self, column_id: str) -> Sql:
        stored = f"json_extract({self._folded_cells}, {self.path(column_id).text})"
        return Sql(f"coalesce({stored}, lower({self.plain(column_id).text}))")

    def option_index(self, column_id: str, options: Sequence[str]) -> Sql:
        cases = " ".join(f"WHEN {_quoted(option)} THEN {index}" for index, option in enumerate(options))
        return Sql(f"CASE {self.plain(column_id).text} {cases} END") if cases else Sql("NULL")

    def _index_of_person(self, column_id: str, people: Sequence[int]) -> Sql:
        cases = " ".join(f"WHEN {int(each)} THEN {index}" for index, each in enumerate(people))
        return Sql(f"CASE {self.plain(column_id).text} {cases} END") if cases else Sql("NULL")


class IndexedSqlite(LiteralSqlite):
    """SQLite with the expressions of these indexes, and parameters in all other cells."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__(f"{connection.ops.quote_name(Row._meta.db_table)}.")
        self._names = frozenset(names)
        self._columns = {name.removeprefix(PREFIX).rpartition("_")[0] for name in names}
        self._of_index = LiteralSqlite()

    def path(self, column_id: str) -> Sql:
        return super().path(column_id) if column_id in self._columns else Sqlite.path(self, column_id)

    def folded(self, column_id: str) -> Sql:
        if column_id not in self._columns:
            return Sqlite.folded(self, column_id)
        # Rows have folded cells from the first index on texts of the column on.
        is_indexed = self._has(column_id, self._of_index.folded(column_id))
        return super().folded(column_id) if is_indexed else Sqlite.folded(self, column_id)

    def option_index(self, column_id: str, options: Sequence[str]) -> Sql:
        if column_id not in self._columns or len(options) > MAX_INDEXED_OPTIONS:
            return Sqlite.option_index(self, column_id, options)
        return super().option_index(column_id, options)

    def _index_of_person(self, column_id: str, people: Sequence[int]) -> Sql:
        if column_id not in self._columns or len(people) > MAX_INDEXED_OPTIONS:
            return Sqlite._index_of_person(self, column_id, people)
        return super()._index_of_person(column_id, people)

    def order_is_indexed(self, sort: Sequence[SortKey], *, shape: TableShape) -> bool:
        """Return whether an index has the rows in the order of the first key; the others only break ties."""
        column = shape.column(sort[0].column_id) if sort else None
        if column is None or column.id not in self._columns or not can_be_literal(column):
            return False
        cell = index_cell(column, sorted_by=True, read=self._of_index)
        return cell is not None and self._has(column.id, cell)

    def tests_are_indexed(self, filter: Filter) -> bool:  # noqa: A002
        """Return whether each tested cell has an index with statistics."""
        return all(self._is_indexed(condition) for clause in filter.clauses for condition in clause.conditions)

    def is_selective(self, filter: Filter) -> bool:  # noqa: A002
        """Return whether the rows of a condition are a range of an index."""
        # More conditions may be tested in a subquery, without an index.
        single = [clause.conditions[0] for clause in filter.clauses if len(clause.conditions) == 1]
        return len(filter.clauses) <= MIN_REPEATED and any(
            get_operator(condition.op).finds_range and self._is_indexed(condition) for condition in single
        )

    def index_of(self, condition: Condition) -> str | None:
        """Return the quoted name of the index on the cells that a condition tests, if there is one."""
        if not self._is_indexed(condition):
            return None
        column = ColumnSpec(id=condition.column_id, name="", type=condition.type)
        cell = index_cell(column, sorted_by=False, read=self._of_index)
        return None if cell is None else connection.ops.quote_name(index_name(column.id, cell, order=ASCENDING))

    def _is_indexed(self, condition: Condition) -> bool:
        if condition.column_id not in self._columns or get_operator(condition.op).operand == "part":
            return False
        column = ColumnSpec(id=condition.column_id, name="", type=condition.type)
        if get_column_type(condition.type).comparison == "raw":
            return False
        cell = index_cell(column, sorted_by=False, read=self._of_index)
        return cell is not None and self._has(column.id, cell)

    def _has(self, column_id: str, cell: Sql) -> bool:
        return index_name(column_id, cell, order=ASCENDING) in self._names


def _quoted(text: str) -> str:
    # The statement has parameters, so a percent sign is doubled.
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"
