"""Text: any characters that databases accept, at most 64 kB. Some formats restrict new values."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from shared.user_messages import declare
from tables.column_types.cell_drawing import Drawn
from tables.column_types.column_type import ALWAYS, Cast, ColumnType
from tables.column_types.faults import ValueFault, shown
from tables.column_types.limits import LIMITS
from tables.column_types.names import refuse_unstorable_text
from tables.column_types.number_values import check_number
from tables.column_types.spec import ColumnSpec
from tables.column_types.text_formats import TEXT_FORMATS, TEXT_SETTINGS, TextFormat
from tables.column_types.value_texts import boolean_text, number_text
from tables.column_types.written_forms import JsonForm

NOT_TEXT = declare("not_text", "{value:quoted} is not text. Write text in quotes.")
TEXT_TOO_LONG = declare("text_too_long", "A cell can contain at most {count} kB of text.")
# Characters that are refused or replaced.
UNUSUAL = re.compile(r"[\0\r]")
# Text after the first line.
LINES = re.compile(r"\S\s*[\r\n]\s*\S")
LONG = "long"

PLAIN = TEXT_FORMATS["line"]


class Text(ColumnType):
    """Column type for text. White space is preserved; line ends are stored as line feeds.

    Values that were stored before a column got its format stay as they are, even if they are not valid in it.
    """

    name = "text"
    label = "Text"
    hint = "Any text."
    described = "a string"
    json_form = JsonForm("a string of at most 64 kB (65,536 bytes of UTF-8)", "Acme")
    operators = ("contains", "not_contains", "eq", "ne", "starts_with", *ALWAYS)
    comparison = "folded"
    repeats = False
    format_icons: ClassVar[Mapping[str, str]] = {"long": "lines", "url": "link", "email": "mail", "phone": "phone"}
    settings = TEXT_SETTINGS

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return the value exactly as it was stored, so that undo restores it."""
        return None if value is None or value == "" else self._storable(value)

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        return self.cast(value, replace(column, settings=()))

    def restricts(self, target: ColumnSpec, *, source: ColumnSpec) -> bool:
        text_format = _format(target)
        return text_format.fault is not None and (source.type != self.name or text_format is not _format(source))

    def drawing(self, column: ColumnSpec) -> Drawn:
        return _format(column).drawn

    def link(self, value: Any, column: ColumnSpec) -> str:
        text_format = _format(column)
        return text_format.link(value) if isinstance(value, str) and text_format.is_valid(value) else ""

    def input_type(self, text: str, column: ColumnSpec) -> str:
        """Return the input type of the format. Such inputs change texts of another form, which get a text area."""
        text_format = _format(column)
        suits = not text or (text.isascii() and text_format.is_valid(text))
        return text_format.input_type if suits else ""

    def lines(self, column: ColumnSpec) -> int:
        return _format(column).lines

    def detect_settings(self, values: Sequence[Any]) -> Mapping[str, Any]:
        """Return the format that all these values have if they cannot be other texts, or that of several lines."""
        if not values or not all(isinstance(value, str) for value in values):
            return {}
        for name, text_format in TEXT_FORMATS.items():
            detects = text_format.detects
            if detects and all(text_format.is_valid(text_format.clean(text)) and detects(text) for text in values):
                return {"format": name}
        return {"format": LONG} if any(map(LINES.search, values)) else {}

    def caster(self, column: ColumnSpec) -> Callable[[Any], Any]:
        """Return the function. Most texts are plain and short and need no further check."""
        if _format(column).fault is not None:
            return super().caster(column)
        max_bytes, required = LIMITS.cell_bytes, column.required

        def text(value: Any) -> Any:
            is_plain = type(value) is str and len(value) <= max_bytes and value.isascii() and not UNUSUAL.search(value)
            if is_plain and not (required and value.isspace()):
                return value
            return self.cast(value, column).value

        return text

    def stores_unchanged(self, values: Sequence[Any], column: ColumnSpec) -> bool:
        if type(values[0]) is not str:
            return False
        text_format = _format(column)
        if text_format.fault is not None:
            return text_format.usual is not None and all(map(text_format.usual.fullmatch, values))
        text = "".join(values)
        if not text.isascii() or UNUSUAL.search(text) or max(map(len, values)) > LIMITS.cell_bytes:
            return False
        return not (column.required and any(map(str.isspace, values)))

    def _check(self, value: Any, column: ColumnSpec) -> str:
        return self._fitting(normalize_line_ends(self._storable(value)), column, given=value)

    def _storable(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueFault("not_text", NOT_TEXT(value=shown(value)))
        refuse_unstorable_text(value)
        # No character has more than four bytes.
        if len(value) * 4 > LIMITS.cell_bytes < len(value.encode()):
            size = LIMITS.cell_bytes / 1024
            raise ValueFault("too_long", TEXT_TOO_LONG(count=int(size) if size.is_integer() else size))
        return value

    def _cast(self, value: Any, column: ColumnSpec) -> str | None:
        if isinstance(value, bool):
            value = boolean_text(value)
        elif isinstance(value, int | float):
            value = number_text(check_number(value))
        text = _format(column).clean(normalize_line_ends(self._storable(value)))
        return self._fitting(text, column, given=value) if text else None

    def _fitting(self, text: str, column: ColumnSpec, *, given: Any) -> str:
        text_format = _format(column)
        if text_format.fault is not None and not text_format.is_valid(text):
            raise ValueFault(text_format.fault_code, text_format.fault(value=shown(given)))
        return text

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return the text of the value, also if it does not fit the format of the target, so that nothing is lost."""
        return super().convert(value, source=source, target=replace(target, settings=()))

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> str:
        return text


def _format(column: ColumnSpec) -> TextFormat:
    # Settings may not be checked yet.
    name = column.used_settings.get("format")
    return TEXT_FORMATS.get(name, PLAIN) if isinstance(name, str) else PLAIN


def normalize_line_ends(text: str) -> str:
    """Return the text with line feeds in place of Windows (CR LF) and old Mac (CR) line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


TYPE = Text()
