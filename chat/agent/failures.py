"""Failures of model calls: codes, and messages for the user. Independent of the SDK."""
from __future__ import annotations

from typing import Literal

from shared.user_messages import Message, declare

FAILURES = {
    "provider_overloaded": declare(
        "provider_overloaded", "The assistant's model is overloaded at the moment. Please try again in a minute."
    ),
    "rate_limited": declare(
        "provider_rate_limited",
        "The assistant's model received too many requests. Please wait a moment and try again.",
    ),
    "provider_auth": declare(
        "provider_auth",
        "The model rejected this site's API key or account. Please contact the administrator.",
    ),
    "provider_unreachable": declare(
        "provider_unreachable", "The assistant's model could not be reached. Please try again."
    ),
    "context_too_long": declare(
        "context_too_long",
        "This conversation is too long for the model. Please start a new one.",
    ),
    "budget_exhausted": declare("budget_exhausted", "Daily assistant limit reached."),
    "timeout": declare(
        "turn_timeout", "The answer took too long and was stopped. Please try again, perhaps with a smaller request."
    ),
    "internal": declare("internal_error", "Something went wrong on our side."),
}
"""The message of each failure code."""
NO_FIRST_TOKEN = declare(
    "no_first_token",
    "The model did not start answering within {count} seconds. It may still be loading. Please try again.",
)
RETRYABLE = frozenset({"provider_overloaded", "rate_limited", "provider_unreachable", "timeout", "internal"})


class ModelFailure(Exception):
    """A model call that failed. `code` is a key of FAILURES; `reason` is only for the log, never for users.

    `message` is for the user, by default that of the code. `retry_after` is in seconds, as requested by the provider,
    or None. `retry_now`: the same call may be repeated, because no part of an answer has arrived. `wait_reason` is
    "loading" or "busy" if the server refuses the call only for the moment. `refused_field` is an optional field of the
    request that the server does not accept.
    """

    def __init__(
        self,
        code: str,
        *,
        reason: str = "",
        message: Message | None = None,
        retry_after: float | None = None,
        retry_now: bool = False,
        wait_reason: Literal["loading", "busy", ""] = "",
        refused_field: str = "",
    ) -> None:
        super().__init__(reason or code)
        self.code = code
        self.reason = reason
        self.message = message or FAILURES[code]()
        self.retry_after = retry_after
        self.retry_now = retry_now
        self.wait_reason = wait_reason
        self.refused_field = refused_field

    @property
    def retryable(self) -> bool:
        """Whether another try by the user may succeed."""
        return self.code in RETRYABLE
