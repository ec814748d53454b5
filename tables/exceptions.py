"""What can go wrong with tables, in codes; no HTTP here."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, with the path to it (`operations[3].changes.Amount`) and what would be right."""

    path: str
    code: str
    detail: str
    value: Any = None

    def as_json(self) -> dict[str, Any]:
        """The form it has in error answers and previews."""
        fault = {"path": self.path, "code": self.code, "detail": self.detail}
        return fault if self.value is None else {**fault, "value": self.value}


class TablesError(Exception):
    """Base of all expected failures. `code` is stable, `detail` a sentence for a person."""

    code = "tables_error"

    def __init__(
        self, detail: str, *, code: str = "", faults: tuple[Fault, ...] = (), extra: dict[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.faults = faults
        self.extra = extra or {}


class NotFound(TablesError):
    """It does not exist, or not for this person: the two are never told apart."""

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
    """The writer named the version it looked at, and that has moved on. Nothing was written."""

    code = "version_moved"


class NoLongerKept(TablesError):
    """It was there, and has been cleared away since; who wants to catch up reads everything again."""

    code = "no_longer_kept"


class Conflict(TablesError):
    """Something changed meanwhile; `faults` or `extra` lists what. Nothing was written."""

    code = "conflict"
