"""Keys of the rows that an import updates, in a temporary table of the database instead of memory."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice

from django.db import DatabaseError, connection

from shared import strictjson
from tables.column_types import ColumnSpec, TableShape
from tables.importing.row_reading import KeyMatch, key_hash
from tables.models import Table
from tables.selectors.rows.reading import cell_reader, live_rows

# Visible to this connection only. Keys from the file have no row id.
TABLE_NAME = "import_keys"
KEYS_PER_INSERT = 5_000
RowKey = tuple[str, int]


class TableKeys:
    """The keys of a table as of `version`, and those of the rows of a file read so far."""

    def __init__(self, table: Table, *, columns: Sequence[ColumnSpec], shape: TableShape) -> None:
        self.version = table.version
        _execute(f"DROP TABLE IF EXISTS {TABLE_NAME}")
        key = "uuid" if connection.vendor == "postgresql" else "text"
        _execute(f"CREATE TEMPORARY TABLE {TABLE_NAME} (key {key} NOT NULL, row_id bigint)")
        marked = _row_keys(table, columns=columns, shape=shape)
        while part := list(islice(marked, KEYS_PER_INSERT)):
            _add(part)
        # Created after the rows, because this is several times as fast as updating an index with each row.
        _execute(f"CREATE INDEX {TABLE_NAME}_by_key ON {TABLE_NAME} (key)")
        _execute(f"ANALYZE {TABLE_NAME}")

    def find(self, keys: Sequence[str]) -> dict[str, KeyMatch]:
        """Return the matches of these keys; unknown keys are omitted."""
        if not keys:
            return {}
        is_sqlite = connection.vendor == "sqlite"
        among = "key IN (SELECT value FROM json_each(%s))" if is_sqlite else "key = ANY(%s::uuid[])"
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT key, count(row_id), min(row_id), count(*) FROM {TABLE_NAME} WHERE {among} GROUP BY key",
                [strictjson.dumps(list(keys)) if is_sqlite else list(keys)],
            )
            found = cursor.fetchall()
        return {key if is_sqlite else key.hex: KeyMatch(rows, first, every > rows) for key, rows, first, every in found}

    def match(self, keys: Sequence[str]) -> Mapping[str, KeyMatch]:
        """Return the matches of these keys, and record them as keys of the file."""
        distinct = list(dict.fromkeys(keys))
        found = self.find(distinct)
        _add([(key, None) for key in distinct if key not in found or not found[key].before])
        return found


class KeyCache:
    """The keys of a table during a run: they are read again only if the table has changed."""

    def __init__(self) -> None:
        self._keys: TableKeys | None = None

    def of(self, table: Table, *, columns: Sequence[ColumnSpec], shape: TableShape) -> TableKeys:
        """Return the keys of the rows of the table in these columns."""
        if self._keys is None or self._keys.version != table.version:
            self._keys = TableKeys(table, columns=columns, shape=shape)
        return self._keys

    def drop(self) -> None:
        """Drop the temporary table."""
        if self._keys is not None and not connection.needs_rollback:
            _execute(f"DROP TABLE IF EXISTS {TABLE_NAME}")


@contextmanager
def key_cache() -> Iterator[KeyCache]:
    """Provide the keys for a run, and drop them at its end."""
    keys = KeyCache()
    try:
        yield keys
    finally:
        # After a lost connection the temporary table no longer exists, and the original error must not be hidden.
        with suppress(DatabaseError):
            keys.drop()


def _row_keys(table: Table, *, columns: Sequence[ColumnSpec], shape: TableShape) -> Iterator[RowKey]:
    cells, ids = cell_reader(replace(shape, columns=tuple(columns))), [column.id for column in columns]
    for pk, data in live_rows(table).order_by("pk").values_list("pk", "data").iterator(chunk_size=2_000):
        key = key_hash(cells(data), ids)
        if key is not None:
            yield key, pk


def _add(marked: Sequence[tuple[str, int | None]]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            values = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(%s)"
            cursor.execute(f"INSERT INTO {TABLE_NAME} (key, row_id) {values}", [strictjson.dumps(marked)])
            return
        copying = f"COPY {TABLE_NAME} (key, row_id) FROM STDIN"
        with connection.wrap_database_errors, cursor.copy(copying) as copy:
            for each in marked:
                copy.write_row(each)


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
