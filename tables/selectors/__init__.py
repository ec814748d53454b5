"""All reading of tables, rows and their history. Whoever asks gets their own; the rest does not exist."""
from __future__ import annotations

from tables.column_types import ColumnSpec, TableShape
from tables.models import Table
from tables.selectors.access import allowed
from tables.selectors.changes import ChangeView, changes_of, get_change
from tables.selectors.rows import RowView, count_rows, get_row, read_rows, rows_by_id
from tables.selectors.statistics import column_stats
from tables.selectors.tables import column_spec, get_table, table_shape, tables_for

__all__ = [
    "ChangeView", "ColumnSpec", "RowView", "Table", "TableShape", "allowed", "changes_of", "column_spec",
    "column_stats", "count_rows", "get_change", "get_row", "get_table",
    "read_rows", "rows_by_id", "table_shape", "tables_for",
]  # fmt: skip
