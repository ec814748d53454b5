"""Yes or no."""
from __future__ import annotations

from typing import Any

from tables.column_types.column_type import ALWAYS, ColumnType
from tables.column_types.spec import ColumnSpec
from tables.column_types.value_text import boolean_text

WORDS = {"true": True, "yes": True, "false": False, "no": False}
LONGEST = 40


class Boolean(ColumnType):
    """True, false, or no value."""

    name = "boolean"
    label = "Yes or no"
    described = "true or false"
    operators = ("is", *ALWAYS)
    comparison = "boolean"
    icon = "square-check"
    cell_class = "is-bool"
    drawn = "tick"
    clicks = "truth"
    searchable = False
    never_from = ("date",)

    def _check(self, value: Any, column: ColumnSpec) -> bool:
        if not isinstance(value, bool):
            quoted = " without quotes" if isinstance(value, str) else ""
            raise self._refuse(value, code="not_a_boolean", allowed=f"true or false{quoted}")
        return value

    def _cast(self, value: Any, column: ColumnSpec) -> bool:
        if isinstance(value, str) and len(value) <= LONGEST:
            meant = WORDS.get(value.strip().lower())
            if meant is None:
                raise self._refuse(value, code="not_a_boolean", allowed="yes or no, true or false")
            return meant
        return self._check(value, column)

    def _text(self, value: Any) -> str:
        return boolean_text(value)

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> bool:
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value not in (0, 1):
                raise self._refuse(value, code="not_a_boolean", allowed="0 or 1")
            return bool(value)
        return self._cast(text, target)


TYPE = Boolean()
