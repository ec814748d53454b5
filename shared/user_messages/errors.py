"""The base class of expected errors: a stable code for API clients and a message for users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shared.user_messages.message import Message, as_message, message_fields


class CodedError(Exception):
    """An expected error. `code` is stable and part of the API; `message` describes the error to the user.

    `path` is its position in the request, `faults` are the single faults if there are several, `extra` has more fields
    of the JSON error.
    """

    code = "error"

    def __init__(
        self,
        message: Message | str,
        *,
        code: str = "",
        path: str = "",
        faults: Sequence[Any] = (),
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.message = as_message(message)
        super().__init__(self.message)
        self.code = code or type(self).code
        self.path = path
        self.faults = tuple(faults)
        self.extra = extra or {}

    def __str__(self) -> str:
        return str(self.message)

    @property
    def detail(self) -> str:
        """The message in English."""
        return str(self.message)

    def message_fields(self) -> dict[str, Any]:
        """Return the message as fields of a JSON error."""
        return message_fields(self.message)
