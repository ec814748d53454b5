"""Where applied values come from: recorded with each apply, and deleted with the rows."""
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from fills.models import Fill, Origin, Result

# Copied by the database, because an apply can have 10,000 results.
COPIED = ("row_id", "change_id", "fill_id", "confidence", "note", "sources", "hashes")
RECORD = (
    f"INSERT INTO {Origin._meta.db_table} (table_id, model, created_at, {', '.join(COPIED)}) "
    f"SELECT %s, %s, %s, {', '.join(COPIED)} FROM {Result._meta.db_table} WHERE fill_id = %s AND change_id = %s"
)


def record_origins(fill: Fill, *, change_id: int, now: datetime) -> None:
    """Record the origins of the results that this change has applied."""
    parameters = [
        fill.table_id, fill.model, connection.ops.adapt_datetimefield_value(now),
        Result._meta.get_field("fill").get_db_prep_value(fill.pk, connection), change_id,
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(RECORD, parameters)


def delete_origins(*, table_id: int, row_ids: Sequence[int], **_: Any) -> None:
    """Delete the origins and results of rows that are deleted for good: a receiver of `tables.signals.rows_purged`."""
    Result.objects.filter(fill__table_id=table_id, row_id__in=list(row_ids)).delete()
    Origin.objects.filter(table_id=table_id, row_id__in=list(row_ids)).delete()
