"""The user who last changed a row."""
from __future__ import annotations

from tables.column_types.computed import READ_ONLY_USER, RowUser
from tables.column_types.written_forms import JsonForm


class UpdatedBy(RowUser):
    """Column type for the user who last changed a row."""

    name = "updated_by"
    label = "Last modified by"
    hint = "The user who last changed the row. Read-only."
    json_form = JsonForm(f"the name of the user who last changed the row; {READ_ONLY_USER}", "ann")
    row_field = "updated_by"


TYPE = UpdatedBy()
