"""Payloads and their operations, and the manifest of payloads for the model."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from django.db.models import Func, IntegerField, Q, QuerySet
from django.db.models.fields.json import KeyTransform

from chat.models import Conversation, Payload, Review
from chat.selectors.access import not_found, parse_uuid, visible_to

MAX_MANIFEST_LENGTH = 30
MAX_SETTLED_LINES = 20
MAX_INTENTION_LENGTH = 500

# All statuses of payloads, in the order in which they can follow each other.
PAYLOAD_STATUSES = tuple(Payload.Status.values)


def get_payload(user: Any, payload_id: Any) -> Payload:
    """Return one of the user's payloads, with its conversation and resolution. Raises NotFound."""
    return _first(_visible(user, payload_id).select_related("conversation", "resolution"))


def get_payload_of_turn(user: Any, payload_id: Any, *, conversation_id: str) -> Payload:
    """Return a payload of the conversation in which a turn of the user is running. Raises NotFound.

    A trial may run for another user than its editor, who owns the conversation.
    """
    visible = Q(user=user) & visible_to(user, through="conversation__") | Q(conversation__sandbox=True)
    found = Payload.objects.filter(
        visible, pk=parse_uuid(payload_id, kind="payload"), conversation_id=parse_uuid(conversation_id, kind="payload")
    )
    return _first(found.select_related("conversation", "resolution"))


def lock_payload(user: Any, payload_id: Any) -> Payload:
    """Return one of the user's payloads, locked until the transaction ends. Raises NotFound.

    `data` and the resolution are not loaded, because they can be megabytes and never change.
    """
    found = _visible(user, payload_id).select_related("conversation").defer("data")
    return _first(found.select_for_update(of=("self",)))


def _visible(user: Any, payload_id: Any) -> QuerySet[Payload]:
    return Payload.objects.filter(
        visible_to(user, through="conversation__"), pk=parse_uuid(payload_id, kind="payload"), user=user
    )


def _first(found: QuerySet[Payload]) -> Payload:
    payload = found.first()
    if payload is None:
        raise not_found("payload")
    return payload


def review_of(payload: Payload) -> Review:
    """Return the stored review of a proposal, or an unsaved one with revision 0 if there is none."""
    review = Review.objects.filter(pk=payload.pk).first() or Review(payload=payload)
    review.payload = payload  # already read
    return review


def operations_of(payload: Payload) -> list[dict[str, Any]]:
    """Return the resolved operations of a proposal; an empty list for other payloads."""
    resolved = payload.resolved if isinstance(payload.resolved, dict) else {}
    operations = resolved.get("operations", [])
    return operations if isinstance(operations, list) else []


def payload_manifest(conversation: Conversation, *, message_ids: list[Any]) -> tuple[list[dict[str, str]], int]:
    """Return `{"id","type","summary","status"}` of the newest 30 payloads of these messages, and the number of others.

    The newest is last.
    """
    found = Payload.objects.filter(conversation=conversation, message__id__among=message_ids)
    found = found.order_by("-created_at", "id")
    # Only lengths are read of outcomes, because these can be megabytes, as proposals can.
    counted = found.annotate(
        applied=_JsonArrayLength(KeyTransform("applied", "outcome")),
        skipped=_JsonArrayLength(KeyTransform("skipped", "outcome")),
    )
    newest = counted.values("pk", "type", "summary", "status", "last_error", "applied", "skipped")[:MAX_MANIFEST_LENGTH]
    entries = [
        {
            "id": str(row["pk"]),
            "type": row["type"],
            "summary": row["summary"],
            "status": _describe_status(
                row["status"], error=row["last_error"], applied=row["applied"] or 0, skipped=row["skipped"] or 0
            ),
        }
        for row in reversed(newest)
    ]
    return entries, max(0, found.count() - MAX_MANIFEST_LENGTH) if len(entries) == MAX_MANIFEST_LENGTH else 0


def settled_since(conversation: Conversation, *, message_ids: list[Any], moment: datetime) -> list[str]:
    """Return a line for the model for each of the newest 20 proposals that were decided, or failed, after `moment`."""
    found = Payload.objects.filter(
        conversation=conversation, message__id__among=message_ids, settled_at__gt=moment
    ).order_by("-settled_at", "id")
    newest = found.defer("data")[:MAX_SETTLED_LINES]
    return [f"{payload.summary}: {outcome_description(payload)}" for payload in reversed(newest)]


def next_intention(payload: Payload) -> str:
    """Return the next step that an applied proposal announces, "" if there is none or nothing was applied."""
    applied = payload.status in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}
    # A proposal without items has neither applied nor skipped ones.
    has_effect = payload.outcome.get("applied") or not payload.outcome.get("skipped")
    if not applied or not has_effect or not isinstance(payload.data, dict):
        return ""
    intention = payload.data.get("next")
    return " ".join(intention.split())[:MAX_INTENTION_LENGTH] if isinstance(intention, str) else ""


def status_description(payload: Payload) -> str:
    """Return the status for the model: "pending, last apply failed: …", "applied 7 of 9", "undone"."""
    applied, skipped = (len(payload.outcome.get(name, ())) for name in ("applied", "skipped"))
    return _describe_status(payload.status, error=payload.last_error, applied=applied, skipped=skipped)


def outcome_description(payload: Payload) -> str:
    """Return the status with the reasons for skipped operations: "applied 7 of 9 (2 not chosen)"."""
    reasons = Counter(str(entry.get("reason") or "left out") for entry in payload.outcome.get("skipped", ()))
    why = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in reasons.items())
    applied = payload.status in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}
    return status_description(payload) + (f" ({why})" if why and applied else "")


def _describe_status(status: str, *, error: str, applied: int, skipped: int) -> str:
    if status == Payload.Status.PENDING:
        return f"pending, last apply failed: {error}" if error else "pending"
    if status not in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}:
        return str(status)
    return f"applied {applied} of {applied + skipped}" if applied + skipped else "applied"


class _JsonArrayLength(Func):
    """The number of items of a JSON array, null if there is no array."""

    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, function="jsonb_array_length", **more)
