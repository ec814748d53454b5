"""Expected errors of accounts, with stable codes. `chatproject.errors` maps them to HTTP statuses."""
from __future__ import annotations

from shared.user_messages import CodedError


class AccountsError(CodedError):
    """Base class of expected errors."""

    code = "accounts_error"


class NotAuthenticated(AccountsError):
    """The request has no user, or a token that is not valid."""

    code = "not_authenticated"


class Forbidden(AccountsError):
    """The user may not do this."""

    code = "forbidden"


class NotFound(AccountsError):
    """The object does not exist, or the user may not see it."""

    code = "not_found"


class Malformed(AccountsError):
    """The request is malformed."""

    code = "malformed"


class Invalid(AccountsError):
    """The request is well-formed, but not possible."""

    code = "invalid"


class InProgress(AccountsError):
    """A request with the same key is in progress."""

    code = "in_progress"


class AlreadyCreated(AccountsError):
    """An earlier request with the same key created it, and its response had a secret; `extra["id"]` is the id."""

    code = "already_created"


class TooMany(AccountsError):
    """A limit was reached; `extra["retry_after"]` is in seconds."""

    code = "too_many_requests"


class Busy(AccountsError):
    """The server process is overloaded; `extra["retry_after"]` is in seconds."""

    code = "busy"
