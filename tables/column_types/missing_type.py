"""The type of columns whose app is not installed: values can be read, but not written."""
from __future__ import annotations

from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, Cast, ColumnType
from tables.column_types.faults import ValueFault
from tables.column_types.number_values import normal_number
from tables.column_types.spec import ColumnSpec
from tables.column_types.value_texts import value_text

TYPE_NOT_AVAILABLE = declare(
    "type_not_available", "The app for values of type “{type}” is not installed. The values are read-only."
)


class MissingType(ColumnType):
    """Replacement for a type of which only the name is known. New columns cannot have it."""

    label = "Not available"
    described = "cannot be written"
    operators = ALWAYS
    comparison = "raw"
    sort_labels = ("ascending", "descending")
    registered = False

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]  # an attribute of the class in all other types

    def check(self, value: Any, column: ColumnSpec) -> Any:
        """Raise ValueFault for every value, even an empty one: a cleared cell could not be filled again."""
        raise self._unwritable()

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        raise self._unwritable()

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return the value unchanged: undo restores values written while the type was installed."""
        return value

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return the value unchanged: only undo gives a column such a type."""
        return value

    def normalise(self, value: Any) -> Any:
        return normal_number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    def check_definition(self, column: ColumnSpec) -> ColumnSpec:
        """Return the column unchanged, because its definition cannot be checked."""
        return column

    def _text(self, value: Any) -> str:
        return value_text(value)

    def _unwritable(self) -> ValueFault:
        return ValueFault("type_not_available", TYPE_NOT_AVAILABLE(type=self.name))
