"""Dialects with named cells, for filters with many conditions on the same cells."""
from __future__ import annotations

from django.db import connection

from tables.selectors.sql.dialects import Dialect, Postgres, Sqlite, dialect
from tables.selectors.sql.expressions import Sql


class _NamedCells:
    """Cells with names, so that a subquery computes each once per row for any number of conditions."""

    def __init__(self, read: Dialect) -> None:
        self._read = read
        self._names: dict[Sql, str] = {}

    @property
    def columns(self) -> Sql:
        """Return the select list of the subquery that computes the cells."""
        listed = [Sql(f"{cell.text} AS {name}", cell.params) for cell, name in self._names.items()]
        return Sql.joined(listed, between=", ")

    @property
    def count(self) -> int:
        """Return the number of distinct cells."""
        return len(self._names)

    def plain(self, column_id: str) -> Sql:
        return self._named(self._read.plain(column_id))

    def short(self, column_id: str) -> Sql:
        return self._named(self._read.short(column_id))

    def folded(self, column_id: str) -> Sql:
        return self._named(self._read.folded(column_id))

    def number(self, column_id: str) -> Sql:
        return self._named(self._read.number(column_id))

    def boolean(self, column_id: str) -> Sql:
        return self._named(self._read.boolean(column_id))

    def listed(self, column_id: str) -> Sql:
        return self._named(self._read.listed(column_id))

    def _named(self, cell: Sql) -> Sql:
        return Sql(self._names.setdefault(cell, f"cell_{len(self._names)}"))


class SqliteNamedCells(_NamedCells, Sqlite):
    """Named cells on SQLite."""


class PostgresNamedCells(_NamedCells, Postgres):
    """Named cells on PostgreSQL."""


def named_cells() -> SqliteNamedCells | PostgresNamedCells:
    """Return the dialect with named cells. A subquery must select its `columns`."""
    return SqliteNamedCells(dialect()) if connection.vendor == "sqlite" else PostgresNamedCells(dialect())


def optimization_fence() -> str:
    """Return the end of a subquery that must not be merged into its parent.

    Merged, its columns would be computed repeatedly.
    """
    return "LIMIT -1 OFFSET 0" if connection.vendor == "sqlite" else "OFFSET 0"
