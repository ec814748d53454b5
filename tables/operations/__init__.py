"""What can be done to tables, thought through before anything is written: no database, no HTTP in this room."""
from __future__ import annotations

from tables.column_types import type_names, types_told
from tables.column_types.spec import ColumnSpec, TableShape
from tables.operations.choice import Choice, Origin

__all__ = ["Choice", "ColumnSpec", "Origin", "TableShape", "type_names", "types_told"]
