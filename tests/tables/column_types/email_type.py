"""A custom column type in one module, as another app would define it."""
from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.user_messages import declare
from tables.column_types import COLUMN_TYPES, SCRIPTS, ColumnSpec, ColumnType, register_column_type
from tables.column_types.column_type import ALWAYS
from tables.column_types.faults import ValueFault, shown

NOT_AN_EMAIL = declare("not_an_email", "{value:quoted} is not an e-mail address in small letters.")
ADDRESS = re.compile(r"[^\s@<>:\"]+@[^\s@<>:\"]+\.[^\s@<>:\".]+")


class Email(ColumnType):
    """An e-mail address in lower case."""

    name = "email"
    label = "E-mail"
    described = "an e-mail address as a string"
    operators = ("contains", "eq", "ne", "starts_with", *ALWAYS)
    comparison = "folded"
    never_from = ("date", "boolean")
    icon = "share-2"
    drawn = "link"

    def _check(self, value: Any, column: ColumnSpec) -> str:
        if not isinstance(value, str) or len(value) > 254 or not ADDRESS.fullmatch(value) or value != value.lower():
            raise ValueFault("not_an_email", NOT_AN_EMAIL(value=shown(value)))
        return value

    def _cast(self, value: Any, column: ColumnSpec) -> str:
        text = value.strip().removeprefix("mailto:").lower() if isinstance(value, str) else value
        return self._check(text, column)

    def link(self, value: Any, column: ColumnSpec) -> str:
        return f"mailto:{value}"


@contextmanager
def registered_email_type(*, script: str = "") -> Iterator[None]:
    """Register the type during the block."""
    register_column_type(Email(), script=script)
    try:
        yield
    finally:
        del COLUMN_TYPES[Email.name]
        SCRIPTS.pop(Email.name, None)
