"""Stored reviews of proposals, which are carried over to the proposal that supersedes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from chat.exceptions import Malformed, NotFound
from chat.models import Payload, Review
from chat.payload_types import get_payload_type
from chat.selectors import get_payload, lock_payload, review_of
from chat.services.notifications import notify_review_changed
from chat.services.payloads import ensure_pending, preview_proposal, proposal_type, resolved_by_type, with_keys
from shared.user_messages import CodedError, declare
from shared.user_messages.errors import read_all

NULL_NEEDED = declare("null_needed", "This can only be set to null.")
REVIEW_NOT_STORED = declare("review_not_stored", "The review of this proposal is not stored.")

Json = dict[str, Any]

# The notice about lost decisions, which clients can only set to null.
NOTICE = "not_carried_over"
MAX_FAULTS = 100


def get_review(*, user: Any, payload_id: Any) -> Review:
    """Return the stored review of a pending proposal, an empty one if nothing is stored. Raises NotFound, Settled."""
    payload = get_payload(user, payload_id)
    _reviser(payload)
    return review_of(payload)


def save_review(*, user: Any, payload_id: Any, changes: Json, now: datetime) -> Review:
    """Store changes to the review of a pending proposal, and return the whole review.

    Raises NotFound, Settled, Malformed and the errors of the proposal's type.
    """
    resolved = resolved_by_type(get_payload(user, payload_id))
    with transaction.atomic():
        payload = lock_payload(user, payload_id)
        revise = _reviser(payload)
        review = review_of(payload)
        if NOTICE in changes:
            review.lost = {}
        review.decisions = _revised(revise, resolved, review=review, changes=changes)
        review.revision += 1
        review.updated_at = now
        review.save()
        notify_review_changed(payload, revision=review.revision)
    return review


def check_review(*, user: Any, payload_id: Any, changes: Any) -> None:
    """Raise the errors of `save_review` for these changes, and store nothing."""
    payload = get_payload(user, payload_id)
    revise = _reviser(payload)
    if isinstance(changes, dict):
        _revised(revise, resolved_by_type(payload), review=review_of(payload), changes=changes)


def preview_with_review(*, user: Any, payload_id: Any, choice: Json, keyed_by: str = "id") -> Json:
    """Return the effects of applying this choice with the edits of the stored review, and the review as `review`.

    Edits that are no longer possible, for example because their column was deleted, are left out of both. The preview
    is keyed by "id" or "name", the review as it was stored.
    """
    payload = get_payload(user, payload_id)
    _reviser(payload)
    review = review_of(payload)
    edits = dict(review.decisions.get("edits", {}))
    try:
        preview = preview_proposal(payload, choice={**choice, "edits": edits})
    except CodedError as error:
        impossible = _faulty_edits(error)
        if not impossible:
            raise
        edits = {index: edit for index, edit in edits.items() if index not in impossible}
        preview = preview_proposal(payload, choice={**choice, "edits": edits})
    review.decisions = {**review.decisions, "edits": edits}
    return with_keys(preview, payload=payload, keyed_by=keyed_by) | {"review": review}


def carry_review_over(payload: Payload, *, since: datetime, now: datetime) -> None:
    """Carry the review of the proposal for the same subject that was superseded since `since` over to a new one."""
    replaced = Review.objects.filter(
        payload__conversation_id=payload.conversation_id,
        payload__subject_id=payload.subject_id,
        payload__status=Payload.Status.SUPERSEDED,
        payload__settled_at__gte=since,
    )
    review = replaced.select_related("payload__resolution").order_by("-payload__created_at").first()
    if review is None:
        return
    kind = get_payload_type(review.payload.type)
    if kind is not None and kind.carry_over is not None:
        decisions, lost = kind.carry_over(
            resolved_by_type(review.payload), review=review.decisions, new=resolved_by_type(payload)
        )
        if decisions or lost:
            Review.objects.create(payload=payload, decisions=decisions, lost=lost, revision=1, updated_at=now)
    review.delete()


def _revised(revise: Any, resolved: Json, *, review: Review, changes: Json) -> Json:
    """Return the decisions of a review with changes. Raises an error with all faults."""
    decisions = {name: value for name, value in changes.items() if name != NOTICE}
    _, revised = read_all(
        lambda: _check_notice(changes),
        lambda: revise(resolved, review=review.decisions, changes=decisions),
        errors=CodedError,
        most=MAX_FAULTS,
    )
    read: Json = revised
    return read


def _check_notice(changes: Json) -> None:
    if changes.get(NOTICE) is not None:
        raise Malformed(NULL_NEEDED(), code="unknown_value", path=NOTICE)


def _reviser(payload: Payload) -> Any:
    kind = proposal_type(payload)
    ensure_pending(payload)
    if kind.revise_review is None:
        raise NotFound(REVIEW_NOT_STORED())
    return kind.revise_review


def _faulty_edits(error: CodedError) -> set[str]:
    """Return the indexes of the edits with faults; empty if there are other faults."""
    paths = [fault.as_json()["path"].split(".") for fault in error.faults]
    if any(path[0] != "edits" for path in paths):
        return set()
    return {path[1] for path in paths if len(path) > 1}
