"""What can go wrong with tables, in codes; no HTTP here."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from shared.user_messages import CodedError, Message, message_fields


@dataclass(frozen=True, init=False)
class Fault:
    """One thing that is wrong, with the path to it (`operations[3].changes.Amount`) and what would be right."""

    path: str
    code: str
    message: Message
    value: Any = None

    def __init__(
        self, path: str, code: str = "", value: Any = None, *, message: Message
    ) -> None:
        """`code` is part of the API; without one it is that of the message."""
        for name, content in (("path", path), ("code", code or message.code), ("message", message), ("value", value)):
            object.__setattr__(self, name, content)

    @property
    def detail(self) -> str:
        """The message in English."""
        return str(self.message)

    @classmethod
    def from_json(cls, fault: Mapping[str, Any], *, path: str | None = None) -> Fault:
        """Return the fault that `as_json` described; `path` replaces its own."""
        stored = {"code": fault.get("message_code"), "params": fault.get("params")}
        message = Message.from_json(stored, text=fault["detail"])
        return cls(fault["path"] if path is None else path, fault["code"], message=message, value=fault.get("value"))

    def as_json(self) -> dict[str, Any]:
        """Return its form in JSON errors and previews."""
        fault = {"path": self.path, "code": self.code, **message_fields(self.message)}
        return fault if self.value is None else {**fault, "value": self.value}


class TablesError(CodedError):
    """Base of all expected failures."""

    code = "tables_error"
    faults: tuple[Fault, ...]

    @classmethod
    def at(cls, path: str, message: Message, *, code: str = "") -> Self:
        """Return the error for one thing that is wrong; `code` is that of its fault."""
        return cls(message, faults=(Fault(path, code, message=message),))


class NotFound(TablesError):
    """The object does not exist, or the user has no access to it: the response is the same."""

    code = "not_found"


class NotAuthenticated(TablesError):
    """Nobody is signed in."""

    code = "not_authenticated"


class WrongMethod(TablesError):
    """The address knows others; `extra["allow"]` names them."""

    code = "method_not_allowed"


class TooMany(TablesError):
    """As many of this as there may be at a time; `extra["retry_after"]` seconds later there may be room."""

    code = "too_many_requests"


class Forbidden(TablesError):
    """The person may see it, but not do this with it."""

    code = "forbidden"


class Malformed(TablesError):
    """The request does not have the form it must have."""

    code = "malformed"


class Invalid(TablesError):
    """The form is right, what it asks for is not possible; `faults` says where and why. Nothing was written."""

    code = "invalid"


class TooLarge(TablesError):
    """More was sent than is taken in at once. Nothing was written."""

    code = "too_large"


class Outdated(TablesError):
    """The version that the request names is not the current one. Nothing was written."""

    code = "version_moved"


class NoLongerKept(TablesError):
    """It was there, and has been cleared away since; who wants to catch up reads everything again."""

    code = "no_longer_kept"


class Conflict(TablesError):
    """Something changed meanwhile; `faults` or `extra` lists what. Nothing was written."""

    code = "conflict"
