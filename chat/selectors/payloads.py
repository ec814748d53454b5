"""Reads payloads: one of them, its operations in pages, and the manifest the model is given."""
from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from chat.models import Conversation, Payload
from chat.selectors.identity import as_uuid, nothing
from chat.selectors.visibility import visible_to

MANIFEST_LENGTH = 30
MOST_OF_INTENTION = 500


def get_payload(user: Any, payload_id: Any, *, lock: bool = False) -> Payload:
    """One of this person's payloads, with its conversation. Raises NotFound."""
    found = Payload.objects.filter(
        visible_to(user, through="conversation__"), pk=as_uuid(payload_id, what="payload"), user=user
    ).select_related("conversation")
    payload = (found.select_for_update(of=("self",)) if lock else found).first()
    if payload is None:
        raise nothing("payload")
    return payload


def operations_of(payload: Payload) -> list[dict[str, Any]]:
    """The resolved operations of a proposal; empty for what is none."""
    resolved = payload.resolved if isinstance(payload.resolved, dict) else {}
    operations = resolved.get("operations", [])
    return operations if isinstance(operations, list) else []


def manifest_of(conversation: Conversation, *, message_ids: list[Any]) -> list[dict[str, str]]:
    """The newest 30 payloads of these messages, newest last: `{"id","type","summary","status"}`."""
    found = Payload.objects.filter(conversation=conversation, message_id__in=message_ids).order_by("-created_at", "id")
    return [
        {"id": str(p.pk), "type": p.type, "summary": p.summary, "status": status_words(p)}
        for p in reversed(found.defer("data")[:MANIFEST_LENGTH])
    ]


def settled_since(conversation: Conversation, *, message_ids: list[Any], moment: datetime) -> list[str]:
    """One line for each proposal of these messages that was answered after `moment`, as the model reads it."""
    found = Payload.objects.filter(
        conversation=conversation, message_id__in=message_ids, settled_at__gt=moment
    ).order_by("settled_at", "id")
    return [f"{payload.summary}: {status_words(payload)}" for payload in found.defer("data")]


def intention_of(payload: Payload) -> str:
    """What the assistant means to do after this proposal, as it announced it; "" unless something of it is applied."""
    applied = payload.status in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}
    if not applied or not payload.outcome.get("applied") or not isinstance(payload.data, dict):
        return ""
    said = payload.data.get("next")
    return " ".join(said.split())[:MOST_OF_INTENTION] if isinstance(said, str) else ""


def status_words(payload: Payload) -> str:
    """The status as the model reads it: "pending, last apply failed: …", "applied 7 of 9", "undone"."""
    if payload.status == Payload.Status.PENDING and payload.last_error:
        return f"pending, last apply failed: {payload.last_error}"
    if payload.status in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}:
        done, left = len(payload.outcome.get("applied", ())), payload.outcome.get("skipped", ())
        every = done + len(left) or len(operations_of(payload))
        reasons = Counter(str(entry.get("reason", "left out")).replace("_", " ") for entry in left)
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
        return f"applied {done} of {every}" + (f" ({why})" if why else "")
    return str(payload.status)
