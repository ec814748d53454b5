"""The table that a row or a column belongs to, among the tables a user may view: for links to them."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tables.models import Column, Row
from tables.selectors.access import tables_of


def viewable_tables(user: Any, table_ids: Collection[int]) -> set[int]:
    """Return those of these tables that the user may view, in one query; trashed ones are left out."""
    return set(tables_of(user).filter(pk__in=table_ids).values_list("pk", flat=True))


def tables_of_rows(user: Any, row_ids: Collection[int]) -> dict[int, int]:
    """Return row id → table id, in one query. A deleted row has its table as long as it can be restored."""
    rows = Row.objects.filter(pk__in=row_ids, table__in=tables_of(user).values("pk"))
    return dict(rows.values_list("pk", "table_id"))


def tables_of_columns(user: Any, column_ids: Collection[str]) -> dict[str, int]:
    """Return column id → table id, in one query."""
    columns = Column.objects.filter(pk__in=column_ids, table__in=tables_of(user).values("pk"))
    return dict(columns.values_list("pk", "table_id"))
