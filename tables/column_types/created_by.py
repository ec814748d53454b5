"""The user who added a row."""
from __future__ import annotations

from tables.column_types.computed import RowUser


class CreatedBy(RowUser):
    """Column type for the user who added a row."""

    name = "created_by"
    label = "Created by"
    hint = "The user who added the row. Read-only."
    row_field = "created_by"


TYPE = CreatedBy()
