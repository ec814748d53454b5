"""The JSON forms of what the chat keeps."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from chat.actions import ClientAction, ServerAction
from chat.payload_types import PayloadType
from user_messages.rendering import closing_localized, stored_text
from user_messages.request_language import translated_registry_text

if TYPE_CHECKING:
    from chat.models import Message, Payload, Review, Turn

Json = dict[str, Any]


def turn_form(turn: Turn) -> Json:
    """A turn's state, with its error where it has one."""
    return {
        "id": str(turn.pk),
        "conversation_id": str(turn.conversation_id),
        "state": turn.state,
        "page": turn.page,
        "model": turn.model,
        "usage": turn.usage,
        "error": error_form(turn),
        "started_at": turn.started_at.isoformat(),
        "ended_at": turn.ended_at.isoformat() if turn.ended_at else None,
    }


def error_form(turn: Turn) -> Json | None:
    """Why a turn failed."""
    if turn.state != "error":
        return None
    message = stored_text(turn.error_coded, text=turn.error_message)
    return {"code": turn.error_code, "message": message, "retryable": turn.error_retryable}


def message_form(message: Message, *, beside: Iterable[UUID] = (), links: Json | None = None) -> Json:
    """A message with what the tray needs to draw it again; `beside`: all in its place, if there are more; `links`:
    where the addresses in its text lead."""
    turn = message.turn if message.role == "assistant" else None
    return {
        "id": str(message.pk),
        "role": message.role,
        "text": closing_localized(message.text, closing=message.closing),
        "parent_id": str(message.parent_id) if message.parent_id else None,
        "beside": [str(each) for each in beside],
        "turn_id": str(message.turn_id) if message.turn_id else None,
        "created_at": message.created_at.isoformat(),
        "interaction_type": message.interaction_type,
        "suggested_values": message.suggested_values,
        "suggested_actions": message.suggested_actions,
        "tool_history": message.tool_history,
        "custom_payload": shown_payload(message),
        "warning": stored_text(message.warning_coded, text=message.warning),
        "unreadable": message.unreadable,
        "links": links or {},
        "feedback": next(({"rating": each.rating, "reason": each.reason} for each in message.feedback.all()), None),
        "model": turn.model if turn else "",
        "state": turn.state if turn else "complete",
        "error": error_form(turn) if turn else None,
    }


def shown_payload(message: Message) -> Json | None:
    """The payload shown with a message: its last; for tools alone a display form of their calls."""
    payloads = sorted(message.payloads.all(), key=lambda payload: payload.created_at)
    if payloads:
        return payload_form(payloads[-1])
    if message.tool_history:
        return {"type": "tool_history", "data": message.tool_history}
    return None


def payload_form(payload: Payload) -> Json:
    """A payload as `complete` has it, with what came of it."""
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


def review_form(review: Review) -> Json:
    """The stored review of a proposal; revision 0 if nothing is stored."""
    decisions = review.decisions
    return {
        "payload_id": str(review.pk),
        "revision": review.revision,
        **{name: decisions.get(name, {}) for name in ("unchecked", "overwrites", "edits")},
        **{name: decisions.get(name) for name in ("table_name", "include_sample_rows", "skip_next")},
        "not_carried_over": review.lost or None,
    }


def payload_type_form(entry: PayloadType) -> Json:
    """A payload type for the page's scripts."""
    return {
        "name": entry.name,
        "description": entry.description,
        "source": entry.source,
        "schema": entry.schema,
        "frontend_config": dict(entry.frontend_config) | _titled(entry),
        "is_proposal": entry.is_proposal,
    }


def _titled(entry: PayloadType) -> Json:
    title = entry.frontend_config.get("title")
    return {} if title is None else {"title": translated_registry_text(title)}


def client_action_form(entry: ClientAction) -> Json:
    """An action of the browser; `parameters` are the names of what its data may hold, `schema` is its form."""
    listed = {"action": entry.action, "description": entry.description, "parameters": list(entry.parameters)}
    return {**listed, "schema": dict(entry.schema), "may_run": entry.may_run}


def server_action_form(entry: ServerAction) -> Json:
    """An action of the server; `parameters` is the JSON Schema of its data."""
    return {"action": entry.action, "description": entry.description, "parameters": dict(entry.parameters)}
