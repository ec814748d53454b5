"""The interface of a model: one streaming call with four types of events, and its failures. Independent of the SDK."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from shared.user_messages import Message, declare

Json = dict[str, Any]

NORMAL_STOP_REASONS = frozenset({"end_turn", "stop_sequence", "tool_use", "refusal", "model_context_window_exceeded"})
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


@dataclass(frozen=True)
class TextDelta:
    """Text that has arrived."""

    text: str


@dataclass(frozen=True)
class Retrying:
    """The call failed before its answer started, and will be repeated after `seconds`."""

    code: str
    seconds: float


@dataclass(frozen=True)
class Waiting:
    """The answer has not started: the server is loading its model, or is busy with other requests.

    With the reason "" it has started after such a wait, without text so far.
    """

    reason: Literal["loading", "busy", ""]


@dataclass(frozen=True)
class Stop:
    """The end of the call.

    `stop_reason` is "" if the stream ended without one, its connection broke or its time was up. `blocks` are content
    blocks of the API. `bad_inputs` maps ids of tool uses with an invalid input to the reason. `usage` has
    input_tokens, output_tokens and cache_read_tokens.
    """

    stop_reason: str
    blocks: tuple[Json, ...] = ()
    bad_inputs: dict[str, str] = field(default_factory=dict)
    usage: dict[str, int] = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        """Whether the answer was cut off. Unknown stop reasons count as cut off."""
        return self.stop_reason not in NORMAL_STOP_REASONS

    @property
    def text_blocks(self) -> list[Json]:
        """The blocks of an answer that is continued: its tools do not run, and its thinking is incomplete."""
        return [block for block in self.blocks if block["type"] == "text"]


class ModelFailure(Exception):
    """A model call that failed. `code` is a key of FAILURES; `reason` is only for the log, never for users.

    `message` is for the user, by default that of the code. `retry_after` is in seconds, as requested by the provider,
    or None. `retry_now`: the same call may be repeated, because no part of an answer has arrived. `wait_reason` is
    "loading" or "busy" if the server refuses the call only for the moment. `refused_field` is an optional field of the
    request that the server does not accept, or "web_search".
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
        """Whether the user may retry with success."""
        return self.code in RETRYABLE


ModelEvent = TextDelta | Retrying | Waiting | Stop


class Model(Protocol):
    """A model with a Messages API."""

    def stream(
        self,
        *,
        system: Sequence[Json],
        messages: Sequence[Json],
        tools: Sequence[Json],
        tool_choice: Json | None,
        max_tokens: int,
        seconds: float,
        max_seconds: float | None = None,
    ) -> AsyncGenerator[ModelEvent, None]:
        """Stream one call of at most `seconds`, including retries and waits. Closing the stream closes the connection.

        If the server may have to load its model, `max_seconds` is the limit including this time.

        Ends with Stop or raises ModelFailure. A call whose connection breaks or whose time is up after text has arrived
        ends with a Stop with this text, and without a stop reason unless it had arrived as well.
        """
        ...


class TextBuffer:
    """Text that grows at its end, stored as bytes.

    A list of the pieces would use ten times the memory: each string has an overhead of about fifty bytes.
    """

    __slots__ = ("_bytes",)

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, piece: str) -> None:
        """Append any characters, including single surrogates."""
        self._bytes += piece.encode("utf-8", "surrogatepass")

    def __str__(self) -> str:
        return self._bytes.decode("utf-8", "surrogatepass")
