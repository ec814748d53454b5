"""What a model is to the agent: one streaming call that speaks in four kinds of event."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Json = dict[str, Any]


@dataclass(frozen=True)
class TextDelta:
    """Text as it arrives."""

    text: str


@dataclass(frozen=True)
class Retrying:
    """The call failed before anything was said and will be sent again after `seconds`."""

    code: str
    seconds: float


@dataclass(frozen=True)
class Waiting:
    """Nothing of the answer has come yet: the server is loading its model, or is busy with other requests. "" says that
    the answer has begun after such a wait, without text so far."""

    reason: Literal["loading", "busy", ""]


@dataclass(frozen=True)
class Stop:
    """The end of the call. `stop_reason` is "" where the stream ended without one: by itself, because its connection
    broke, or because its time was up.

    `blocks` are content blocks as the API takes them back. `bad_inputs` maps ids of tool uses whose input was not a
    JSON object to what was wrong. `usage`: input_tokens, output_tokens, cache_read_tokens.
    """

    stop_reason: str
    blocks: tuple[Json, ...] = ()
    bad_inputs: dict[str, str] = field(default_factory=dict)
    usage: dict[str, int] = field(default_factory=dict)


ModelEvent = TextDelta | Retrying | Waiting | Stop


class Model(Protocol):
    """A model behind the Messages API."""

    def stream(
        self,
        *,
        system: Sequence[Json],
        messages: Sequence[Json],
        tools: Sequence[Json],
        tool_choice: Json | None,
        max_tokens: int,
        seconds: float,
        at_most: float | None = None,
    ) -> AsyncGenerator[ModelEvent, None]:
        """Stream one call, which ends within `seconds` of wall clock, retries and their waits included.

        A model that may have to be loaded first takes up to `at_most` seconds, if that is given.

        Ends with Stop or raises ModelFailure; closing it closes the connection.
        """
        ...
