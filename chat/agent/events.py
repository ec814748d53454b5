"""What the agent says while it works: pure values that know neither HTTP nor the database."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from user_messages import Message

Json = dict[str, Any]


@dataclass(frozen=True)
class Elements:
    """What was read out of the model's text beside the text itself.

    `payload` is `{"type","data"}` or None. `notes` are for the model: what it wrote and was not shown, and why.
    `unreadable` is the raw text of a proposal that could not be read. `warning` is for the person.
    `not_run`: an action was to run at once, and was left out.
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
    """What a turn came to, also when it broke off.

    `message` is the concatenation of all text deltas; it ends with `closing`, a message of the application's own, if
    there is one. `exchange` are the API messages after the user's: valid by
    themselves, ending with the assistant's. `tool_history` entries: tool_name, input, output, is_error, duration_ms,
    undo?. `tool_payloads` are `{"type","data"}` in the order they came.
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
        """The payload of the turn: the last one of a tool, else the one in the text."""
        return self.tool_payloads[-1] if self.tool_payloads else self.elements.payload


@dataclass(frozen=True)
class AgentThinking:
    """A model call begins, or the person has to wait for something."""

    message: Message


@dataclass(frozen=True)
class AgentTextDelta:
    """Text the person sees now; also `[[tool:N]]` right after tool N. `closing` is the message that the text ends with,
    if it is one of the application's own."""

    text: str
    closing: Message | None = None


@dataclass(frozen=True)
class AgentToolStart:
    """A tool begins."""

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
    """A tool has ended; `index` counts from 0 in the turn, `output` is what the model is told."""

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
    """Operations of an arriving proposal that are complete since the last such event; a preview only.

    `count` is of all so far, `texts` are those beside the operations that became complete (`{"table_name": …}`);
    `reset` says that what was told before is void.
    """

    payload_type: str
    operations: tuple[Json, ...]
    count: int
    reset: bool = False
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentComplete:
    """The turn has its answer."""

    result: AgentResult


@dataclass(frozen=True)
class AgentCancelled:
    """Somebody stopped the turn; the result holds what had been said."""

    result: AgentResult


@dataclass(frozen=True)
class AgentError:
    """The turn failed; the result holds what had been said."""

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
