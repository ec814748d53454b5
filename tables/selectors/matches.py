"""Finds rows by the exact values of some of their cells, many at once."""
from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.models import Table
from tables.operations.upserts import merge_key
from tables.selectors.conditions import among_ids
from tables.selectors.dialects import dialect
from tables.selectors.rows import cell_reader, live_rows
from tables.selectors.snapshots import reading_in_parts


def rows_by_cells(
    table: Table,
    *,
    columns: Sequence[ColumnSpec],
    keys: Collection[tuple[Any, ...]],
    shape: TableShape,
    among: Sequence[int] | None = None,
) -> dict[tuple[Any, ...], list[int]]:
    """For each of `keys` (of `merge_key`, in the order of `columns`) the ids of the rows that have it, in order.

    `among`: only rows with these ids.
    """
    rows = live_rows(table)
    if among is not None:
        rows = rows.filter(among_ids(among))
    read = dialect()
    for place, column in enumerate(columns):
        values = list(dict.fromkeys(key[place] for key in keys))
        comparison = get_column_type(column.type).comparison
        # Two truths leave out too little to be worth a condition.
        if comparison != "boolean":
            # Dates have one form only, and may have an index.
            if comparison == "number":
                found = read.among_numbers(column.id, values)
            else:
                found = (read.among if comparison == "exact" else read.among_composed)(column.id, values)
            rows = rows.filter(RawSQL(found.text, found.params, output_field=BooleanField()))
    wanted, matches, cells = set(keys), dict[tuple[Any, ...], list[int]](), cell_reader(shape)
    ids = [column.id for column in columns]
    if wanted:
        with reading_in_parts():
            for pk, raw in rows.order_by("pk").values_list("pk", "data").iterator(chunk_size=2_000):
                key = merge_key(cells(raw), ids)
                if key in wanted:
                    matches.setdefault(key, []).append(pk)
    return matches
