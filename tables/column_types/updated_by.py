"""The user who last changed a row."""
from __future__ import annotations

from tables.column_types.computed import RowUser


class UpdatedBy(RowUser):
    """Column type for the user who last changed a row."""

    name = "updated_by"
    label = "Last modified by"
    hint = "The user who last changed the row. Read-only."
    row_field = "updated_by"


TYPE = UpdatedBy()
