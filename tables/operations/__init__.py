"""What can be done to tables, thought through before anything is written: no database, no HTTP in this room."""
from __future__ import annotations

from tables.column_types import type_names, types_told
from tables.column_types.spec import ColumnSpec, TableShape
from tables.operations.carried_reviews import carry_over
from tables.operations.choice import Choice, Origin
from tables.operations.reviews import revised_review
from tables.operations.row_names import first_value

__all__ = [
    "Choice", "ColumnSpec", "Origin", "TableShape", "carry_over", "first_value", "revised_review", "type_names",
    "types_told",
]  # fmt: skip
