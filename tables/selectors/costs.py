"""Refuses filters that would take too long on a table of its size, before any row is read."""
from __future__ import annotations

from collections.abc import Collection

from tables.models import Row, Table
from tables.operations.filter_costs import MAX_COST, filter_cost, refuse_too_costly
from tables.operations.filters import Filter

# About a third of a second on a small machine.
COSTLY = MAX_COST // 8


def refuse_costly(table: Table, filters: Collection[Filter], *, path: str = "filter") -> None:
    """Raise Invalid (`too_costly`) when testing each distinct filter on every row costs more than a request may."""
    rows = _max_row_count(table)
    if filter_cost(filters, rows=rows) <= MAX_COST:
        return
    if table.known_rows is None:
        rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True).count()
    refuse_too_costly(filters, rows=rows, path=path)


def is_costly(table: Table, filters: Collection[Filter]) -> bool:
    """Whether a filter takes so long that it should not be tested several times for one request."""
    return filter_cost(filters, rows=_max_row_count(table)) > COSTLY


def _max_row_count(table: Table) -> int:
    # Positions are never used twice, so there are at most as many rows.
    return table.next_position if table.known_rows is None else table.known_rows
