"""The user who added a row."""
from __future__ import annotations

from tables.column_types.computed import READ_ONLY_USER, RowUser
from tables.column_types.written_forms import JsonForm


class CreatedBy(RowUser):
    """Column type for the user who added a row."""

    name = "created_by"
    label = "Created by"
    hint = "The user who added the row. Read-only."
    json_form = JsonForm(f"the name of the user who added the row; {READ_ONLY_USER}", "ann")
    row_field = "created_by"


TYPE = CreatedBy()
