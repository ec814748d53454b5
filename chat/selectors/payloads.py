"""Reads payloads: one of them, its operations in pages, and the manifest the model is given."""
from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from django.db.models import Func, IntegerField, QuerySet
from django.db.models.fields.json import KeyTransform

from chat.models import Conversation, Payload, Review
from chat.selectors.ids import as_uuid, nothing
from chat.selectors.visibility import visible_to

MANIFEST_LENGTH = 30
MOST_NEWS = 20
MOST_OF_INTENTION = 500


def get_payload(user: Any, payload_id: Any) -> Payload:
    """One of this person's payloads, with its conversation. Raises NotFound."""
    return _first(_visible(user, payload_id).select_related("conversation", "resolution"))


def lock_payload(user: Any, payload_id: Any) -> Payload:
    """The same, locked until the transaction ends. Raises NotFound.

    What was proposed is not read: it can be megabytes, and never changes.
    """
    found = _visible(user, payload_id).select_related("conversation").defer("data")
    return _first(found.select_for_update(of=("self",)))


def _visible(user: Any, payload_id: Any) -> QuerySet[Payload]:
    return Payload.objects.filter(
        visible_to(user, through="conversation__"), pk=as_uuid(payload_id, what="payload"), user=user
    )


def _first(found: QuerySet[Payload]) -> Payload:
    payload = found.first()
    if payload is None:
        raise nothing("payload")
    return payload


def review_of(payload: Payload) -> Review:
    """The stored review of a proposal; an unsaved, empty one of revision 0 where there is none."""
    return Review.objects.filter(pk=payload.pk).first() or Review(payload=payload)


def operations_of(payload: Payload) -> list[dict[str, Any]]:
    """The resolved operations of a proposal; empty for what is none."""
    resolved = payload.resolved if isinstance(payload.resolved, dict) else {}
    operations = resolved.get("operations", [])
    return operations if isinstance(operations, list) else []


def manifest_of(conversation: Conversation, *, message_ids: list[Any]) -> tuple[list[dict[str, str]], int]:
    """The newest 30 payloads of these messages, newest last, `{"id","type","summary","status"}`; how many are older."""
    of_these = Payload.objects.filter(conversation=conversation, message__id__among=message_ids)
    found = of_these.order_by("-created_at", "id")
    # Proposals may be megabytes long, and their outcomes, too: only what is said of them is read.
    counted = found.annotate(
        done=_Length(KeyTransform("applied", "outcome")), left=_Length(KeyTransform("skipped", "outcome"))
    )
    newest = counted.values("pk", "type", "summary", "status", "last_error", "done", "left")[:MANIFEST_LENGTH]
    entries = [
        {
            "id": str(one["pk"]),
            "type": one["type"],
            "summary": one["summary"],
            "status": _status(one["status"], error=one["last_error"], done=one["done"] or 0, left=one["left"] or 0),
        }
        for one in reversed(newest)
    ]
    return entries, max(0, found.count() - MANIFEST_LENGTH) if len(entries) == MANIFEST_LENGTH else 0


def settled_since(conversation: Conversation, *, message_ids: list[Any], moment: datetime) -> list[str]:
    """One line for each proposal of these messages that was answered, or could not be applied, after `moment`: the
    newest 20, as the model reads them."""
    found = Payload.objects.filter(
        conversation=conversation, message__id__among=message_ids, settled_at__gt=moment
    ).order_by("-settled_at", "id")
    newest = found.defer("data")[:MOST_NEWS]
    return [f"{payload.summary}: {outcome_words(payload)}" for payload in reversed(newest)]


def intention_of(payload: Payload) -> str:
    """What the assistant means to do after this proposal, as it announced it; "" unless something of it is applied."""
    applied = payload.status in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}
    if not applied or not payload.outcome.get("applied") or not isinstance(payload.data, dict):
        return ""
    said = payload.data.get("next")
    return " ".join(said.split())[:MOST_OF_INTENTION] if isinstance(said, str) else ""


def status_words(payload: Payload) -> str:
    """The status as the model reads it: "pending, last apply failed: …", "applied 7 of 9", "undone"."""
    done, left = (len(payload.outcome.get(name, ())) for name in ("applied", "skipped"))
    return _status(payload.status, error=payload.last_error, done=done, left=left)


def outcome_words(payload: Payload) -> str:
    """The status with why something was left out: "applied 7 of 9 (2 not chosen)"."""
    reasons = Counter(str(entry.get("reason") or "left out") for entry in payload.outcome.get("skipped", ()))
    why = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in reasons.items())
    applied = payload.status in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}
    return status_words(payload) + (f" ({why})" if why and applied else "")


def _status(status: str, *, error: str, done: int, left: int) -> str:
    if status == Payload.Status.PENDING:
        return f"pending, last apply failed: {error}" if error else "pending"
    if status not in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}:
        return str(status)
    return f"applied {done} of {done + left}" if done + left else "applied"


class _Length(Func):
    """How many items a JSON list has; null where there is none."""

    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, function="jsonb_array_length", **more)
