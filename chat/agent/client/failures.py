"""Failures of the Anthropic SDK and of servers as `ModelFailure`, with their code and whether to repeat the call."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import anthropic
import httpx2

from chat.agent.client.server_features import OPTIONAL_FIELDS, WEB_SEARCH
from chat.agent.model import NO_FIRST_TOKEN, ModelFailure

CODE_OF_TYPE = {
    "overloaded_error": "provider_overloaded",
    "api_error": "provider_overloaded",
    "internal_error": "provider_overloaded",
    "rate_limit_error": "rate_limited",
    "authentication_error": "provider_auth",
    "permission_error": "provider_auth",
    "billing_error": "provider_auth",
    "timeout_error": "timeout",
}
CODE_OF_STATUS = {
    401: "provider_auth",
    402: "provider_auth",
    403: "provider_auth",
    408: "timeout",
    413: "context_too_long",
    429: "rate_limited",
    500: "provider_overloaded",
    502: "provider_unreachable",
    503: "provider_overloaded",
    504: "timeout",
    529: "provider_overloaded",
}
# In error messages for a prompt that is too long; there is no error code for it.
TOO_LONG_PHRASES = (
    "too long", "context window", "contextwindow", "context length", "context limit", "context size", "context_size",
    "too many tokens", "maximum context",
)  # fmt: skip
NO_CREDIT_PHRASE = "credit balance"
# In error messages of gateways for limits that do not pass within minutes.
QUOTA_WORDS = ("quota", "billing", "credit", "budget")


def failure_of(
    error: Exception, *, started: bool, secrets: Sequence[str] = (), first_token_seconds: float | None = None
) -> ModelFailure:
    """Return the failure for an exception of a call, without `secrets` in its reason.

    `started`: part of the answer has arrived, so the call is not repeated. `first_token_seconds` is the limit of the
    wait for the first token, if it has not arrived.
    """
    code, retry_now = _code_of(error)
    reason = f"{type(error).__name__}: {error}"
    for secret in secrets:
        reason = reason.replace(secret, "…")
    late = code == "timeout" and first_token_seconds is not None
    return ModelFailure(
        code,
        reason=reason[:500],
        message=NO_FIRST_TOKEN(count=round(first_token_seconds or 0)) if late else None,
        retry_after=_retry_after(error),
        retry_now=retry_now and not started,
        wait_reason=_wait_reason(error),
        refused_field=_refused_field(error),
    )


def _wait_reason(error: Exception) -> Literal["loading", "busy", ""]:
    """Return why a server refuses a call for the moment, or ""."""
    if not isinstance(error, anthropic.APIStatusError) or error.status_code not in {429, 503}:
        return ""
    words = str(error.message).lower()
    if any(word in words for word in QUOTA_WORDS):
        return ""
    return "loading" if "loading" in words else "busy"


def _refused_field(error: Exception) -> str:
    """Return the optional field or tool of the request that a server's error message names, or ""."""
    if not isinstance(error, anthropic.APIStatusError) or error.status_code not in {400, 403, 422}:
        return ""
    fields = OPTIONAL_FIELDS if error.status_code != 403 else ()
    words = str(error.message).lower().replace("web search", WEB_SEARCH)
    return next((field for field in (*fields, WEB_SEARCH) if field in words), "")


def _code_of(error: Exception) -> tuple[str, bool]:
    """Return the failure code, and whether the same call may succeed if it is repeated."""
    if isinstance(error, anthropic.APIStatusError):
        return _code_of_status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return "timeout", False
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | OSError):
        return "provider_unreachable", True
    if isinstance(error, TypeError | anthropic.CredentialsError) and "auth" in str(error).lower():
        return "provider_auth", False
    if isinstance(error, AssertionError | ValueError | anthropic.APIResponseValidationError | AttributeError):
        # The response is not one of the Messages API (a web page, half an event).
        return "provider_unreachable", False
    return "internal", False


def _code_of_status(error: anthropic.APIStatusError) -> tuple[str, bool]:
    words = str(error.message).lower()
    if error.status_code in {400, 413} and any(phrase in words for phrase in TOO_LONG_PHRASES):
        return "context_too_long", False
    if error.status_code == 400 and NO_CREDIT_PHRASE in words:
        return "provider_auth", False
    # The type first: an error event in a stream has the status 200.
    code = CODE_OF_TYPE.get(str(error.type), "") or CODE_OF_STATUS.get(error.status_code, "")
    if not code and error.status_code == 200:
        # An error event in a format of the server's own; an answer that has started can be continued.
        code = "provider_unreachable"
    if not code:
        code = "provider_overloaded" if error.status_code >= 500 else "internal"
    return code, code in {"provider_overloaded", "rate_limited", "provider_unreachable"}


def _retry_after(error: Exception) -> float | None:
    if not isinstance(error, anthropic.APIStatusError):
        return None
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None
