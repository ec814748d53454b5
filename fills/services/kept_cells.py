"""Cells that a fill leaves as they are, because it is for empty cells and a person wrote them."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fills.hashes import value_hash
from fills.models import Fill, Origin, Result
from fills.services.rows import EMPTY

Json = dict[str, Any]


def kept_cells(fill: Fill, results: Iterable[Result], *, cells: Mapping[int, Json]) -> dict[int, frozenset[str]]:
    """Return the columns of rows whose values a fill may not replace, by row, from the `cells` of the rows.

    A fill for empty cells replaces only values that a fill has found, and those of rows that a user asked for again.
    """
    if fill.row_choice != EMPTY:
        return {}
    filled: dict[int, set[str]] = {}
    for result in results:
        held = {key for key in fill.columns if cells.get(result.row_id, {}).get(key) is not None}
        if held and not result.may_replace:
            filled[result.row_id] = held
    found = Origin.objects.filter(table_id=fill.table_id, row_id__in=list(filled)) if filled else ()
    for origin in found:
        of_row = cells[origin.row_id]
        filled[origin.row_id] -= {
            key for key, stored in origin.hashes.items()
            if of_row.get(key) is not None and value_hash(of_row[key]) == stored
        }  # fmt: skip
    return {row_id: frozenset(columns) for row_id, columns in filled.items()}
