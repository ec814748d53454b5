"""What can go wrong with people and their tokens, in codes; no HTTP here."""
from __future__ import annotations

from user_messages import CodedError


class AccountsError(CodedError):
    """Base of all expected failures."""

    code = "accounts_error"


class NotAuthenticated(AccountsError):
    """Nobody, or with a token that is not valid (any more)."""

    code = "not_authenticated"


class Forbidden(AccountsError):
    """Known, but not allowed to do this."""

    code = "forbidden"


class NotFound(AccountsError):
    """It does not exist, or not for this person: the two are never told apart."""

    code = "not_found"


class Malformed(AccountsError):
    """The request does not have the form it must have."""

    code = "malformed"


class Invalid(AccountsError):
    """The form is right, what it asks for is not possible."""

    code = "invalid"


class InProgress(AccountsError):
    """The same request is being carried out at this moment."""

    code = "in_progress"


class AlreadyCreated(AccountsError):
    """It was made by an earlier request with the same key, whose answer held a secret; `extra["id"]` names it."""

    code = "already_created"


class TooMany(AccountsError):
    """A limit was reached; `extra["retry_after"]` is in seconds."""

    code = "too_many_requests"


class Busy(AccountsError):
    """The server process has too much to do; `extra["retry_after"]` is in seconds."""

    code = "busy"
