"""Stream all rows of a table from one consistent snapshot, on a separate connection."""
from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.column_types.column_type import ColumnType
from tables.models import Table
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors.rows.reading import ROWS, view_conditions
from tables.selectors.sql.computed import computed_cells
from tables.selectors.sql.conditions import ordering
from tables.selectors.sql.expressions import Sql, row_column
from tables.selectors.sql.search_indexes import narrowing

# Rows in memory at the same time.
ROWS_PER_FETCH = 1_000
# The id of a row, and its values in the order of the requested columns; None for empty cells.
ListedRow = tuple[int, list[Any]]


@contextmanager
def snapshot() -> Iterator[None]:
    """Let this thread read the database as of its first query in the block, regardless of later writes.

    Nothing is locked, and nothing can be written. What a surrounding transaction has written is not visible.
    """
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    surrounding = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = own
    try:
        own.ensure_connection()
        if own.vendor == "sqlite":
            # By default, transactions wait for the lock of writers and hold it.
            own.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # only SQLite's has it
        with transaction.atomic():
            if own.vendor == "postgresql":
                with own.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    # Plan for the total time of reading all rows instead of the time to the first row.
                    cursor.execute("SET LOCAL cursor_tuple_fraction = 1")
            yield
    finally:
        own.close()
        connections[DEFAULT_DB_ALIAS] = surrounding


@contextmanager
def streaming_transaction() -> Iterator[None]:
    """Let `iterator()` in the block yield rows as the database finds them.

    Outside of a transaction, PostgreSQL would copy the whole result before the first row.
    """
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        with transaction.atomic():
            yield
    else:
        yield


def stream_rows(
    table: Table,
    *,
    shape: TableShape,
    columns: Sequence[ColumnSpec],
    filter: Filter | None = None,  # noqa: A002
    sort: Sequence[SortKey] = (),
    search: str = "",
) -> Generator[ListedRow, None, None]:
    """Yield all matching rows, in the order of `read_rows`. Must be read, and closed, inside a snapshot.

    Raises Malformed.
    """
    narrowed = narrowing(table, filter, search=search)
    conditions = [*narrowed.of(table), *view_conditions(filter, search=search, table=table)]
    where = Sql.joined(conditions, between=" AND ", around="({})")
    by = Sql.joined(ordering(sort, shape=shape), between=", ")
    # By default, SQLite would sort rows in the order of their hashes, from all over the file. Indexes on cells do not
    # help, because all rows are read, and in their order they are all over the file, too.
    index_hint = " INDEXED BY rows_in_order" if connection.vendor == "sqlite" and not narrowed.condition else ""
    read = Sql.joined([row_column("id"), row_column("data"), *computed_cells(columns)], between=", ")
    statement = f"SELECT {read.text} FROM {ROWS}{index_hint} WHERE {where.text} ORDER BY {by.text}"
    listed = _lister(columns)
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, (*read.params, *where.params, *by.params))
        while part := cursor.fetchmany(ROWS_PER_FETCH):
            for pk, data, *computed in part:
                yield pk, listed(json.loads(data), computed)


def _lister(columns: Sequence[ColumnSpec]) -> Callable[[dict[str, Any], Sequence[Any]], list[Any]]:
    """Return a function that normalizes stored cells and computed values as a list, which is faster than a dict."""
    ids = [column.id for column in columns]
    kinds = [get_column_type(column.type) for column in columns]
    # Most types need no normalization. Not calling them takes half of the time.
    forms = [
        (index, kind.normalise) for index, kind in enumerate(kinds) if type(kind).normalise is not ColumnType.normalise
    ]

    computed_at = [index for index, column in enumerate(columns) if column.is_computed]

    def read(data: dict[str, Any], computed: Sequence[Any]) -> list[Any]:
        cells = [data.get(column_id) for column_id in ids]
        for index, value in zip(computed_at, computed, strict=True):
            cells[index] = value
        for index, normalise in forms:
            if cells[index] is not None:
                cells[index] = normalise(cells[index])
        return cells

    return read
