"""The time at which a row was added."""
from __future__ import annotations

from tables.column_types.computed import RowMoment
from tables.column_types.written_forms import JsonForm


class CreatedAt(RowMoment):
    """Column type for the time at which a row was added."""

    name = "created_at"
    label = "Created time"
    hint = "When the row was added. Read-only."
    json_form = JsonForm("when the row was added, in UTC; read-only", "2027-03-01T10:00Z")
    row_field = "created_at"


TYPE = CreatedAt()
