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
from shared.user_messages import Message, message_fields

Json = dict[str, Any]


def opening_event(message: Message, *, turn_id: str, conversation_id: str) -> Json:
    """Return the first event of a turn, the only status with the ids of turn and conversation."""
    return {"type": "status", **message_of_event(message), "turn_id": turn_id, "conversation_id": conversation_id}


def encode_event(event: AgentEvent) -> Json | None:
    """Return the stream event of an agent event; None for final ones, which need the stored message."""
    match event:
        case AgentTextDelta():
            closing = {"closing": event.closing.as_json()} if event.closing else {}
            return {"type": "text_delta", "text": event.text, **closing}
        case AgentThinking():
            return {"type": "status", **message_of_event(event.message)}
        case AgentToolStart():
            return _tool("tool_start", event, input=event.input)
        case AgentToolProgress():
            return _progress(event)
        case AgentToolComplete():
            facts: Json = {"index": event.index, "is_error": event.is_error, "duration_ms": event.duration_ms}
            if event.undo is not None:
                facts["undo"] = event.undo
            return _tool("tool_complete", event, **facts)
        case AgentPayloadProgress():
            return _payload_progress(event)
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
    payload = complete_payload(
        result,
        conversation_id=conversation_id,
        message_id=message_id,
        turn_id=turn_id,
        custom_payload=custom_payload,
        links=links,
    )
    return {"type": "complete", "payload": payload}


def complete_payload(
    result: AgentResult,
    *,
    conversation_id: str,
    message_id: str,
    turn_id: str,
    custom_payload: Json | None = None,
    links: Json | None = None,
) -> Json:
    """Return the payload of the event `complete`, without empty fields."""
    history = [client_tool_entry(entry) for entry in result.tool_history]
    if custom_payload is None and history:
        # For display only: it is not stored, and has no id and no status.
        custom_payload = {"type": "tool_history", "data": history}
    warning = result.elements.warning
    optional = {
        "suggested_values": list(result.elements.suggested_values),
        "suggested_actions": list(result.elements.suggested_actions),
        "custom_payload": custom_payload,
        "tool_history": history,
        "closing": result.closing.as_json() if result.closing else None,
        "warning": str(warning) if warning else "",
        "warning_coded": warning.as_json() if warning else None,
        "unreadable": result.elements.unreadable,
        "links": links,
    }
    return {
        "message": result.message,
        **{name: value for name, value in optional.items() if value},
        "conversation_id": conversation_id,
        "message_id": message_id,
        "turn_id": turn_id,
        "usage": dict(result.usage),
    }


def client_tool_entry(entry: Json) -> Json:
    """Return the fields of a tool history entry that are sent to clients."""
    names = ("tool_name", "input", "output", "is_error", "duration_ms", "undo")
    return {name: entry[name] for name in names if name in entry}


def error_event(*, code: str, message: Message, retryable: bool, retry_after: float | None = None) -> Json:
    """Return the final event of a turn that failed; `message` is for the user, `retry_after` is in seconds."""
    event = {"type": "error", **message_of_event(message), "code": code, "retryable": retryable}
    return event if retry_after is None else {**event, "retry_after": retry_after}


def cancelled_event(message_id: str | None) -> Json:
    """Return the final event of a turn that was cancelled; `message_id` is its partial answer, if there is one."""
    return {"type": "cancelled", "message_id": message_id} if message_id else {"type": "cancelled"}


def message_of_event(message: Message) -> Json:
    """Return a message as the fields `message` (in English), `message_code` and `params` of an event."""
    fields = message_fields(message)
    return {"message": fields.pop("detail"), **fields}


def _tool(kind: str, event: AgentToolStart | AgentToolProgress | AgentToolComplete, **facts: Any) -> Json:
    return {"type": kind, "tool": event.tool, "tool_use_id": event.tool_use_id, **facts}


def _progress(event: AgentToolProgress) -> Json:
    facts: Json = {"stage": event.stage, "message": event.message, "progress": event.progress}
    if event.data is not None:
        facts["data"] = event.data
    return _tool("tool_progress", event, **facts)


def _payload_progress(event: AgentPayloadProgress) -> Json:
    body: Json = {
        "type": "payload_progress",
        "payload_type": event.payload_type,
        "operations": list(event.operations),
        "count": event.count,
    }
    body |= {"texts": event.texts} if event.texts else {}
    return {**body, "reset": True} if event.reset else body
