"""Encoding of agent events as events of the stream protocol: plain dicts, not yet numbered."""
from __future__ import annotations

from typing import Any

from chat.agent.events import (
    AgentEvent,
    AgentPayloadProgress,
    AgentResult,
    AgentTextDelta,
    AgentThinking,
    AgentToolComplete,
    AgentToolProgress,
    AgentToolStart,
)
from chat.events import (
    CancelledEvent,
    CompleteEvent,
    CompletePayload,
    ErrorEvent,
    PayloadProgressEvent,
    StatusEvent,
    TextDeltaEvent,
    ToolCompleteEvent,
    ToolProgressEvent,
    ToolStartEvent,
)
from shared.events import Event
from shared.user_messages import Message, message_fields

Json = dict[str, Any]


def opening_event(message: Message, *, turn_id: str, conversation_id: str) -> Json:
    """Return the first event of a turn, the only status with the ids of turn and conversation."""
    return StatusEvent(**message_of_event(message), turn_id=turn_id, conversation_id=conversation_id).as_json()


def encode_event(event: AgentEvent) -> Json | None:
    """Return the stream event of an agent event; None for final ones, which need the stored message."""
    encoded = _encoded(event)
    return encoded.as_json() if encoded else None


def _encoded(event: AgentEvent) -> Event | None:
    match event:
        case AgentTextDelta():
            return TextDeltaEvent(text=event.text, closing=event.closing.as_json() if event.closing else None)
        case AgentThinking():
            return StatusEvent(**message_of_event(event.message))
        case AgentToolStart():
            return ToolStartEvent(tool=event.tool, tool_use_id=event.tool_use_id, input=event.input)
        case AgentToolProgress():
            return ToolProgressEvent(
                tool=event.tool,
                tool_use_id=event.tool_use_id,
                stage=event.stage,
                message=event.message,
                progress=event.progress,
                data=event.data,
            )
        case AgentToolComplete():
            return ToolCompleteEvent(
                tool=event.tool,
                tool_use_id=event.tool_use_id,
                index=event.index,
                is_error=event.is_error,
                duration_ms=event.duration_ms,
                undo=event.undo,
            )
        case AgentPayloadProgress():
            return PayloadProgressEvent(
                payload_type=event.payload_type,
                operations=list(event.operations),
                count=event.count,
                texts=event.texts,
                reset=event.reset,
            )
        case _:
            return None


def complete_event(
    result: AgentResult,
    *,
    conversation_id: str,
    message_id: str,
    turn_id: str,
    custom_payload: Json | None = None,
    links: Json | None = None,
) -> Json:
    """Return the final event of a turn with its answer.

    `custom_payload` is the stored payload: `{"id","type","data","status","summary","content_hash","counts"}`. `links`
    are the resolved links of the answer: `{address: {"href","data"}}`.
    """
    history = [client_tool_entry(entry) for entry in result.tool_history]
    if custom_payload is None and history:
        # For display only: it is not stored, and has no id and no status.
        custom_payload = {"type": "tool_history", "data": history}
    warning = result.elements.warning
    payload = CompletePayload(
        message=result.message,
        conversation_id=conversation_id,
        message_id=message_id,
        turn_id=turn_id,
        usage=dict(result.usage),
        suggested_values=list(result.elements.suggested_values),
        suggested_actions=list(result.elements.suggested_actions),
        custom_payload=custom_payload,
        tool_history=history,
        closing=result.closing.as_json() if result.closing else None,
        warning=str(warning) if warning else "",
        warning_coded=warning.as_json() if warning else None,
        unreadable=result.elements.unreadable,
        links=links or {},
    )
    return CompleteEvent(payload=payload).as_json()


def client_tool_entry(entry: Json) -> Json:
    """Return the fields of a tool history entry that are sent to clients."""
    names = ("tool_name", "input", "output", "is_error", "duration_ms", "undo")
    return {name: entry[name] for name in names if name in entry}


def error_event(
    *, code: str, message: Message, retryable: bool, retry_after: float | None = None, message_id: str | None = None
) -> Json:
    """Return the final event of a turn that failed; `message` is for the user, `retry_after` is in seconds.

    `message_id` is its partial answer, if that was stored.
    """
    fields = message_of_event(message)
    event = ErrorEvent(**fields, code=code, retryable=retryable, retry_after=retry_after, message_id=message_id)
    return event.as_json()


def cancelled_event(message_id: str | None) -> Json:
    """Return the final event of a turn that was cancelled; `message_id` is its partial answer, if there is one."""
    return CancelledEvent(message_id=message_id or None).as_json()


def message_of_event(message: Message) -> Json:
    """Return a message as the fields `message` (in English), `message_code` and `params` of an event."""
    fields = message_fields(message)
    return {"message": fields.pop("detail"), **fields}
