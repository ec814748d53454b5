"""What can go wrong in the chat, in codes; no HTTP here."""
from __future__ import annotations

from typing import Any, Protocol

from user_messages import CodedError


class Fault(Protocol):
    """One thing that is wrong with what was sent."""

    def as_json(self) -> dict[str, Any]:
        """`{"path","code","detail"}`."""
        ...


class ChatError(CodedError):
    """Base of all expected failures."""

    code = "chat_error"
    faults: tuple[Fault, ...]


class NotFound(ChatError):
    """It does not exist, or not for this person: the two are never told apart."""

    code = "not_found"


class Malformed(ChatError):
    """The request does not have the form it must have."""

    code = "malformed"


class Invalid(ChatError):
    """The request has its form; what it says does not fit."""

    code = "invalid"


class NotAuthenticated(ChatError):
    """Nobody is signed in."""

    code = "not_authenticated"


class Forbidden(ChatError):
    """The person is known, and may not do this."""

    code = "forbidden"


class WrongMethod(ChatError):
    """The address is right, what should be done with it is not."""

    code = "method_not_allowed"


class NotAcceptable(ChatError):
    """The client accepts no media type that this URL can send."""

    code = "not_acceptable"


class WrongMediaType(ChatError):
    """The body is not JSON, nor says that it is."""

    code = "unsupported_media_type"


class Busy(ChatError):
    """A turn of this conversation is still running; `extra["turn_id"]` names it."""

    code = "turn_running"


class Settled(ChatError):
    """The proposal is no longer pending; the code is `already_<status>`, `extra` holds the first outcome."""

    code = "already_settled"


class ActionFailure(ChatError):
    """A server action is understood and cannot be done now."""

    code = "action_failed"


class TooMany(ChatError):
    """A limit was reached; `extra["retry_after"]` is in seconds."""

    code = "too_many_requests"


class RegistryError(Exception):
    """A registry entry is declared twice or names what does not exist: a developer's mistake."""


class ToolFailure(Exception):
    """An expected failure of a tool; the text goes to the model as the tool's result with `is_error`."""
