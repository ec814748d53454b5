"""The interface of a model: one streaming call with four types of events."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Json = dict[str, Any]


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
