"""The keys of rows that an import changes: in a temporary table of the database, so that memory holds none of them."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice

from django.db import DatabaseError, connection

from shared import strictjson
from tables.column_types import ColumnSpec, TableShape
from tables.importing.keys import KeyMatch, key_hash
from tables.models import Table
from tables.selectors.rows import cell_reader, live_rows

# It is seen by this connection alone, and goes with it at the latest. Keys of the file have no row of the table.
NAME = "import_keys"
AT_ONCE = 5_000
Marked = tuple[str, int]


class TableKeys:
    """Keys of a table as it was at `version`, and those of a file that have passed."""

    def __init__(self, table: Table, *, columns: Sequence[ColumnSpec], shape: TableShape) -> None:
        self.version = table.version
        _run(f"DROP TABLE IF EXISTS {NAME}")
        mark = "uuid" if connection.vendor == "postgresql" else "text"
        _run(f"CREATE TEMPORARY TABLE {NAME} (mark {mark} NOT NULL, row_id bigint)")
        marked = _marked(table, columns=columns, shape=shape)
        while part := list(islice(marked, AT_ONCE)):
            _add(part)
        # Made at last: filling an index is several times as fast as adding to one.
        _run(f"CREATE INDEX {NAME}_by_mark ON {NAME} (mark)")
        _run(f"ANALYZE {NAME}")

    def find(self, marks: Sequence[str]) -> dict[str, KeyMatch]:
        """What is known of these keys, of those of which anything is."""
        if not marks:
            return {}
        lite = connection.vendor == "sqlite"
        among = "mark IN (SELECT value FROM json_each(%s))" if lite else "mark = ANY(%s::uuid[])"
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT mark, count(row_id), min(row_id), count(*) FROM {NAME} WHERE {among} GROUP BY mark",
                [strictjson.dump(list(marks)) if lite else list(marks)],
            )
            found = cursor.fetchall()
        return {mark if lite else mark.hex: KeyMatch(rows, first, every > rows) for mark, rows, first, every in found}

    def match(self, marks: Sequence[str]) -> Mapping[str, KeyMatch]:
        """The same, and notes them as keys of the file."""
        distinct = list(dict.fromkeys(marks))
        found = self.find(distinct)
        _add([(mark, None) for mark in distinct if mark not in found or not found[mark].before])
        return found


class KeysAtHand:
    """What a run knows of keys: for its rows to be written it is found out again only where the table has changed."""

    def __init__(self) -> None:
        self._keys: TableKeys | None = None

    def of(self, table: Table, *, columns: Sequence[ColumnSpec], shape: TableShape) -> TableKeys:
        """The keys that the rows of the table have in these columns."""
        if self._keys is None or self._keys.version != table.version:
            self._keys = TableKeys(table, columns=columns, shape=shape)
        return self._keys

    def drop(self) -> None:
        """Lets go of them."""
        if self._keys is not None and not connection.needs_rollback:
            _run(f"DROP TABLE IF EXISTS {NAME}")


@contextmanager
def keys_at_hand() -> Iterator[KeysAtHand]:
    """For as long as a run lasts."""
    keys = KeysAtHand()
    try:
        yield keys
    finally:
        # With a connection that is lost they are gone, and why it was lost is what is to be told.
        with suppress(DatabaseError):
            keys.drop()


def _marked(table: Table, *, columns: Sequence[ColumnSpec], shape: TableShape) -> Iterator[Marked]:
    cells, ids = cell_reader(replace(shape, columns=tuple(columns))), [column.id for column in columns]
    for pk, data in live_rows(table).order_by("pk").values_list("pk", "data").iterator(chunk_size=2_000):
        mark = key_hash(cells(data), ids)
        if mark is not None:
            yield mark, pk


def _add(marked: Sequence[tuple[str, int | None]]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            values = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(%s)"
            cursor.execute(f"INSERT INTO {NAME} (mark, row_id) {values}", [strictjson.dump(marked)])
            return
        copying = f"COPY {NAME} (mark, row_id) FROM STDIN"
        with connection.wrap_database_errors, cursor.copy(copying) as copy:
            for each in marked:
                copy.write_row(each)


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
