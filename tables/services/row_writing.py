"""Writes rows in bulk: a handful of statements for any number of rows."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models

import strictjson
from tables.column_types import ColumnSpec, cells_hash, search_text
from tables.models import Row, Table

Json = dict[str, Any]
CHUNK = 5_000


def insert_rows(
    table: Table, contents: Sequence[Json], *, columns: Sequence[ColumnSpec], user: Any, now: datetime
) -> list[int]:
    """Adds rows at the end, in this order; their ids. Moves the table's `next_position` on (not saved here)."""
    first = table.next_position
    table.next_position += len(contents)
    rows = [
        Row(
            table_id=table.pk,
            position=first + number,
            data=data,
            search_text=search_text(columns, data),
            cells_hash=cells_hash(columns, data),
            created_by_id=user.pk,
            updated_by_id=user.pk,
        )
        for number, data in enumerate(contents)
    ]
    return [row.pk for row in Row.objects.bulk_create(rows, batch_size=CHUNK)]


def write_rows(
    contents: Mapping[int, Json], *, columns: Sequence[ColumnSpec], user: Any, now: datetime
) -> None:
    """Gives rows their new whole data, and brings back those that were deleted."""
    ids = list(contents)
    for start in range(0, len(ids), CHUNK):
        part = [
            (pk, strictjson.dump(contents[pk]), search_text(columns, contents[pk]), cells_hash(columns, contents[pk]))
            for pk in ids[start : start + CHUNK]
        ]
        if connection.vendor == "postgresql":
            _write_postgresql(part, user=user, now=now)
        else:
            _write_sqlite(part, user=user, now=now)


def delete_rows(ids: Iterable[int], *, user: Any, now: datetime) -> None:
    """Takes rows out of the table; they stay in the database for undo."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), CHUNK):
        Row.objects.filter(pk__in=ordered[start : start + CHUNK]).update(
            deleted_at=now, updated_at=now, updated_by_id=user.pk, version=models.F("version") + 1
        )


def _write_postgresql(part: list[tuple[int, str, str, str]], *, user: Any, now: datetime) -> None:
    ids, data, texts, hashes = zip(*part, strict=True)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tables_row AS r SET data = v.data::jsonb, search_text = v.search_text, cells_hash = v.cells_hash,"
            " version = r.version + 1, deleted_at = NULL, updated_at = %s, updated_by_id = %s"
            " FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[]) AS v(id, data, search_text, cells_hash)"
            " WHERE r.id = v.id",
            [now, user.pk, list(ids), list(data), list(texts), list(hashes)],
        )


def _write_sqlite(part: list[tuple[int, str, str, str]], *, user: Any, now: datetime) -> None:
    stamp = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE tables_row SET data = %s, search_text = %s, cells_hash = %s, version = version + 1,"
            " deleted_at = NULL, updated_at = %s, updated_by_id = %s WHERE id = %s",
            [(data, text, digest, stamp, user.pk, pk) for pk, data, text, digest in part],
        )
