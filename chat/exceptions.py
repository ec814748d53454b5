"""Exceptions of the chat, with error codes. HTTP statuses are assigned in `chatproject.errors`."""
from __future__ import annotations

from typing import Any, Protocol

from shared.user_messages import CodedError


class Fault(Protocol):
    """One fault of a request."""

    def as_json(self) -> dict[str, Any]:
        """Return `{"path", "code", "detail"}`."""
        ...


class ChatError(CodedError):
    """Base class of expected failures."""

    code = "chat_error"
    faults: tuple[Fault, ...]


class NotFound(ChatError):
    """The object does not exist, or the user may not view it; clients cannot distinguish these."""

    code = "not_found"


class Malformed(ChatError):
    """The format of the request is wrong."""

    code = "malformed"


class Invalid(ChatError):
    """The format of the request is right, but its values cannot be accepted."""

    code = "invalid"


class NotAuthenticated(ChatError):
    """The request has no signed-in user."""

    code = "not_authenticated"


class Forbidden(ChatError):
    """The user is signed in, but may not do this."""

    code = "forbidden"


class WrongMethod(ChatError):
    """The URL does not support the method of the request."""

    code = "method_not_allowed"


class NotAcceptable(ChatError):
    """The client accepts no media type that this URL can send."""

    code = "not_acceptable"


class WrongMediaType(ChatError):
    """The content type of the request is not JSON."""

    code = "unsupported_media_type"


class Busy(ChatError):
    """A turn of this conversation is still running; `extra["turn_id"]` is its id."""

    code = "turn_running"


class Settled(ChatError):
    """The object has changed since the client read it.

    A proposal is no longer pending: the code is `already_<status>`, and `extra` has the first outcome. Or the
    configuration has a newer version.
    """

    code = "already_settled"


class ProposalConflict(ChatError):
    """A proposal cannot be applied or undone because its object has changed since."""

    code = "proposal_conflict"


class ProposalRefused(ChatError):
    """A proposal cannot be applied or undone as it was chosen."""

    code = "proposal_refused"


class ActionFailure(ChatError):
    """A server action cannot be performed now."""

    code = "action_failed"


class TooMany(ChatError):
    """A limit was reached; `extra["retry_after"]` is in seconds."""

    code = "too_many_requests"


class RegistryError(Exception):
    """A registry entry is invalid or registered twice."""


class ToolFailure(Exception):
    """An expected failure of a tool; the model receives the text as the tool's result, with `is_error`."""
