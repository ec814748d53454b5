"""Exceptions of the tables app, with stable codes. `chatproject.errors` maps them to HTTP statuses."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from shared.user_messages import CodedError, Message, message_fields


@dataclass(frozen=True, init=False)
class Fault:
    """One fault of a request or file: its path (`operations[3].changes.Amount`), a code and a message for the user.

    `row_id` is the id of the stored row that it is about, None for others.
    """

    path: str
    code: str
    message: Message
    value: Any = None
    row_id: int | None = None

    def __init__(
        self, path: str, code: str = "", value: Any = None, *, message: Message, row_id: int | None = None
    ) -> None:
        """Set the fields. `code` is part of the API; the default is the code of the message."""
        fields = {"path": path, "code": code or message.code, "message": message, "value": value, "row_id": row_id}
        for name, content in fields.items():
            object.__setattr__(self, name, content)

    @property
    def detail(self) -> str:
        """The message in English."""
        return str(self.message)

    @classmethod
    def from_json(cls, fault: Mapping[str, Any], *, path: str | None = None) -> Fault:
        """Return the fault from the result of `as_json`; `path` replaces the stored path."""
        stored = {"code": fault.get("message_code"), "params": fault.get("params")}
        message = Message.from_json(stored, text=fault["detail"])
        where, value = fault["path"] if path is None else path, fault.get("value")
        return cls(where, fault["code"], value, message=message, row_id=fault.get("row_id"))

    def as_json(self) -> dict[str, Any]:
        """Return the fault as JSON for error responses and previews."""
        further = {"value": self.value, "row_id": self.row_id}
        return {
            "path": self.path, "code": self.code, **message_fields(self.message),
            **{name: content for name, content in further.items() if content is not None},
        }  # fmt: skip


class TablesError(CodedError):
    """Base class of expected errors. `code` is part of the API; `faults` are the single faults."""

    code = "tables_error"
    faults: tuple[Fault, ...]

    @classmethod
    def at(cls, path: str, message: Message, *, code: str = "") -> Self:
        """Return the error for a single fault; `code` is the code of the fault."""
        return cls(message, faults=(Fault(path, code, message=message),))


class NotFound(TablesError):
    """The object does not exist, or the user may not view it; clients cannot distinguish these."""

    code = "not_found"


class NotAuthenticated(TablesError):
    """The request has no signed-in user."""

    code = "not_authenticated"


class WrongMethod(TablesError):
    """The URL does not support this method; `extra["allow"]` lists the allowed methods."""

    code = "method_not_allowed"


class NotAcceptable(TablesError):
    """The client accepts no media type that this URL can send."""

    code = "not_acceptable"


class TooMany(TablesError):
    """A limit was reached; the client may retry after `extra["retry_after"]` seconds."""

    code = "too_many_requests"


class Unavailable(TablesError):
    """The server cannot answer now; the client may retry after `extra["retry_after"]` seconds."""

    code = "unavailable"


class Forbidden(TablesError):
    """The user may view the object, but lacks the right for this action."""

    code = "forbidden"


class Malformed(TablesError):
    """The structure of the request is invalid: a missing or unknown field, or a value of the wrong type."""

    code = "malformed"


class Invalid(TablesError):
    """The request is well-formed, but cannot be executed; `faults` lists the reasons. Nothing was written."""

    code = "invalid"


class TooLarge(TablesError):
    """The request exceeds a size limit. Nothing was written."""

    code = "too_large"


class NotInRange(TablesError):
    """The file has none of the requested bytes."""

    code = "not_in_range"


class Outdated(TablesError):
    """The table or row has another version than the request expects. Nothing was written."""

    code = "version_moved"


class ChangesExpired(TablesError):
    """The requested changes have been deleted after their retention time; clients must read the table again."""

    code = "no_longer_kept"


class Conflict(TablesError):
    """The data has changed since the client read it; `faults` or `extra` has the details. Nothing was written."""

    code = "conflict"
