"""The time at which a row was added."""
from __future__ import annotations

from tables.column_types.computed import RowMoment


class CreatedAt(RowMoment):
    """Column type for the time at which a row was added."""

    name = "created_at"
    label = "Created time"
    hint = "When the row was added. Read-only."
    row_field = "created_at"


TYPE = CreatedAt()
