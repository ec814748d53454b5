"""The time at which a row was last changed."""
from __future__ import annotations

from tables.column_types.computed import RowMoment


class UpdatedAt(RowMoment):
    """Column type for the time at which a row was last changed."""

    name = "updated_at"
    label = "Last modified time"
    hint = "When the row was last changed. Read-only."
    row_field = "updated_at"


TYPE = UpdatedAt()
