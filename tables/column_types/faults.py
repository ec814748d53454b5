"""Faults of a value, name or definition. The caller adds the path."""
from __future__ import annotations

from collections.abc import Sequence

from shared.user_messages import Message, Param, as_message, declare

AN_OBJECT = declare("an_object", "An object")
A_LIST = declare("a_list", "A list")
LONG_NUMBER = declare("long_number", "A number of more than {digits} digits")
IN_COLUMN = declare("in_column", "{column}: {fault}")
MAX_DIGITS = 60
MAX_TEXT_LENGTH = 60


class ValueFault(Exception):
    """An invalid value, name or definition. `code` is part of the API; `message` states the allowed values.

    `part` is the invalid part of a definition (`default`, `options[2]`), "" for the whole and for values; `others` are
    the other faults of the definition. Column types of other apps may pass a text instead of a message; it is not
    translated.
    """

    def __init__(
        self, code: str, message: Message | str, *, part: str = "", others: Sequence[ValueFault] = ()
    ) -> None:
        self.message = as_message(message)
        super().__init__(self.message)
        self.code = code
        self.part = part
        self.others = tuple(others)

    @classmethod
    def of_all(cls, faults: Sequence[ValueFault]) -> ValueFault:
        """Return the first of these faults of one definition, with the others."""
        first, *others = faults
        return cls(first.code, first.message, part=first.part, others=others)

    @property
    def all(self) -> tuple[ValueFault, ...]:
        """This fault and the others of the definition."""
        return (self, *self.others)

    @property
    def detail(self) -> str:
        """The message in English."""
        return str(self.message)

    def in_column(self, name: str) -> Message:
        """Return the message with the name of the column that the value is for."""
        return IN_COLUMN(column=name, fault=self.message)

    def at(self, part: str) -> ValueFault:
        """Return the same fault for this part of a definition."""
        return ValueFault(self.code, self.message, part=part)


def shown(value: object) -> Param:
    """Return a value as messages show it (`{value:quoted}`): texts short and on one line, other values as JSON."""
    if isinstance(value, dict | list | tuple):
        return AN_OBJECT() if isinstance(value, dict) else A_LIST()
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        # Python raises ValueError when it converts a very long integer to text.
        return LONG_NUMBER(digits=MAX_DIGITS)
    if value is None or isinstance(value, int | float):
        return value
    # Leading and trailing spaces are shown, because they may be the only difference from an allowed value.
    text = "".join(" " if character.isspace() else character for character in str(value)[: MAX_TEXT_LENGTH + 1])
    return text if len(text) <= MAX_TEXT_LENGTH else text[: MAX_TEXT_LENGTH - 1] + "…"
