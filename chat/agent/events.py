"""The events of the agent."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shared.user_messages import Message

Json = dict[str, Any]


@dataclass(frozen=True)
class Elements:
    """The elements in the model's text.

    `payload` is `{"type","data"}` or None. `notes` inform the model which of its elements were not shown, and why.
    `unreadable` is the raw text of a proposal that could not be read. `warning` is for the user. `not_run`: an action
    that was to run at once was dropped.
    """

    suggested_values: tuple[Json, ...] = ()
    suggested_actions: tuple[Json, ...] = ()
    payload: Json | None = None
    notes: tuple[str, ...] = ()
    unreadable: str = ""
    warning: Message | None = None
    not_run: bool = False


@dataclass(frozen=True)
class AgentResult:
    """The result of a turn, also of one that failed or was cancelled.

    `message` is the concatenation of all text deltas. It ends with `closing`, a message of the application, if there is
    one. `exchange` are the API messages after the user's; they are valid and end with the assistant's.
    `tool_history` entries: tool_name, input, output, is_error, duration_ms, undo?. `tool_payloads` are
    `{"type","data"}`, oldest first.
    """

    message: str = ""
    closing: Message | None = None
    exchange: tuple[Json, ...] = ()
    elements: Elements = field(default_factory=Elements)
    tool_history: tuple[Json, ...] = ()
    tool_payloads: tuple[Json, ...] = ()
    usage: Json = field(default_factory=lambda: {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0})
    stop_reason: str = ""

    @property
    def payload(self) -> Json | None:
        """The payload of the turn: that of the last tool with one, or the one in the text."""
        return self.tool_payloads[-1] if self.tool_payloads else self.elements.payload


@dataclass(frozen=True)
class AgentThinking:
    """A model call starts, or the user has to wait."""

    message: Message


@dataclass(frozen=True)
class AgentTextDelta:
    """Visible text, and `[[tool:N]]` after tool N. `closing` is the application's message that the text ends with."""

    text: str
    closing: Message | None = None


@dataclass(frozen=True)
class AgentToolStart:
    """A tool starts."""

    tool: str
    input: Json
    tool_use_id: str


@dataclass(frozen=True)
class AgentToolProgress:
    """A step of a tool; `progress` is 0–1 or None."""

    tool: str
    tool_use_id: str
    stage: str
    message: str
    progress: float | None = None
    data: Json | None = None


@dataclass(frozen=True)
class AgentToolComplete:
    """A tool has ended. `index` counts from 0 in the turn, `output` is the text for the model."""

    tool: str
    tool_use_id: str
    index: int
    is_error: bool
    duration_ms: int
    output: str = ""
    payload: Json | None = None
    undo: Json | None = None


@dataclass(frozen=True)
class AgentPayloadProgress:
    """Preview of a proposal that is arriving: the operations that are complete since the last such event.

    `count` is the number of all operations so far. `texts` are completed texts outside the operations
    (`{"table_name": …}`). `reset`: earlier events of the turn are void.
    """

    payload_type: str
    operations: tuple[Json, ...]
    count: int
    reset: bool = False
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentComplete:
    """The turn is complete."""

    result: AgentResult


@dataclass(frozen=True)
class AgentCancelled:
    """The turn was stopped; the result has everything so far."""

    result: AgentResult


@dataclass(frozen=True)
class AgentError:
    """The turn failed; the result has everything so far. `retry_after` is in seconds."""

    code: str
    message: Message
    retryable: bool
    retry_after: float | None = None
    result: AgentResult = field(default_factory=AgentResult)


AgentEvent = (
    AgentThinking
    | AgentTextDelta
    | AgentToolStart
    | AgentToolProgress
    | AgentToolComplete
    | AgentPayloadProgress
    | AgentComplete
    | AgentCancelled
    | AgentError
)
