"""Tables with indexes on cells, whatever their number of rows (SQLite)."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection
from django.utils import timezone

from tables.models import ColumnUse, Table
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors.sql.cell_indexes import LARGE, sqlite_index_names
from tables.services.cell_indexes import create_sqlite_index, index_of, uses_of


@contextmanager
def indexed(table: Table, *, sort: Sequence[SortKey] = (), filter: Filter | None = None) -> Iterator[Table]:  # noqa: A002
    """Create the indexes for this view of the table and drop them after the block; does nothing on PostgreSQL."""
    if connection.vendor == "sqlite":
        table.next_position = LARGE
        for table_id, column_id, how in uses_of(table, sort=sort, filter=filter):
            use = ColumnUse(table_id=table_id, column_id=column_id, how=how, used_at=timezone.now())
            index = index_of(use, partition="tables_row")
            if index:
                create_sqlite_index(index)
    yield table
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for name in sqlite_index_names():
                cursor.execute(f'DROP INDEX "{name}"')
