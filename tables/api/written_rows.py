"""JSON of the rows that a request wrote."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tables import selectors
from tables.api.responses import rows_json, rows_text
from tables.operations.cells import StoredRow, StoredRows
from tables.services import Applied

Json = dict[str, Any]


def written_rows(applied: Applied, *, keyed_by: str) -> list[Json]:
    """Return the rows that were added or changed, as this request left them."""
    rows = _rows_of(applied)
    computed = _computed(applied, [row.id for row in rows])
    return rows_json(rows, columns=applied.columns, keys=keyed_by, computed=computed)


def written_rows_text(applied: Applied, *, keyed_by: str) -> str:
    """Return the JSON text of `written_rows`."""
    rows = applied.by_column
    if rows is None:
        stored = [column for column in applied.columns if not column.is_computed]
        rows = StoredRows.of(_rows_of(applied), columns=stored)
    computed = _computed(applied, rows.ids)
    return rows_text(rows, columns=applied.columns, keys=keyed_by, computed=computed)


def _computed(applied: Applied, ids: Sequence[int]) -> dict[int, Json]:
    return selectors.computed_values(applied.table_id, ids, columns=applied.columns)


def _rows_of(applied: Applied) -> list[StoredRow]:
    entries = sorted([*applied.applied, *applied.skipped], key=lambda entry: int(entry["index"]))
    row_ids = dict.fromkeys(entry["row_id"] for entry in entries)
    return [applied.rows[row_id] for row_id in row_ids]
