"""What stands in for a type whose app has been taken out: its values stay and can be read, but nobody can write any."""
from __future__ import annotations

from typing import Any

from tables.column_types.column_type import ALWAYS, Cast, ColumnType
from tables.column_types.faults import ValueFault
from tables.column_types.number import normal_number
from tables.column_types.spec import ColumnSpec
from tables.column_types.value_text import value_text
from user_messages import declare

TYPE_NOT_AVAILABLE = declare(
    "type_not_available", "The app for values of type “{type}” is not installed; they can be read, but not written."
)


class Gone(ColumnType):
    """A type of this name, of which nothing is known any more. It is not registered: no column can be given it."""

    label = "Not available"
    described = "cannot be written"
    operators = ALWAYS
    comparison = "raw"
    registered = False

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]  # of all others it is the class's

    def check(self, value: Any, column: ColumnSpec) -> Any:
        """Refuses, also to empty a cell: it could not be filled again."""
        raise self._unwritable()

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        raise self._unwritable()

    def keep(self, value: Any, column: ColumnSpec) -> Any:
        """The value as it is: what undo brings back was written while the type was there."""
        return value

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """The value as it is: only undo gives a column such a type, and nobody knows better."""
        return value

    def normalise(self, value: Any) -> Any:
        return normal_number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    def check_definition(self, column: ColumnSpec) -> ColumnSpec:
        """The column as it is: there is nobody who could say what is wrong with it."""
        return column

    def _text(self, value: Any) -> str:
        return value_text(value)

    def _unwritable(self) -> ValueFault:
        return ValueFault("type_not_available", TYPE_NOT_AVAILABLE(type=self.name))
