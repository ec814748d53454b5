"""Limits of the cost of filters and searches on a table, checked before any row is read."""
from __future__ import annotations

from collections.abc import Collection

from tables.models import Row, Table
from tables.operations.queries.filter_costs import MAX_COST, MAX_WEIGHT, filter_cost, refuse_too_costly
from tables.operations.queries.filters import Filter
from tables.selectors.tables import table_shape

# About a third of a second on a small machine.
COSTLY = MAX_COST // 8


def refuse_costly(table: Table, filters: Collection[Filter], *, words: int = 0, path: str = "filter") -> None:
    """Raise Invalid (`too_costly`) if testing the distinct filters on every row costs too much.

    `words` is the number of search words that each row is tested for as well.
    """
    rows = max_row_count(table)
    # Columns are read only if their number affects the result.
    if filter_cost(filters, rows=rows) + rows * words * MAX_WEIGHT <= MAX_COST:
        return
    columns = len(table_shape(table).columns) if words else 0
    if filter_cost(filters, words=words, columns=columns, rows=rows) <= MAX_COST:
        return
    if table.known_rows is None:
        rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True).count()
    refuse_too_costly(filters, words=words, columns=columns, rows=rows, path=path)


def is_costly(table: Table, filters: Collection[Filter], *, words: int = 0) -> bool:
    """Return whether a view is so slow that its rows should not be tested several times for one request."""
    rows = max_row_count(table)
    return filter_cost(filters, rows=rows) + rows * words > COSTLY


def max_row_count(table: Table) -> int:
    """Return the number of rows; if it is not stored, a higher one: that of all rows ever added."""
    # Positions are never reused, so there are at most as many rows.
    return table.next_position if table.known_rows is None else table.known_rows
