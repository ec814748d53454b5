"""Bulk writes of rows: a few queries for any number of rows."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, count, islice, repeat
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any

from django.db import connection, models

from tables.column_types import ColumnSpec
from tables.column_types.row_digest import RowDigest, folded_cells
from tables.models import POSITION_STEP, Row, Table
from tables.operations.cells import RowsByColumn
from tables.operations.plans.data_plan import RowAnchor
from tables.selectors.sql.conditions import among_ids
from tables.selectors.sql.expressions import bigint_array
from tables.services.pipeline.file_rows import record_files
from tables.services.pipeline.row_positions import positions_beside

Json = dict[str, Any]
# Rows, and characters of their cells, per query. libpq never shrinks its buffers, so each connection of the pool holds
# as much memory as its largest query needed.
CHUNK = 5_000
MAX_LENGTH = 1_000_000
# Position, data as JSON text, search text, running number.
Insert = tuple[int, str, str, int | None]
# Id of the row, data as JSON text, search text.
Write = tuple[int, str, str]
# Of one row: data as JSON text, search text.
Texts = tuple[str, str]
INSERTED = "position, data, search_text, running_number"
STAMPED = "table_id, version, created_at, updated_at, created_by_id, updated_by_id"
INSERT_COLUMNS = {"postgresql": f"{INSERTED}, {STAMPED}", "sqlite": f"{INSERTED}, folded_cells, {STAMPED}"}
# Rows per statement on SQLite, which takes half of the time of one each. They have ten parameters, of at most 999.
ROWS_PER_INSERT = 90
NULL = "\\N"  # in the text format of COPY
# Rows of COPY that are sent together, about 50 kB: psycopg sends from 32 kB on.
ROWS_PER_WRITE = 100
# The sequence is looked up once, in a subquery that OFFSET keeps apart, instead of for each row.
NEW_IDS = (
    "SELECT nextval(s.name) FROM (SELECT pg_get_serial_sequence('tables_row', 'id')::regclass AS name OFFSET 0) AS s,"
    " generate_series(1, %s)"
)


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
    ids: list[int] = []
    rows = (
        (explicit_positions.get(index, (first + index) * POSITION_STEP), *each, number)
        for index, (each, number) in enumerate(zip(texts, numbers, strict=False))
    )
    for part in _batches(rows):
        insert = _insert_postgresql if connection.vendor == "postgresql" else _insert_sqlite
        ids += insert(part, table_id=table.pk, user=user, now=now)
    return ids


def texts_of(contents: Iterable[Json], *, columns: Sequence[ColumnSpec]) -> list[Texts]:
    """Return the stored form of the cells of rows.

    Needs no database, so it can run before the table is locked.
    """
    if isinstance(contents, RowsByColumn):
        return RowDigest(columns).of_columns(contents.columns, count=len(contents), written=contents.written)
    rows = list(contents)
    by_column = {column.id: [data.get(column.id) for data in rows] for column in columns}
    return RowDigest(columns).of_columns(by_column, count=len(rows))


def write_rows(
    table: Table,
    contents: Mapping[int, Json],
    *,
    columns: Sequence[ColumnSpec],
    user: Any,
    now: datetime,
    texts: Mapping[int, Texts] = MappingProxyType({}),
    restored: Collection[int] | None = None,
) -> None:
    """Replace the data of rows of this table, and restore those that were deleted. `texts` as for `insert_rows`.

    `restored` are the ids of those that may be deleted, None for any.
    """
    digest = RowDigest(columns)
    for part in _batches((pk, *(texts.get(pk) or digest.of(contents[pk]))) for pk in contents):
        if connection.vendor == "postgresql":
            _write_postgresql(part, table_id=table.pk, user=user, now=now)
        else:
            _write_sqlite(part, table_id=table.pk, user=user, now=now, restored=restored)
    record_files(table, contents.items(), columns=columns)


def delete_rows(table: Table, ids: Iterable[int], *, user: Any, now: datetime) -> None:
    """Mark rows of this table as deleted. They remain in the database for undo."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), CHUNK):
        Row.objects.filter(among_ids(ordered[start : start + CHUNK]), table_id=table.pk).update(
            deleted_at=now, updated_at=now, updated_by_id=user.pk, version=models.F("version") + 1
        )


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    part: list[Any] = []
    length = 0
    for row in rows:
        part.append(row)
        length += len(row[1]) + len(row[2])
        if len(part) == CHUNK or length >= MAX_LENGTH:
            yield part
            part, length = [], 0
    if part:
        yield part


def _insert_postgresql(part: list[Insert], *, table_id: int, user: Any, now: datetime) -> list[int]:
    """Insert rows with COPY; return their ids."""
    stamp = now.isoformat()
    always = f"\t{table_id}\t1\t{stamp}\t{stamp}\t{user.pk}\t{user.pk}\n"
    with connection.cursor() as cursor:
        cursor.execute(NEW_IDS, [len(part)])
        ids = [pk for (pk,) in cursor.fetchall()]
        lines = (
            f"{pk}\t{position}\t{_copied(data)}\t{_copied(text)}"
            f"\t{NULL if number is None else number}{always}"
            for pk, (position, data, text, number) in zip(ids, part, strict=True)
        )
        with (
            connection.wrap_database_errors,
            cursor.copy(f"COPY tables_row (id, {INSERT_COLUMNS['postgresql']}) FROM STDIN") as copy,
        ):
            # PostgreSQL writes the first rows while the text of the next is created.
            while some := "".join(islice(lines, ROWS_PER_WRITE)):
                copy.write(some)
    return ids


def _copied(text: str) -> str:
    """Return a value in the text format of COPY."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def _insert_sqlite(part: list[Insert], *, table_id: int, user: Any, now: datetime) -> list[int]:
    """Insert rows; return their ids, which ascend without gaps, because only one connection can write."""
    always = (table_id, *[connection.ops.adapt_datetimefield_value(now)] * 2, *[user.pk] * 2)
    rows = [(*row, folded_cells(row[1]), *always) for row in part]
    # At least one row is left for a statement of its own, because `executemany` does not return an id.
    end = (len(rows) - 1) // ROWS_PER_INSERT * ROWS_PER_INSERT
    with connection.cursor() as cursor:
        if end:
            groups = [rows[start : start + ROWS_PER_INSERT] for start in range(0, end, ROWS_PER_INSERT)]
            params = [list(chain.from_iterable(group)) for group in groups]
            cursor.executemany(_sqlite_insert(ROWS_PER_INSERT), params)
        cursor.execute(_sqlite_insert(len(rows) - end), list(chain.from_iterable(rows[end:])))
        last_id = cursor.lastrowid
    return list(range(last_id - len(rows) + 1, last_id + 1))


def _sqlite_insert(count: int) -> str:
    """Return the statement that inserts so many rows."""
    values = ", ".join(["(%s, %s, %s, %s, %s, %s, 1, %s, %s, %s, %s)"] * count)
    return f"INSERT INTO tables_row ({INSERT_COLUMNS['sqlite']}) VALUES {values}"


def _write_postgresql(part: list[Write], *, table_id: int, user: Any, now: datetime) -> None:
    # The data is JSON already; as a text in JSON it would be escaped, and parsed twice.
    texts = ",".join([f'"{pk}":[{data},{encode_basestring(text)}]' for pk, data, text in part])
    ids = [pk for pk, *_ in part]
    with connection.cursor() as cursor:
        # Not a join with the rows of the JSON, and with the range of the ids: while the statistics do not include a new
        # table, a condition on `table_id` would otherwise read all rows of the table.
        cursor.execute(
            "UPDATE tables_row AS r SET data = v.texts -> r.id::text -> 0,"
            " search_text = v.texts -> r.id::text ->> 1,"
            " version = r.version + 1, deleted_at = NULL, updated_at = %s, updated_by_id = %s"
            " FROM (SELECT %s::jsonb AS texts) AS v WHERE r.id = ANY(%s::bigint[])"
            " AND r.id BETWEEN %s AND %s AND r.table_id = %s",
            [now, user.pk, f"{{{texts}}}", bigint_array(ids), min(ids), max(ids), table_id],
        )


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
