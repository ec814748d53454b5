"""JSON of messages, turns, payloads, reviews and registry entries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from chat.actions import ClientAction, ServerAction
from chat.agent.tools import ToolConfig
from chat.payload_types import PayloadType, get_payload_type
from chat.proposals import Verb
from shared.user_messages.rendering import localize_closing, stored_text
from shared.user_messages.request_language import translated_registry_text

if TYPE_CHECKING:
    from chat.models import Message, Payload, Review, Turn

Json = dict[str, Any]


def turn_json(turn: Turn, *, retry_after: float | None) -> Json:
    """Return the state of a turn, with its error if it failed; `retry_after` are the seconds to wait then."""
    error = error_json(turn)
    return {
        "id": str(turn.pk),
        "conversation_id": str(turn.conversation_id),
        "state": turn.state,
        "page": turn.page,
        "model": turn.model,
        "usage": turn.usage,
        "error": error and {**error, "retry_after": retry_after},
        "started_at": turn.started_at.isoformat(),
        "ended_at": turn.ended_at.isoformat() if turn.ended_at else None,
    }


def error_json(turn: Turn) -> Json | None:
    """Return the error of a turn, None unless it failed."""
    if turn.state != "error":
        return None
    message = stored_text(turn.error_coded, text=turn.error_message)
    return {"code": turn.error_code, "message": message, "retryable": turn.error_retryable}


def message_json(message: Message, *, beside: Iterable[UUID] = (), links: Json | None = None) -> Json:
    """Return a message with all that the client needs to render it.

    `beside` are the ids of the alternatives at its position in the conversation, itself included. `links` are the
    resolved links of its text.
    """
    turn = message.turn if message.role == "assistant" else None
    return {
        "id": str(message.pk),
        "role": message.role,
        "text": localize_closing(message.text, closing=message.closing),
        "parent_id": str(message.parent_id) if message.parent_id else None,
        "beside": [str(message_id) for message_id in beside],
        "turn_id": str(message.turn_id) if message.turn_id else None,
        "created_at": message.created_at.isoformat(),
        "interaction_type": message.interaction_type,
        "files": message.files or [],
        "suggested_values": message.suggested_values,
        "suggested_actions": message.suggested_actions,
        "tool_history": message.tool_history,
        "custom_payload": displayed_payload_json(message),
        "warning": stored_text(message.warning_coded, text=message.warning),
        "unreadable": message.unreadable,
        "links": links or {},
        "feedback": next(({"rating": each.rating, "reason": each.reason} for each in message.feedback.all()), None),
        "model": turn.model if turn else "",
        "state": turn.state if turn else "complete",
        "error": error_json(turn) if turn else None,
    }


def displayed_payload_json(message: Message) -> Json | None:
    """Return the last payload of a message, or its tool calls in the form of a payload if there is none."""
    payloads = sorted(message.payloads.all(), key=lambda payload: payload.created_at)
    if payloads:
        return payload_json(payloads[-1])
    if message.tool_history:
        return {"type": "tool_history", "data": message.tool_history}
    return None


def payload_json(payload: Payload) -> Json:
    """Return a payload as in the `complete` event, with its outcome."""
    return {
        "id": str(payload.pk),
        "type": payload.type,
        "data": payload.data,
        "status": payload.status,
        "summary": payload.summary,
        "content_hash": payload.content_hash,
        "counts": payload.counts,
        "outcome": payload.outcome,
        "last_error": stored_text(payload.last_error_coded, text=payload.last_error),
    }


def review_json(review: Review) -> Json:
    """Return the stored review of a proposal; revision 0 if nothing is stored."""
    decisions = review.decisions
    entry = get_payload_type(review.payload.type)
    further = entry.review_fields if entry else {}
    return {
        "payload_id": str(review.pk),
        "revision": review.revision,
        **{name: decisions.get(name, {}) for name in ("unchecked", "overwrites", "edits")},
        **{name: decisions.get(name) for name in ("skip_next", *further)},
        "not_carried_over": review.lost or None,
    }


def payload_type_json(entry: PayloadType) -> Json:
    """Return a payload type for the client."""
    return {
        "name": entry.name,
        "description": entry.description,
        "source": entry.source,
        "schema": entry.schema,
        "frontend_config": dict(entry.frontend_config) | _localized_title(entry),
        "is_proposal": entry.is_proposal,
        "verbs": {name: _verb_json(verb) for name, verb in entry.verbs.items()},
    }


def _verb_json(verb: Verb) -> Json:
    pending, applied = translated_registry_text(verb.pending), translated_registry_text(verb.applied)
    return {"pending": pending, "applied": applied, "tone": verb.tone}


def _localized_title(entry: PayloadType) -> Json:
    title = entry.frontend_config.get("title")
    return {} if title is None else {"title": translated_registry_text(title)}


def tool_json(entry: ToolConfig) -> Json:
    """Return the name, label and icon of a tool."""
    return {"name": entry.name, "label": translated_registry_text(entry.label), "icon": entry.icon}


def client_action_json(entry: ClientAction) -> Json:
    """Return a client action: `parameters` are the names of its data's fields, `schema` is their JSON Schema."""
    return {
        "action": entry.action,
        "description": entry.description,
        "parameters": list(entry.parameters),
        "schema": dict(entry.schema),
        "may_run": entry.may_run,
    }


def server_action_json(entry: ServerAction) -> Json:
    """Return a server action: `parameters` is the JSON Schema of its data."""
    return {"action": entry.action, "description": entry.description, "parameters": dict(entry.parameters)}
