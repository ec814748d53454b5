"""Rows joined with the elements of their lists, so that they can be grouped and counted by element."""
from __future__ import annotations

from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL

from tables.models import Row
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import Sql


class _Elements:
    """A table in the FROM clause of a query: the elements of the list in a cell of each row."""

    join_type = None
    parent_alias = None
    filtered_relation = None
    nullable = True

    def __init__(self, alias: str, table: Sql) -> None:
        self.table_alias, self.table_name, self._table = alias, alias, table

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return f"CROSS JOIN {self._table.text}", self._table.params


def with_elements(rows: QuerySet[Row], *, column_id: str, alias: str) -> QuerySet[Row]:
    """Return a row for each element of the list in this column, one for an empty cell. `alias` is a constant."""
    joined = rows.all()
    # The table of rows comes first.
    joined.query.get_initial_alias()
    joined.query.alias_map[alias] = _Elements(alias, dialect().elements(column_id, alias=alias))  # type: ignore[assignment]  # Django has no class for such tables
    joined.query.alias_refcount[alias] = 1
    return joined


def element_of(alias: str) -> RawSQL:
    """Return the element in a row of `with_elements`; NULL for an empty cell."""
    return RawSQL(f"{alias}.value", (), output_field=TextField())
