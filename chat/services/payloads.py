"""Preview, apply, dismiss and undo proposals; a proposal is applied or dismissed at most once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from chat.exceptions import Forbidden, Invalid, Malformed, NotFound, Settled
from chat.models import Payload, Review
from chat.page_config import PageContext, pages
from chat.payload_types import PayloadType, get_payload_type
from chat.proposals import (
    EMPTY_SELECTION,
    RESOLVED,
    AppliedProposal,
    Item,
    ProposalContext,
    Selection,
    applied_proposal,
    preview_json,
    read_selection,
)
from chat.selectors import get_payload, lock_payload, operations_of
from chat.services.notifications import notify_payload_changed
from chat.signals import apply_ended
from shared.db import raw_json
from shared.db.large_work import LargeWorkBusy
from shared.user_messages import CodedError, Template, declare
from shared.user_messages.request_messages import OTHER_CONTENT

ALREADY_SETTLED: dict[str, Template] = {
    "applied": declare("already_applied", "This proposal is already applied."),
    "partially_applied": declare("already_partially_applied", "This proposal is already partially applied."),
    "dismissed": declare("already_dismissed", "This proposal is already dismissed."),
    "superseded": declare("already_superseded", "This proposal has already been replaced by a newer one."),
    "undone": declare("already_undone_proposal", "This proposal has already been undone."),
    "shown": declare("only_shown", "This payload cannot be applied."),
}
NOT_APPLIED = declare("proposal_not_applied", "This proposal is not applied.")
VIEW_ONLY = declare("proposal_view_only", "You can only view this. Nothing has changed.")
NO_UNDO = declare("proposal_without_undo", "This proposal cannot be undone.")
UNDO_AT_URL = declare("undo_at_url", "Undo this proposal with a POST to {url}.")
NO_SUCH_PROPOSAL = declare("no_such_proposal", "Proposal not found.")
Json = dict[str, Any]


@dataclass(frozen=True)
class PreparedApply:
    """A proposal that was read without a lock, with the selection and the result of its type's `prepare`, or its error.

    `seconds` is the time that this took.
    """

    payload: Payload
    context: ProposalContext
    selection: Any
    prepared: Any
    error: CodedError | None
    seconds: float


@dataclass
class _Outcome:
    """The outcome of an apply whose duration is measured."""

    outcome: str = ""


@contextmanager
def _timed(prepared: PreparedApply) -> Iterator[_Outcome]:
    """Send the duration and the outcome of an apply with the signal `apply_ended`."""
    measure, began = _Outcome(), time.perf_counter() - prepared.seconds
    try:
        yield measure
    except LargeWorkBusy:
        # It has not ended: it begins again.
        measure.outcome = ""
        raise
    except Exception as error:
        measure.outcome = str(getattr(error, "code", "internal"))
        raise
    finally:
        if measure.outcome:
            labels = {"payload_type": prepared.payload.type, "outcome": measure.outcome}
            apply_ended.send_robust(sender=None, seconds=time.perf_counter() - began, **labels)


def preview_payload(*, user: Any, payload_id: Any, choice: Json, keyed_by: str = "id") -> Json:
    """Return the effects of applying this choice now; write nothing. Raises NotFound, Settled.

    Its objects are keyed by "id", or by "name" if the type has names.
    """
    payload = get_payload(user, payload_id)
    return with_keys(preview_proposal(payload, choice=choice), payload=payload, keyed_by=keyed_by)


def preview_proposal(payload: Payload, *, choice: Json) -> Json:
    """Return the effects of applying this choice of a loaded payload. Raises NotFound, Settled."""
    kind = proposal_type(payload)
    ensure_pending(payload)
    selection = _selection(kind, payload, choice=choice)
    if kind.preview is None:
        items = [Item(label=each.get("label", ""), verb=each.get("action", "")) for each in operations_of(payload)]
        return preview_json(items)
    preview = kind.preview(resolved_by_type(payload), selection, _context_of(payload))
    return preview if isinstance(preview, dict) else preview_json(preview)


def with_keys(shown: Json, *, payload: Payload, keyed_by: str) -> Json:
    """Return a preview, or `{"operations": […]}`, keyed by "id", or by "name" if the type has names."""
    kind = get_payload_type(payload.type)
    if keyed_by == "id" or kind is None or kind.with_names is None:
        return shown
    return kind.with_names(shown, resolved_by_type(payload), _context_of(payload))


def prepare_apply(*, user: Any, payload_id: Any, choice: Json) -> PreparedApply:
    """Read a proposal and let its type prepare applying this choice, without a lock. Raises NotFound.

    Call it outside of a transaction, because on SQLite every transaction holds the write lock.
    """
    began = time.perf_counter()
    payload = get_payload(user, payload_id)
    kind = proposal_type(payload)
    context = _context_of(payload)
    selection, prepared, error = None, None, None
    try:
        ensure_pending(payload)
        selection = _selection(kind, payload, choice=choice)
        if kind.prepare is not None:
            prepared = kind.prepare(resolved_by_type(payload), selection, context)
    except CodedError as raised:
        error = raised
    return PreparedApply(payload, context, selection, prepared, error, seconds=time.perf_counter() - began)


def apply_payload(
    *, user: Any, payload_id: Any, choice: Json, now: datetime, prepared: PreparedApply | None = None
) -> tuple[Payload, AppliedProposal]:
    """Apply a pending proposal, in one transaction with its new status.

    `prepared` is the result of `prepare_apply` for this choice. Raises NotFound, Settled (with the first outcome),
    Malformed and the errors of the type; the proposal then stays pending, with the error as `last_error`.
    """
    prepared = prepared or prepare_apply(user=user, payload_id=payload_id, choice=choice)
    with _timed(prepared) as measure:
        payload, applied = _apply_or_store_error(prepared, user=user, choice=choice, now=now)
        measure.outcome = payload.status
    return payload, applied


def _apply_or_store_error(
    prepared: PreparedApply, *, user: Any, choice: Json, now: datetime
) -> tuple[Payload, AppliedProposal]:
    payload_id = prepared.payload.pk
    try:
        with transaction.atomic():
            payload = lock_payload(user, payload_id)
            ensure_pending(payload)
            return payload, _apply(payload, prepared, choice=choice, now=now)
    except (NotFound, Settled, Malformed):
        raise
    except CodedError as error:
        # In a new transaction, because the one above was rolled back.
        failed = Payload.objects.filter(pk=payload_id, status=Payload.Status.PENDING)
        failed.update(last_error=error.detail, last_error_coded=error.message.as_json(), settled_at=now)
        raise


def _apply(payload: Payload, prepared: PreparedApply, *, choice: Json, now: datetime) -> AppliedProposal:
    """Apply a locked proposal."""
    applied = _applied_by_type(payload, prepared, choice=choice)
    payload.undo_token = applied.undo_token
    payload.data = prepared.payload.data
    payload.status = payload.applied_as = applied.status
    payload.outcome = raw_json(applied.outcome_text)
    payload.last_error, payload.last_error_coded = "", None
    payload.settled_at = now
    if applied.moved_to:
        payload.subject_id = applied.moved_to
        conversation = payload.conversation
        conversation.object_id = applied.moved_to
        conversation.page = applied.moved_to_page or conversation.page
        conversation.save(update_fields=["object_id", "page", "updated_at"])
    Review.objects.filter(pk=payload.pk).delete()
    # Without `data`, which can be megabytes and does not change.
    payload.save(
        update_fields=[
            *("status", "applied_as", "outcome", "last_error", "last_error_coded", "settled_at", "subject_id"),
            "undo_token",
        ]
    )
    payload.outcome = applied.outcome
    notify_payload_changed(payload)
    return applied


def _applied_by_type(payload: Payload, prepared: PreparedApply, *, choice: Json) -> AppliedProposal:
    kind, proposed = proposal_type(payload), prepared.payload
    assert kind.apply is not None
    conversation = payload.conversation
    context = replace(prepared.context, page=conversation.page, object_id=conversation.object_id)
    # The conversation may have moved to another object since.
    is_current = context == prepared.context
    if prepared.error is not None and is_current:
        raise prepared.error
    selection = prepared.selection
    if selection is None:
        selection = _selection(kind, proposed, choice=choice)
    if isinstance(selection, Selection) and operations_of(proposed) and not selection.items:
        raise Malformed(EMPTY_SELECTION(), code="empty", path="operations")
    _check_may_write(kind, context)
    further = {} if kind.prepare is None else {"prepared": prepared.prepared if is_current else None}
    applied = kind.apply(resolved_by_type(proposed), selection, context, **further)
    if isinstance(applied, AppliedProposal):
        return applied
    return applied_proposal(
        applied, operations=operations_of(proposed), selection=selection, has_undo=kind.undo is not None
    )


def _selection(kind: PayloadType, payload: Payload, *, choice: Json) -> Any:
    """Return what the user chose of a proposal. Raises Malformed, and Settled if other content was reviewed."""
    count = len(operations_of(payload))
    if kind.read_selection is not None:
        selection = kind.read_selection(choice, count)
    else:
        selection = read_selection(choice, count=count or None, edit_schema=kind.edit_schema)
    if selection.content_hash not in {None, payload.content_hash}:
        raise Settled(OTHER_CONTENT(), code="content_changed")
    return selection


def _check_may_write(kind: PayloadType, context: ProposalContext) -> None:
    """Raise Forbidden if the user may only view the page's object."""
    page = pages.get(context.page)
    if kind.checks_rights or page is None or page.may_write is None or (page.object_key and not context.object_id):
        return
    if not page.may_write(PageContext(user=context.user, page=context.page, object_id=context.object_id, view={})):
        raise Forbidden(VIEW_ONLY())


def resolved_by_type(payload: Payload) -> Json:
    """Return what the type's `check` returned as `resolved`."""
    stored: Json = payload.resolved or {}
    return stored[RESOLVED] if stored.keys() == {"operations", RESOLVED} else stored


def undo_payload(*, user: Any, payload_id: Any, now: datetime) -> Payload:
    """Undo an applied proposal, in one transaction with its new status. Raises NotFound, Settled, Invalid."""
    with transaction.atomic():
        payload = lock_payload(user, payload_id)
        kind = proposal_type(payload)
        if payload.status not in {Payload.Status.APPLIED, Payload.Status.PARTIALLY_APPLIED}:
            is_undone = payload.status == Payload.Status.UNDONE
            message = ALREADY_SETTLED["undone"]() if is_undone else NOT_APPLIED()
            code = "already_undone" if is_undone else "not_applied"
            raise Settled(message, code=code, extra={"id": str(payload.pk), "status": payload.status})
        if kind.undo is None or not payload.undo_token:
            # The application undoes its own change, and updates the status of the proposal.
            url = payload.outcome.get("undo_url") if payload.outcome else None
            message = UNDO_AT_URL(url=url) if url else NO_UNDO()
            raise Invalid(message, code="cannot_be_undone", extra={"undo_url": url} if url else {})
        context = _context_of(payload)
        _check_may_write(kind, context)
        kind.undo(payload.undo_token, context)
        payload.status, payload.settled_at = Payload.Status.UNDONE, now
        payload.save(update_fields=["status", "settled_at"])
        notify_payload_changed(payload)
    return payload


def dismiss_payload(*, user: Any, payload_id: Any, now: datetime) -> Payload:
    """Dismiss a pending proposal. Raises NotFound, Settled."""
    with transaction.atomic():
        payload = lock_payload(user, payload_id)
        proposal_type(payload)
        ensure_pending(payload)
        payload.status = Payload.Status.DISMISSED
        payload.settled_at = now
        payload.save(update_fields=["status", "settled_at"])
        Review.objects.filter(pk=payload.pk).delete()
        notify_payload_changed(payload)
    return payload


def lock_proposals(proposal_ids: Sequence[Any]) -> None:
    """Lock these proposals until the transaction ends, in the order of their ids."""
    list(Payload.objects.select_for_update().filter(pk__in=proposal_ids).order_by("pk").values_list("pk", flat=True))


def set_proposal_undone(*, proposal_id: Any, undone: bool) -> None:
    """Mark a proposal as undone, or redone; must be called in the transaction of the undo or redo."""
    now = timezone.now()
    payloads = Payload.objects.filter(pk=proposal_id)
    if undone:
        payloads.exclude(applied_as="").update(status=Payload.Status.UNDONE, settled_at=now)
    else:
        payloads.filter(status=Payload.Status.UNDONE).update(status=F("applied_as"), settled_at=now)
    for payload in payloads.only("user_id", "conversation_id"):
        notify_payload_changed(payload)


def proposal_type(payload: Payload) -> PayloadType:
    """Return the type of a proposal. Raises NotFound for other payloads."""
    kind = get_payload_type(payload.type)
    if kind is None or not kind.is_proposal:
        raise NotFound(NO_SUCH_PROPOSAL())
    return kind


def ensure_pending(payload: Payload) -> None:
    """Raise Settled unless the proposal is pending."""
    if payload.status != Payload.Status.PENDING:
        raise Settled(
            ALREADY_SETTLED[payload.status](),
            code=f"already_{payload.status}",
            extra={"id": str(payload.pk), "status": payload.status, "outcome": payload.outcome},
        )


def _context_of(payload: Payload) -> ProposalContext:
    conversation = payload.conversation
    return ProposalContext(
        user=payload.user,
        page=conversation.page,
        object_id=conversation.object_id,
        payload_id=str(payload.pk),
        turn_id=str(payload.turn_id or ""),
    )
