"""The events of a turn's stream, and the messages of the socket of open pages."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from shared.events import Event, Json, JsonObject, doc, event_schemas


@dataclass(frozen=True, kw_only=True)
class StatusEvent(Event):
    """The turn has started, the model is called, or the user has to wait. The first event of a turn has its ids."""

    type = "status"

    message: Annotated[str, doc("A sentence in the language of the user.")]
    message_code: Annotated[str | None, doc("The code of the message.")] = None
    params: Annotated[Json | None, doc("The parameters of the message.")] = None
    turn_id: Annotated[str | None, doc("The id of the turn.", format="uuid")] = None
    conversation_id: Annotated[str | None, doc("The id of the conversation.", format="uuid")] = None


@dataclass(frozen=True, kw_only=True)
class TextDeltaEvent(Event):
    """Text to append to the answer."""

    type = "text_delta"

    text: Annotated[str, doc("The text, in Markdown. [[tool:N]] follows the end of the tool with this index.")]
    closing: Annotated[Json | None, doc("Code and parameters of the server's message that the text ends with.")] = None


@dataclass(frozen=True, kw_only=True)
class PayloadProgressEvent(Event):
    """A part of a proposal that is being written. The whole proposal is in “complete”."""

    type = "payload_progress"

    payload_type: Annotated[str, doc("The name of the payload type.")]
    operations: Annotated[list[Json], doc("The operations that are complete since the last such event.")]
    count: Annotated[int, doc("The number of all operations so far.")]
    texts: Annotated[dict[str, str], doc("Complete texts outside of the operations, by field.")] = field(
        default_factory=dict
    )
    reset: Annotated[bool, doc("Whether earlier events about a proposal in this turn are void.")] = False


@dataclass(frozen=True, kw_only=True)
class ToolStartEvent(Event):
    """A tool starts."""

    type = "tool_start"

    tool: Annotated[str, doc("The name of the tool.")]
    tool_use_id: Annotated[str, doc("The id of this use of the tool.")]
    input: Annotated[Json, doc("The arguments.")]


@dataclass(frozen=True, kw_only=True)
class ToolProgressEvent(Event):
    """A step of a tool."""

    type = "tool_progress"

    tool: Annotated[str, doc("The name of the tool.")]
    tool_use_id: Annotated[str, doc("The id of this use of the tool.")]
    stage: Annotated[str, doc("The name of the step.")]
    message: Annotated[str, doc("A sentence about the step.")]
    progress: Annotated[float | None, doc("From 0 to 1, null if unknown.")]
    data: Annotated[Json | None, doc("Data of the tool.")] = None


@dataclass(frozen=True, kw_only=True)
class ToolCompleteEvent(Event):
    """A tool has ended."""

    type = "tool_complete"

    tool: Annotated[str, doc("The name of the tool.")]
    tool_use_id: Annotated[str, doc("The id of this use of the tool.")]
    index: Annotated[int, doc("The number of tools that had ended before in this turn.")]
    is_error: Annotated[bool, doc("Whether the tool failed.")]
    duration_ms: Annotated[int, doc("The duration in milliseconds.")]
    undo: Annotated[Json | None, doc("How to undo what the tool has changed.")] = None


@dataclass(frozen=True, kw_only=True)
class CompletePayload(JsonObject):
    """The answer of a turn."""

    message: Annotated[str, doc("The whole text, in Markdown.")]
    conversation_id: Annotated[str, doc("The id of the conversation.", format="uuid")]
    message_id: Annotated[str, doc("The id of the answer.", format="uuid")]
    turn_id: Annotated[str, doc("The id of the turn.", format="uuid")]
    usage: Annotated[Json, doc("The tokens of the model: input_tokens, output_tokens, cache_read_tokens.")]
    suggested_values: Annotated[list[Json], doc("Suggested replies, each with label and value.")] = field(
        default_factory=list
    )
    suggested_actions: Annotated[list[Json], doc("Suggested actions, each with label, action and handler.")] = field(
        default_factory=list
    )
    custom_payload: Annotated[
        Json | None,
        doc(
            "The proposal: id, type, data, status, summary, content_hash and counts. Without one, the tools as "
            "“tool_history”, which have no id."
        ),
    ] = None
    tool_history: Annotated[
        list[Json], doc("The tools: tool_name, input, output, is_error, duration_ms, and undo if it is possible.")
    ] = field(default_factory=list)
    closing: Annotated[Json | None, doc("Code and parameters of the server's message that the text ends with.")] = None
    warning: Annotated[str, doc("A warning to the user.")] = ""
    warning_coded: Annotated[Json | None, doc("Code and parameters of the warning.")] = None
    unreadable: Annotated[str, doc("The text of a proposal that could not be read.")] = ""
    links: Annotated[Json, doc("The targets of links in the message by address, each with href and data.")] = field(
        default_factory=dict
    )


@dataclass(frozen=True, kw_only=True)
class CompleteEvent(Event):
    """The last event of a turn: its whole answer."""

    type = "complete"

    payload: CompletePayload


@dataclass(frozen=True, kw_only=True)
class ErrorEvent(Event):
    """The last event of a turn that failed."""

    type = "error"

    message: Annotated[str, doc("A sentence in the language of the user.")]
    code: Annotated[str, doc("The code of the error.")]
    retryable: Annotated[bool, doc("Whether the same message may succeed later.")]
    message_code: Annotated[str | None, doc("The code of the message.")] = None
    params: Annotated[Json | None, doc("The parameters of the message.")] = None
    retry_after: Annotated[float | None, doc("The seconds to wait before.")] = None
    message_id: Annotated[str | None, doc("The id of the partial answer, if it was stored.", format="uuid")] = None


@dataclass(frozen=True, kw_only=True)
class CancelledEvent(Event):
    """The last event of a turn that was stopped."""

    type = "cancelled"

    message_id: Annotated[str | None, doc("The id of the partial answer.", format="uuid")] = None


TURN_EVENTS: tuple[type[Event], ...] = (
    StatusEvent,
    TextDeltaEvent,
    PayloadProgressEvent,
    ToolStartEvent,
    ToolProgressEvent,
    ToolCompleteEvent,
    CompleteEvent,
    ErrorEvent,
    CancelledEvent,
)


@dataclass(frozen=True, kw_only=True)
class HereMessage(Event):
    """The socket is ready: later changes are sent, earlier ones must be read."""

    type = "here"

    latest: Annotated[
        str | None, doc("The id of the latest conversation of the page, “” for none; absent without the query “page”.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class TurnStartedMessage(Event):
    """A turn has started."""

    type = "turn_started"

    turn_id: Annotated[str, doc("The id of the turn.", format="uuid")]
    conversation_id: Annotated[str, doc("The id of the conversation.", format="uuid")]


@dataclass(frozen=True, kw_only=True)
class TurnEndedMessage(Event):
    """A turn has ended."""

    type = "turn_ended"

    turn_id: Annotated[str, doc("The id of the turn.", format="uuid")]
    conversation_id: Annotated[str, doc("The id of the conversation.", format="uuid")]


@dataclass(frozen=True, kw_only=True)
class PayloadStatusMessage(Event):
    """The status of a proposal has changed."""

    type = "payload_status"

    payload_id: Annotated[str, doc("The id of the proposal.", format="uuid")]
    conversation_id: Annotated[str, doc("The id of the conversation.", format="uuid")]


@dataclass(frozen=True, kw_only=True)
class ReviewChangedMessage(Event):
    """The stored review of a proposal has changed."""

    type = "review_changed"

    payload_id: Annotated[str, doc("The id of the proposal.", format="uuid")]
    conversation_id: Annotated[str, doc("The id of the conversation.", format="uuid")]
    revision: Annotated[str, doc("The number of the revision, as text.")]


@dataclass(frozen=True, kw_only=True)
class ConversationChangedMessage(Event):
    """A conversation was renamed, deleted or restored, or one of its answers has changed."""

    type = "conversation_changed"

    conversation_id: Annotated[str, doc("The id of the conversation.", format="uuid")]


@dataclass(frozen=True, kw_only=True)
class NoticesChangedMessage(Event):
    """The notices above the conversation have changed."""

    type = "notices_changed"


COMPONENTS: dict[str, Any] = event_schemas("TurnEvent", TURN_EVENTS)
