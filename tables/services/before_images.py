"""Keeps what deleted rows held, for undo: copied from one place of the database to another, past this process."""
from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

import strictjson
from tables.models import Change
from tables.operations.delta import MOST_CELLS

# Pieces are numbered within a statement, and a statement stays of a size.
IDS_AT_ONCE = 10_000


def keep_deleted(change: Change, ids: Sequence[int], *, first: int, columns: int) -> None:
    """Adds pieces of steps `[row, was, null]` to a change, numbered from `first` on, of at most 5,000 cells each.

    Belongs in the transaction that locked the rows; deleted rows keep their cells, so it may come before or after.
    """
    rows_each = max(1, MOST_CELLS // max(1, columns))
    write = _keep_postgresql if connection.vendor == "postgresql" else _keep_sqlite
    ordered = sorted(ids)
    at_once = IDS_AT_ONCE // rows_each * rows_each or rows_each
    for start in range(0, len(ordered), at_once):
        write(change, ordered[start : start + at_once], first=first + start // rows_each, rows_each=rows_each)


def _keep_postgresql(change: Change, ids: Sequence[int], *, first: int, rows_each: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO tables_changepiece (change_id, "index", steps)'
            " SELECT %s, %s + r.piece, jsonb_build_object('rows', jsonb_agg(jsonb_build_array(r.id, r.data, NULL)))"
            " FROM (SELECT id, data, (row_number() OVER (ORDER BY id) - 1) / %s AS piece FROM tables_row"
            " WHERE id = ANY(%s::bigint[]) AND table_id = %s) AS r GROUP BY r.piece",
            [change.pk, first, rows_each, list(ids), change.table_id],
        )


def _keep_sqlite(change: Change, ids: Sequence[int], *, first: int, rows_each: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO tables_changepiece (change_id, "index", steps)'
            " SELECT %s, %s + r.piece, json_object('rows', json_group_array(json_array(r.id, json(r.data), NULL)))"
            " FROM (SELECT id, data, (row_number() OVER (ORDER BY id) - 1) / %s AS piece FROM tables_row"
            " WHERE id IN (SELECT value FROM json_each(%s)) AND table_id = %s) AS r GROUP BY r.piece",
            [change.pk, first, rows_each, strictjson.dump(list(ids)), change.table_id],
        )
