"""Pieces of a change: JSON in parts of limited size.

Cells of deleted rows, and of rows that were staged in the database, are copied within it.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from django.db import connection

from shared import strictjson
from shared.db.statements import insert_statement, large_parameter_cursor
from tables.models import Change
from tables.operations.changes.delta import MAX_PART_CELLS
from tables.services.pipeline.row_writing import MAX_LENGTH

RowAction = Literal["added", "deleted"]
# Limits the size of a query.
PIECES_PER_QUERY = 20
# Above this number of characters, PostgreSQL reads COPY in two thirds of the time of a statement.
MIN_COPIED = 50_000
COLUMNS = 'tables_changepiece (table_id, change_id, "index", steps)'
INSERT = f"INSERT INTO {COLUMNS}"
# The id of the change that this transaction has inserted last.
INSERTED_ID = "currval(pg_get_serial_sequence('tables_change', 'id'))"
POSTGRESQL = {
    "added": "jsonb_build_array(r.id, NULL, r.data)",
    "deleted": "jsonb_build_array(r.id, r.data, NULL)",
}
# Cells are stored as JSON text, and concatenation is several times as fast as parsing.
SQLITE = {
    "added": "'[' || r.id || ',null,' || r.data || ']'",
    "deleted": "'[' || r.id || ',' || r.data || ',null]'",
}


def insert_change(change: Change, *, cursor: Any) -> None:
    """Insert a change, whose id is set by `set_inserted_id` with the same cursor.

    May be pipelined, with `store_pieces` after it.
    """
    statement = insert_statement(change)
    cursor.execute(f"{statement.sql} RETURNING id", statement.params)
    if connection.vendor == "sqlite":
        set_inserted_id(change, cursor=cursor)


def set_inserted_id(change: Change, *, cursor: Any) -> None:
    """Set the id of a change after the end of the pipeline in which it was inserted."""
    if change.pk is None:
        (change.pk,) = cursor.fetchone()


def store_row_pieces(change: Change, ids: Sequence[int], *, action: RowAction, first: int, columns: int) -> int:
    """Add pieces of entries `[row id, before, after]` to a change; return how many.

    Each has at most 5,000 cells. `first` is the number of the first piece, `columns` how many cells a row can have.
    Must run in the transaction that locked the rows. Deleted rows still have their cells, so it may run before or after
    the deletion.
    """
    piece_rows = rows_per_piece(columns)
    write = _store_postgresql if connection.vendor == "postgresql" else _store_sqlite
    for start in range(0, len(ids), piece_rows * PIECES_PER_QUERY):
        part = ids[start : start + piece_rows * PIECES_PER_QUERY]
        write(change, part, action=action, first=first + start // piece_rows, piece_rows=piece_rows)
    return -(-len(ids) // piece_rows)


def added_row_pieces(ids: Sequence[int], cells: Sequence[str], *, columns: int) -> Iterator[str]:
    """Yield the pieces of new rows, whose cells are given as JSON text, as `store_row_pieces` stores them.

    Pieces of long texts have fewer rows, because they are sent to the database.
    """
    piece_rows = rows_per_piece(columns)
    entries: list[str] = []
    length = 0
    for pk, data in zip(ids, cells, strict=True):
        entries.append(f"[{pk},null,{data}]")
        length += len(data)
        if len(entries) == piece_rows or length >= MAX_LENGTH:
            yield '{"rows":[' + ",".join(entries) + "]}"
            entries, length = [], 0
    if entries:
        yield '{"rows":[' + ",".join(entries) + "]}"


def store_pieces(change: Change, pieces: Iterable[str], *, first: int = 0, pipelined: bool = False) -> int:
    """Add pieces, as JSON text, to a change from number `first` on; return how many there were.

    `pipelined`: without COPY, as in a block of `pipelined_statements`. The id of the change may not be known there.
    """
    count = 0
    for part in _batches(pieces):
        rows = [(change.table_id, change.pk, number, text) for number, text in enumerate(part, first + count)]
        if connection.vendor == "postgresql" and not pipelined and sum(map(len, part)) > MIN_COPIED:
            _copy(rows)
        else:
            _insert(rows)
        count += len(part)
    return count


def _insert(rows: Sequence[tuple[int, int | None, int, str]]) -> None:
    value = "(%s, %s, %s, %s)"
    if connection.vendor == "postgresql":
        value = f"(%s, coalesce(%s::bigint, {INSERTED_ID}), %s, %s::jsonb)"
    with large_parameter_cursor() as cursor:
        cursor.execute(f"{INSERT} VALUES {', '.join([value] * len(rows))}", [param for row in rows for param in row])


def _copy(rows: Iterable[tuple[int, int, int, str]]) -> None:
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {COLUMNS} FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _batches(pieces: Iterable[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for piece in pieces:
        part.append(piece)
        if len(part) == PIECES_PER_QUERY or sum(map(len, part)) >= MAX_LENGTH:
            yield part
            part = []
    if part:
        yield part


def rows_per_piece(columns: int) -> int:
    """Return the number of rows with this number of columns in one piece of a change."""
    return max(1, MAX_PART_CELLS // max(1, columns))


def _store_postgresql(change: Change, ids: Sequence[int], *, action: RowAction, first: int, piece_rows: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"{INSERT} SELECT %s, %s, %s + r.piece,"
            f" jsonb_build_object('rows', jsonb_agg({POSTGRESQL[action]} ORDER BY r.number))"
            " FROM (SELECT id, data, number, (number - 1) / %s AS piece"
            " FROM unnest(%s::bigint[]) WITH ORDINALITY AS i(row_id, number)"
            " JOIN tables_row ON tables_row.id = i.row_id AND table_id = %s) AS r GROUP BY r.piece",
            [change.table_id, change.pk, first, piece_rows, list(ids), change.table_id],
        )


def _store_sqlite(change: Change, ids: Sequence[int], *, action: RowAction, first: int, piece_rows: int) -> None:
    # One piece per query: to group them, SQLite would first sort all rows with their cells.
    pieces = [ids[start : start + piece_rows] for start in range(0, len(ids), piece_rows)]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"{INSERT} SELECT %s, %s, %s, stored.steps"
            f""" FROM (SELECT '{{"rows":[' || group_concat({SQLITE[action]}) || ']}}' AS steps"""
            " FROM json_each(%s) AS i CROSS JOIN tables_row AS r ON r.id = i.value AND r.table_id = %s) AS stored"
            " WHERE stored.steps IS NOT NULL",
            [
                (change.table_id, change.pk, first + number, strictjson.dumps(list(piece)), change.table_id)
                for number, piece in enumerate(pieces)
            ],
        )
