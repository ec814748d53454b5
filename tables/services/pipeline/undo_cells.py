"""Keeps what added or deleted rows hold, for undo: copied from place to place in the database, past this process."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from django.db import connection

from shared import strictjson
from tables.models import Change
from tables.operations.delta import MAX_PART_CELLS
from tables.services.pipeline.row_writing import MAX_LENGTH

Became = Literal["added", "deleted"]
# A statement stays of a size.
PIECES_AT_ONCE = 20
POSTGRESQL = {
    "added": "jsonb_build_array(r.id, NULL, r.data)",
    "deleted": "jsonb_build_array(r.id, r.data, NULL)",
}
# Cells are JSON text already: putting texts together is several times as fast as having them parsed.
SQLITE = {
    "added": "'[' || r.id || ',null,' || r.data || ']'",
    "deleted": "'[' || r.id || ',' || r.data || ',null]'",
}


def keep_cells(change: Change, ids: Sequence[int], *, became: Became, first: int, columns: int) -> int:
    """Adds pieces of steps `[row, was, is]` to a change, of at most 5,000 cells each; how many pieces.

    `first` is the number of the first piece, `columns` how many cells a row can have. Belongs in the transaction that
    locked the rows. Deleted rows keep their cells, so it may come before or after the deletion.
    """
    rows_each = rows_of_a_piece(columns)
    write = _keep_postgresql if connection.vendor == "postgresql" else _keep_sqlite
    for start in range(0, len(ids), rows_each * PIECES_AT_ONCE):
        part = ids[start : start + rows_each * PIECES_AT_ONCE]
        write(change, part, became=became, first=first + start // rows_each, rows_each=rows_each)
    return -(-len(ids) // rows_each)


def keep_pieces(change: Change, pieces: Iterable[str], *, first: int = 0) -> int:
    """Add pieces, as JSON text, to a change from number `first` on; return how many there were."""
    value = "(%s, %s, %s::jsonb)" if connection.vendor == "postgresql" else "(%s, %s, %s)"
    count = 0
    with connection.cursor() as cursor:
        for part in _in_parts(pieces):
            values = ", ".join([value] * len(part))
            cursor.execute(
                f'INSERT INTO tables_changepiece (change_id, "index", steps) VALUES {values}',
                [param for number, text in enumerate(part, first + count) for param in (change.pk, number, text)],
            )
            count += len(part)
    return count


def _in_parts(pieces: Iterable[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for piece in pieces:
        part.append(piece)
        if len(part) == PIECES_AT_ONCE or sum(map(len, part)) >= MAX_LENGTH:
            yield part
            part = []
    if part:
        yield part


def rows_of_a_piece(columns: int) -> int:
    """How many rows with so many columns one piece of a change holds."""
    return max(1, MAX_PART_CELLS // max(1, columns))


def _keep_postgresql(change: Change, ids: Sequence[int], *, became: Became, first: int, rows_each: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO tables_changepiece (change_id, "index", steps)'
            f" SELECT %s, %s + r.piece, jsonb_build_object('rows', jsonb_agg({POSTGRESQL[became]} ORDER BY r.number))"
            " FROM (SELECT id, data, number, (number - 1) / %s AS piece"
            " FROM unnest(%s::bigint[]) WITH ORDINALITY AS i(row_id, number)"
            " JOIN tables_row ON tables_row.id = i.row_id AND table_id = %s) AS r GROUP BY r.piece",
            [change.pk, first, rows_each, list(ids), change.table_id],
        )


def _keep_sqlite(change: Change, ids: Sequence[int], *, became: Became, first: int, rows_each: int) -> None:
    # A piece at a time: to group them, SQLite would first sort all rows with their cells.
    pieces = [ids[start : start + rows_each] for start in range(0, len(ids), rows_each)]
    with connection.cursor() as cursor:
        cursor.executemany(
            'INSERT INTO tables_changepiece (change_id, "index", steps) SELECT %s, %s, kept.steps'
            f""" FROM (SELECT '{{"rows":[' || group_concat({SQLITE[became]}) || ']}}' AS steps"""
            " FROM json_each(%s) AS i CROSS JOIN tables_row AS r ON r.id = i.value AND r.table_id = %s) AS kept"
            " WHERE kept.steps IS NOT NULL",
            [
                (change.pk, first + number, strictjson.dump(list(piece)), change.table_id)
                for number, piece in enumerate(pieces)
            ],
        )
