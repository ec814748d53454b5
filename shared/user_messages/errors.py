"""The base class of expected errors: a stable code for API clients and a message for users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shared.user_messages.message import Message, as_message, message_fields


class CodedError(Exception):
    """An expected error. `code` is stable and part of the API; `message` describes the error to the user.

    `path` is its position in the request, `faults` are the single faults if there are several, at most `most` of them,
    and `more_faults` the number of the others. `extra` has more fields of the JSON error.
    """

    code = "error"

    def __init__(
        self,
        message: Message | str,
        *,
        code: str = "",
        path: str = "",
        faults: Sequence[Any] = (),
        most: int | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.message = as_message(message)
        super().__init__(self.message)
        self.code = code or type(self).code
        self.path = path
        self.faults = tuple(faults[:most])
        self.more_faults = len(faults) - len(self.faults)
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


def read_all(*reads: Callable[[], Any], errors: type[CodedError], most: int) -> list[Any]:
    """Return the results of these functions. Raises the error of one, or one error with the faults of all.

    `errors` is the class of the errors that are collected, `most` the maximum number of faults.
    """
    results: list[Any] = []
    raised: list[CodedError] = []
    for read in reads:
        try:
            results.append(read())
        except errors as error:
            raised.append(error)
    if len(raised) > 1:
        first, faults = raised[0], [fault for error in raised for fault in error.faults or (_Fault(error),)]
        together = type(first)(first.message, code=first.code, path=first.path, faults=faults, most=most)
        together.more_faults += sum(error.more_faults for error in raised)
        raise together
    if raised:
        raise raised[0]
    return results


@dataclass(frozen=True)
class _Fault:
    """The fault of an error about one field."""

    error: CodedError

    def as_json(self) -> dict[str, Any]:
        return {"path": self.error.path, "code": self.error.code, **self.error.message_fields()}
