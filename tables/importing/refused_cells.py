"""Cells of a file that cannot be read: what is stored of them, and what a report says."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from user_messages import Message, message_fields

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """A cell that cannot be read, or a row that is left out; `row` is its number in the file.

    `column` is "" for a whole row. `value` is the cell as text, None where there is none.
    """

    row: int
    column: str
    code: str
    message: Message
    value: str | None

    def as_list(self) -> list[Any]:
        """Return the stored form, a JSON list; no database refuses a character in it."""
        return [
            self.row, self.column, self.code, _storable(str(self.message)), self.value,
            _storable(self.message.as_json()),
        ]  # fmt: skip

    @classmethod
    def from_list(cls, stored: Sequence[Any]) -> RefusedCell:
        """Return what `as_list` described. Lists of earlier releases have no message, only its English text."""
        row, column, code, detail, value, *message = stored
        return cls(row, column, code, Message.from_json(message[0] if message else None, text=detail), value)

    def as_json(self) -> dict[str, Any]:
        """Return the form in the report of an import."""
        return {
            "row": self.row, "column": self.column, "code": self.code, **message_fields(self.message),
            "value": self.value,
        }  # fmt: skip


def _storable(value: Any) -> Any:
    """Return a text, or JSON with texts, with a replacement for each character that cannot be printed."""
    if isinstance(value, str):
        return "".join(sign if sign.isprintable() else REPLACEMENT for sign in value)
    if isinstance(value, dict):
        return {name: _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list) else value
