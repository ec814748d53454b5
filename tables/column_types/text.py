"""Text: any characters that databases accept, at most 64 kB."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, ColumnType, boolean_text, number_text
from tables.column_types.faults import ValueFault, shown
from tables.column_types.limits import LIMITS
from tables.column_types.names import refuse_unstorable_text
from tables.column_types.number_values import check_number
from tables.column_types.spec import ColumnSpec

NOT_TEXT = declare("not_text", "{value:quoted} is not text. Write text in quotes.")
TEXT_TOO_LONG = declare("text_too_long", "A cell can contain at most {count} kB of text.")


class Text(ColumnType):
    """Column type for text. White space is preserved; line ends are stored as line feeds."""

    name = "text"
    label = "Text"
    hint = "Any text."
    described = "a string"
    operators = ("contains", "not_contains", "eq", "ne", "starts_with", *ALWAYS)
    comparison = "folded"
    repeats = False

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return the value exactly as it was stored, so that undo restores it."""
        return None if value is None or value == "" else self._storable(value)

    def caster(self, column: ColumnSpec) -> Callable[[Any], Any]:
        """Return the function. Most texts are plain and short and need no further check."""
        max_bytes, required = LIMITS.cell_bytes, column.required

        def text(value: Any) -> Any:
            is_plain = type(value) is str and len(value) <= max_bytes and value.isascii() and "\0" not in value
            if is_plain and not (required and value.isspace()):
                return value
            return self.cast(value, column).value

        return text

    def _check(self, value: Any, column: ColumnSpec) -> str:
        return normalize_line_ends(self._storable(value))

    def _storable(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueFault("not_text", NOT_TEXT(value=shown(value)))
        refuse_unstorable_text(value)
        # No character has more than four bytes.
        if len(value) * 4 > LIMITS.cell_bytes < len(value.encode()):
            size = LIMITS.cell_bytes / 1024
            raise ValueFault("too_long", TEXT_TOO_LONG(count=int(size) if size.is_integer() else size))
        return value

    def _cast(self, value: Any, column: ColumnSpec) -> str:
        if isinstance(value, bool):
            return boolean_text(value)
        if isinstance(value, int | float):
            return number_text(check_number(value))
        return self._check(value, column)

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> str:
        return text


def normalize_line_ends(text: str) -> str:
    """Return the text with line feeds in place of Windows (CR LF) and old Mac (CR) line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


TYPE = Text()
