"""The running number of a row in its table."""
from __future__ import annotations

from typing import Any

from tables.column_types.column_type import Cast
from tables.column_types.computed import Computed
from tables.column_types.number import TYPE as NUMBER
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import JsonForm


class Autonumber(Computed):
    """Column type for the running number of a row, which is never used again after the row is deleted."""

    name = "autonumber"
    label = "Autonumber"
    hint = "A number that each new row gets. Read-only."
    described = "a running number, read-only"
    json_form = JsonForm("the running number of the row in its table; read-only", 12)
    described_operand = NUMBER.described
    operators = NUMBER.operators
    comparison = "number"
    sort_labels = NUMBER.sort_labels
    row_field = "running_number"
    numbers_rows = True
    icon = NUMBER.icon
    cell_class = NUMBER.cell_class
    sheet_width = 10

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        return NUMBER.cast_known(value, column)

    def normalise(self, value: Any) -> Any:
        return NUMBER.normalise(value)

    def _text(self, value: Any) -> str:
        return NUMBER.text(value)


TYPE = Autonumber()
