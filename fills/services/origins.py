"""Where applied values come from: recorded with each apply, and deleted with the rows."""
from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from fills.models import Fill, Origin, Result

RESULTS, ORIGINS = Result._meta.db_table, Origin._meta.db_table
# One statement each, with one parameter for all ids, because an apply can have 10,000 results.
AMONG_IDS = {"sqlite": "id IN (SELECT value FROM json_each(%s))", "postgresql": "id = ANY(%s::bigint[])"}
COPIED = ("row_id", "change_id", "fill_id", "confidence", "note", "sources", "hashes")
RECORD = (
    f"INSERT INTO {ORIGINS} (table_id, model, created_at, {', '.join(COPIED)}) "
    f"SELECT %s, %s, %s, {', '.join(COPIED)} FROM {RESULTS} WHERE fill_id = %s AND change_id = %s"
)


def record_origins(fill: Fill, *, result_ids: Sequence[int], change_id: int, now: datetime) -> None:
    """Store that this change has applied these results, and record the origins of their values."""
    fill_id = Result._meta.get_field("fill").get_db_prep_value(fill.pk, connection)
    created_at = connection.ops.adapt_datetimefield_value(now)
    ids = json.dumps([*result_ids])
    if connection.vendor == "postgresql":
        ids = f"{{{ids[1:-1]}}}"
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {RESULTS} SET change_id = %s WHERE fill_id = %s AND {AMONG_IDS[connection.vendor]}",
            [change_id, fill_id, ids],
        )
        cursor.execute(RECORD, [fill.table_id, fill.model, created_at, fill_id, change_id])


def delete_origins(*, table_id: int, row_ids: Sequence[int], **_: Any) -> None:
    """Delete the origins and results of rows that are deleted for good: a receiver of `tables.signals.rows_purged`."""
    Result.objects.filter(fill__table_id=table_id, row_id__in=list(row_ids)).delete()
    Origin.objects.filter(table_id=table_id, row_id__in=list(row_ids)).delete()
