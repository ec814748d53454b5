"""Bulk writes of rows: a few queries for any number of rows."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, count, repeat
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any

from django.db import connection, models

from shared.db.statements import large_parameter_cursor
from tables.column_types import ColumnSpec
from tables.column_types.row_digest import RowDigest, all_folded_cells, folded_cells
from tables.models import POSITION_STEP, Row, Table
from tables.operations.plans.data_plan import RowAnchor
from tables.selectors.sql.conditions import among_ids
from tables.selectors.sql.expressions import bigint_array, row_among
from tables.services.pipeline.file_rows import record_files
from tables.services.pipeline.row_copying import Insert, copy_rows, new_ids
from tables.services.pipeline.row_positions import positions_beside
from tables.services.pipeline.row_texts import Texts, texts_of

Json = dict[str, Any]
# Rows, and characters of their cells, per query. libpq never shrinks its buffers, so each connection of the pool holds
# as much memory as its largest query needed.
CHUNK = 5_000
MAX_LENGTH = 1_000_000
# Rows per UPDATE on PostgreSQL, which writes them while the next are prepared if the statements are pipelined.
ROWS_PER_UPDATE = 250
# Id of the row, data as JSON text, search text.
Write = tuple[int, str, str]
INSERT_COLUMNS = (
    "position, data, search_text, running_number, folded_cells,"
    " table_id, version, created_at, updated_at, created_by_id, updated_by_id"
)
# Rows per statement on SQLite, which takes half of the time of one each; more make no difference.
ROWS_PER_INSERT = 90


def insert_rows(
    table: Table,
    contents: Sequence[Json],
    *,
    columns: Sequence[ColumnSpec],
    user: Any,
    now: datetime,
    beside: Mapping[int, RowAnchor] = MappingProxyType({}),
    texts: Sequence[Texts] = (),
) -> list[int]:
    """Append rows in this order, except those of `beside` (by index); return their ids.

    `texts` is the stored form of the contents, if it has been computed. Otherwise as `insert_texts`.
    """
    ids = insert_texts(table, texts or texts_of(contents, columns=columns), user=user, now=now, beside=beside)
    record_files(table, zip(ids, contents, strict=True), columns=columns)
    return ids


def insert_texts(
    table: Table,
    texts: Sequence[Texts],
    *,
    user: Any,
    now: datetime,
    beside: Mapping[int, RowAnchor] = MappingProxyType({}),
) -> list[int]:
    """Append rows, given in their stored form, as `insert_rows` does; return their ids.

    Advances the table's `next_position` and `next_number`, which are not saved here. Must run in a transaction.
    """
    explicit_positions = positions_beside(table, beside) if beside else {}
    first = table.next_position
    table.next_position += len(texts)
    numbers: Iterable[int | None] = repeat(None)
    if table.next_number is not None:
        numbers = count(table.next_number)
        table.next_number += len(texts)
    rows = (
        (explicit_positions.get(index, (first + index) * POSITION_STEP), *each, number)
        for index, (each, number) in enumerate(zip(texts, numbers, strict=False))
    )
    if connection.vendor == "postgresql" and texts:
        ids = new_ids(len(texts))
        copy_rows(rows, ids=ids, table_id=table.pk, user=user, now=now)
        return list(ids)
    return [pk for part in _batches(rows) for pk in _insert_sqlite(part, table_id=table.pk, user=user, now=now)]


def write_rows(
    table: Table, contents: Mapping[int, Json], *, columns: Sequence[ColumnSpec], user: Any, now: datetime
) -> None:
    """Replace the data of rows of this table, and restore those that were deleted."""
    write_texts(table, contents, columns=columns, user=user, now=now)
    record_files(table, contents.items(), columns=columns)


def write_texts(
    table: Table,
    contents: Mapping[int, Json],
    *,
    columns: Sequence[ColumnSpec],
    user: Any,
    now: datetime,
    texts: Mapping[int, Texts] = MappingProxyType({}),
    restored: Collection[int] | None = None,
) -> None:
    """Write rows as `write_rows` does, without recording their files. Its statements may be pipelined.

    `texts` as for `insert_rows`. `restored` are the ids of rows that may be deleted, None for any.
    """
    digest = RowDigest(columns)
    rows = ((pk, *(texts.get(pk) or digest.of(contents[pk]))) for pk in contents)
    if connection.vendor == "postgresql":
        for part in _batches(rows, size=ROWS_PER_UPDATE):
            _write_postgresql(part, table_id=table.pk, user=user, now=now)
        return
    for part in _batches(rows):
        _write_sqlite(part, table_id=table.pk, user=user, now=now, restored=restored)


def delete_rows(table: Table, ids: Iterable[int], *, user: Any, now: datetime) -> None:
    """Mark rows of this table as deleted. They remain in the database for undo."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), CHUNK):
        Row.objects.filter(among_ids(ordered[start : start + CHUNK]), table_id=table.pk).update(
            deleted_at=now, updated_at=now, updated_by_id=user.pk, version=models.F("version") + 1
        )


def _batches(rows: Iterable[Any], *, size: int = CHUNK) -> Iterator[list[Any]]:
    part: list[Any] = []
    length = 0
    for row in rows:
        part.append(row)
        length += len(row[1]) + len(row[2])
        if len(part) == size or length >= MAX_LENGTH:
            yield part
            part, length = [], 0
    if part:
        yield part


def _insert_sqlite(part: list[Insert], *, table_id: int, user: Any, now: datetime) -> list[int]:
    """Insert rows; return their ids, which ascend without gaps, because only one connection can write."""
    positions, data, texts, numbers = zip(*part, strict=True)
    values = list(chain.from_iterable(zip(positions, data, texts, numbers, all_folded_cells(data), strict=True)))
    width = len(values) // len(part)
    # At least one row is left for a statement of its own, because `executemany` does not return an id.
    end = (len(part) - 1) // ROWS_PER_INSERT * ROWS_PER_INSERT
    # Values that all rows have are part of the statement, because SQLite takes each parameter in a call of its own.
    stamp = connection.ops.adapt_datetimefield_value(now)
    row = f"({', '.join(['%s'] * width)}, {table_id:d}, 1, '{stamp}', '{stamp}', {user.pk:d}, {user.pk:d})"
    insert = f"INSERT INTO tables_row ({INSERT_COLUMNS}) VALUES "
    with connection.cursor() as cursor:
        if end:
            groups = range(0, end * width, ROWS_PER_INSERT * width)
            params = [values[start : start + ROWS_PER_INSERT * width] for start in groups]
            cursor.executemany(insert + ", ".join([row] * ROWS_PER_INSERT), params)
        cursor.execute(insert + ", ".join([row] * (len(part) - end)), values[end * width :])
        last_id = cursor.lastrowid
    return list(range(last_id - len(part) + 1, last_id + 1))


def _write_postgresql(part: list[Write], *, table_id: int, user: Any, now: datetime) -> None:
    # In order of id, so that PostgreSQL finds the place of a row in the arrays by a binary search. The data is JSON
    # already; as a text in JSON it would be escaped, and parsed twice.
    ids, data, texts = zip(*sorted(part), strict=True)
    place = 'width_bucket("tables_row"."id", written.ids) - 1'
    among = row_among(ids)
    with large_parameter_cursor() as cursor:
        # Not a join with the rows of the JSON, and with the range of the ids: while the statistics do not include a new
        # table, a condition on `table_id` would otherwise read all rows of the table.
        cursor.execute(
            f"UPDATE tables_row SET data = written.data -> ({place}), search_text = written.texts ->> ({place}),"
            " version = version + 1, deleted_at = NULL, updated_at = %s, updated_by_id = %s"
            " FROM (SELECT %s::bigint[] AS ids, %s::jsonb AS data, %s::jsonb AS texts) AS written"
            f" WHERE {among.text} AND table_id = %s::bigint",
            [
                now, user.pk, bigint_array(ids), f"[{','.join(data)}]",
                f"[{','.join(map(encode_basestring, texts))}]", *among.params, table_id,
            ],
        )  # fmt: skip


def _write_sqlite(
    part: list[Write], *, table_id: int, user: Any, now: datetime, restored: Collection[int] | None
) -> None:
    stamp = connection.ops.adapt_datetimefield_value(now)
    always = (stamp, user.pk)
    rows = [(data, text, folded_cells(data), *always, pk, table_id) for pk, data, text in part]
    live = [] if restored is None else [row for row in rows if row[-2] not in restored]
    others = rows if restored is None else [row for row in rows if row[-2] in restored]
    with connection.cursor() as cursor:
        # Rows that are known to be live: setting `deleted_at` would write each of their partial indexes again.
        for written, restore in ((live, ""), (others, " deleted_at = NULL,")):
            if written:
                cursor.executemany(
                    "UPDATE tables_row SET data = %s, search_text = %s, folded_cells = %s,"
                    f"{restore} version = version + 1, updated_at = %s, updated_by_id = %s"
                    " WHERE id = %s AND table_id = %s",
                    written,
                )
