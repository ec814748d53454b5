"""Reads much a part at a time; a table whole, as it is at one moment, on a connection of its own."""
from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.column_types.column_type import ColumnType
from tables.models import Table
from tables.operations.filters import Filter
from tables.operations.sorts import SortKey
from tables.selectors.conditions import ordering
from tables.selectors.dialects import Sql, row_column
from tables.selectors.rows import ROWS, narrowing

# So many rows are in memory at a time.
PART = 1_000
# A row by its id, and its values in the order of the columns asked for; None for empty cells.
Listed = tuple[int, list[Any]]


@contextmanager
def snapshot() -> Iterator[None]:
    """Whatever this thread reads inside sees the database as it was at the first reading, whoever writes meanwhile.

    Nothing is locked, and nothing can be written. What a surrounding transaction has written is not seen.
    """
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    surrounding = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = own
    try:
        own.ensure_connection()
        if own.vendor == "sqlite":
            # As all others begin, a transaction waits for the lock of writers, and keeps it.
            own.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # only SQLite's has it
        with transaction.atomic():
            if own.vendor == "postgresql":
                with own.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    # All rows are wanted, not the first ones soon.
                    cursor.execute("SET LOCAL cursor_tuple_fraction = 1")
            yield
    finally:
        own.close()
        connections[DEFAULT_DB_ALIAS] = surrounding


@contextmanager
def reading_in_parts() -> Iterator[None]:
    """Inside, `iterator()` gives rows as the database finds them.

    Outside of a transaction, PostgreSQL would copy the whole result before it gives the first row.
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
    filter: Filter | None = None,  # noqa: A002  the word of every door
    sort: Sequence[SortKey] = (),
    search: str = "",
) -> Generator[Listed, None, None]:
    """All rows that pass, in order, as `read_rows` has them. To be read, and closed, inside a snapshot.

    Raises Malformed.
    """
    table_id, deleted_at = row_column("table_id"), row_column("deleted_at")
    live = Sql(f"{table_id.text} = %s AND {deleted_at.text} IS NULL", (table.pk,))
    where = Sql.joined([live, *narrowing(filter, search=search, table=table)], between=" AND ", around="({})")
    by = Sql.joined(ordering(sort, shape=shape), between=", ")
    # Left to itself, SQLite takes rows to be sorted in the order of their hashes, from all over the file.
    along = " INDEXED BY rows_in_order" if connection.vendor == "sqlite" else ""
    statement = f"SELECT id, data FROM {ROWS}{along} WHERE {where.text} ORDER BY {by.text}"
    listed = _lister(columns)
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, (*where.params, *by.params))
        while part := cursor.fetchmany(PART):
            for pk, data in part:
                yield pk, listed(json.loads(data))


def _lister(columns: Sequence[ColumnSpec]) -> Callable[[dict[str, Any]], list[Any]]:
    """Brings cells as read from a database into their one form, in a list: no dictionary for each of many rows."""
    ids = [column.id for column in columns]
    kinds = [get_column_type(column.type) for column in columns]
    # Most types have nothing to bring into form: not asking them is half of the work.
    forms = [
        (place, kind.normalise)
        for place, kind in enumerate(kinds)
        if type(kind).normalise is not ColumnType.normalise
    ]

    def read(data: dict[str, Any]) -> list[Any]:
        cells = [data.get(column_id) for column_id in ids]
        for place, normalise in forms:
            if cells[place] is not None:
                cells[place] = normalise(cells[place])
        return cells

    return read
