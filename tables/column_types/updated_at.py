"""The time at which a row was last changed."""
from __future__ import annotations

from tables.column_types.computed import RowMoment
from tables.column_types.written_forms import JsonForm


class UpdatedAt(RowMoment):
    """Column type for the time at which a row was last changed."""

    name = "updated_at"
    label = "Last modified time"
    hint = "When the row was last changed. Read-only."
    json_form = JsonForm("when the row was last changed, in UTC; read-only", "2027-03-01T10:00Z")
    row_field = "updated_at"


TYPE = UpdatedAt()
