"""What the undo of a change must know about required columns, read from the table and its later changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial

from tables.column_types import ColumnSpec, TableShape
from tables.models import ChangePiece, Table
from tables.operations.changes.delta import Delta
from tables.operations.changes.undo_required import RequiredColumns
from tables.selectors import count_rows, empty_cells
from tables.selectors.rows.reading import live_rows
from tables.selectors.sql.conditions import among_ids


def required_columns(table: Table, *, shape: TableShape, since: int | None) -> RequiredColumns | None:
    """Return what is known about required columns, for the undo of a change that led to the version `since`.

    Returns None if `since` is None, because nothing else was written since: then no row can lack a value.
    """
    if since is None:
        return None
    return RequiredColumns(
        count_empty=partial(_count_empty, table, shape=shape),
        required_since=cache(partial(_required_since, table, version=since)),
    )


def restored_in_parts(
    table: Table, parts: Callable[[], Iterable[Delta]], *, required: RequiredColumns | None
) -> RequiredColumns | None:
    """Return the same for an undo in batches, whose plan of the columns does not see the cells that it restores."""
    if required is None:
        return None

    def count_empty(columns: Sequence[ColumnSpec]) -> Mapping[str, int]:
        counts = dict.fromkeys((column.id for column in columns), count_rows(table))
        for part in parts():
            for key in counts:
                ids = [row_id for row_id, _, now in part.rows if now and now.get(key) is not None]
                counts[key] -= live_rows(table).filter(among_ids(ids)).count()
        return counts

    return RequiredColumns(count_empty=count_empty, required_since=required.required_since)


def _count_empty(table: Table, columns: Sequence[ColumnSpec], *, shape: TableShape) -> dict[str, int]:
    """Return the number of rows without a value in each column. Computed values are not stored, and do not remain."""
    computed = {column.id for column in shape.columns if column.is_computed}
    stored = [column for column in columns if column.id not in computed]
    counts = empty_cells(table, shape=shape, columns=stored) if stored else {}
    lost = {column.id for column in columns} & computed
    return counts | (dict.fromkeys(lost, count_rows(table)) if lost else {})


def _required_since(table: Table, *, version: int) -> frozenset[str]:
    """Return the ids of the columns that a change after this version made required, or added as such."""
    pieces = ChangePiece.objects.filter(table_id=table.pk, change__version__gt=version, steps__has_key="columns")
    columns = [entry for steps in pieces.values_list("steps", flat=True) for entry in steps["columns"]]
    return frozenset(
        key for key, was, now in columns if (now or {}).get("required") and not (was or {}).get("required")
    )
