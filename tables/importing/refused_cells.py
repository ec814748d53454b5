"""Unreadable cells of a file: their stored form and their form in reports."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shared.user_messages import Message, message_fields

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """A cell that cannot be read, or a row that is skipped; `row` is its number in the file.

    `column` is "" for a whole row. `value` is the cell as text, None if there is none.
    """

    row: int
    column: str
    code: str
    message: Message
    value: str | None

    def as_list(self) -> list[Any]:
        """Return the stored form, a JSON list without characters that databases refuse."""
        return [
            self.row, self.column, self.code, _storable(str(self.message)), self.value,
            _storable(self.message.as_json()),
        ]  # fmt: skip

    @classmethod
    def from_list(cls, stored: Sequence[Any]) -> RefusedCell:
        """Return the cell that `as_list` described. Lists of earlier releases have an English text as message."""
        row, column, code, detail, value, *message = stored
        return cls(row, column, code, Message.from_json(message[0] if message else None, text=detail), value)

    def as_json(self) -> dict[str, Any]:
        """Return the form in the report of an import."""
        return {
            "row": self.row, "column": self.column, "code": self.code, **message_fields(self.message),
            "value": self.value,
        }  # fmt: skip


def _storable(value: Any) -> Any:
    """Return a text, or JSON with texts, with each unprintable character replaced."""
    if isinstance(value, str):
        return "".join(sign if sign.isprintable() else REPLACEMENT for sign in value)
    if isinstance(value, dict):
        return {name: _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list) else value
