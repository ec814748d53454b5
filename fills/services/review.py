"""Apply results to the table: they are a data proposal with one update for each row, which can be applied in parts.

A result names the cells that were read, so that a row whose cells have changed since is a conflict of the ordinary
pipeline.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from fills.models import Fill, Result
from fills.selectors import UNFINISHED, get_fill, results_of
from fills.services.announcements import announce_end, mark_seen
from fills.services.edits import (
    Refusals,
    cells_by_id,
    refuse_applied,
    refuse_not_chosen,
    refuse_other_columns,
    refuse_unreadable,
    refuse_without_result,
)
from fills.services.lost_rights import table_to_fill
from fills.services.news import announce, record_use
from fills.services.origins import record_origins
from fills.services.request_paths import RequestPaths, paths_of_edits, paths_of_rows
from fills.services.review_states import (
    CHANGED,
    DELETED,
    EDITED,
    INVALID,
    OPEN,
    ReviewedResult,
    read_results,
    review_states,
    unchanged_cells,
)
from shared.rare_gc import with_rare_gc
from shared.user_messages import declare
from tables.exceptions import Invalid, TablesError
from tables.operations import Choice, KnownUpdate, Origin, TableShape
from tables.selectors import Table, table_shape
from tables.services import (
    Applied,
    ComposedData,
    apply_data,
    compose_data,
    locked_table,
    prepare_data,
    prepare_updates,
    preview_data,
    refuse_other_data_plan,
)

Json = dict[str, Any]
NOTHING_TO_APPLY = declare("nothing_to_apply", "There are no such results to apply.")
ALL_APPLIED = declare("fill_results_applied", "These results are applied already.")


@dataclass(frozen=True)
class Review:
    """A person's choice of results: all that are open, or those of `ids`, of these with the given `confidence`.

    `edits` are values by row and column (id or name) in place of the found or corrected ones. `on_conflict` is "skip",
    "overwrite", or "" to refuse all if one row has changed since it was read. `is_automatic` leaves out results that
    are marked unverified, and those that were applied before and undone. `plan` is that of a dry run, or "".
    """

    ids: tuple[int, ...] | None = None
    confidence: str = ""
    is_automatic: bool = False
    edits: Mapping[int, Json] = field(default_factory=dict)
    on_conflict: str = ""
    plan: str = ""


@dataclass(frozen=True)
class ComposedReview:
    """Chosen results with their data proposal, and its writes unless they must be composed under the lock.

    `version` is that of the table before the results were read.
    """

    results: Sequence[ReviewedResult]
    proposal: Json
    paths: RequestPaths
    version: int
    writes: ComposedData | None = None


@with_rare_gc
def preview_results(*, user: Any, table_id: int, fill_id: UUID, review: Review) -> Json:
    """Return the effect of applying results now, with its plan; nothing is written. Raises Invalid without results."""
    fill, table = get_fill(user, table_id, fill_id=fill_id, can="edit")
    composed = _proposal(fill, table=table, user=user, review=review)
    prepared, version = composed.proposal, composed.version
    with composed.paths.in_faults():
        return preview_data(user=user, prepared=prepared, choice=_choice(review), version=version)


@with_rare_gc
def compose_results(*, user: Any, table_id: int, fill_id: UUID, review: Review) -> ComposedReview:
    """Compose the writes of `apply_results` without a lock. Raises its errors. Must run outside of a transaction."""
    fill, table = get_fill(user, table_id, fill_id=fill_id, can="edit")
    composed = _planned_proposal(fill, table=table, user=user, review=review)
    with composed.paths.in_faults():
        writes = compose_data(user=user, prepared=composed.proposal, choice=_choice(review))
    return replace(composed, writes=writes)


@with_rare_gc
def apply_results(
    *, user: Any, table_id: int, fill_id: UUID, review: Review, composed: ComposedReview | None = None
) -> Applied:
    """Apply results as one change. Raises Invalid and Conflict, having written nothing.

    `composed` is the result of `compose_results` for this review, which is composed first if it is missing. Large
    reviews must be composed outside of a transaction.
    """
    if composed is None:
        composed = compose_results(user=user, table_id=table_id, fill_id=fill_id, review=review)
    with transaction.atomic():
        fill, _ = get_fill(user, table_id, fill_id=fill_id, can="edit")
        if review.plan and (table := locked_table(user, table_id)).version != composed.version:
            composed = _planned_proposal(fill, table=table, user=user, review=review)
        with composed.paths.in_faults():
            applied = apply_data(
                user=user, prepared=composed.proposal, choice=_choice(review),
                origin=Origin("fill", proposal_id=fill.pk), composed=composed.writes,
            )  # fmt: skip
        if applied.change is not None:
            written = [composed.results[each["index"]].pk for each in applied.applied]
            record_origins(fill, result_ids=written, change_id=applied.change, now=timezone.now())
            if fill.is_unseen and fill.user_id == user.pk:
                mark_seen(user=user, fill_id=fill.pk)
            # Afterwards, because the automatic apply locks the fill before the table.
            transaction.on_commit(partial(record_use, fill.pk))
            announce(fill)
    return applied


def apply_confident(*, fill_id: UUID, now: datetime) -> None:
    """Apply the verified results of high confidence of a fill whose rows are all answered, and end it.

    Rows that have changed since are left to the review.
    """
    fill = Fill.objects.select_related("user").filter(pk=fill_id).first()
    if fill is None or not _is_answered(fill):
        return
    review = Review(confidence="high", is_automatic=True, on_conflict="skip")
    arguments: Json = {"user": fill.user, "table_id": fill.table_id, "fill_id": fill_id, "review": review}
    reason, composed = None, None
    try:
        table_to_fill(fill)
        composed = compose_results(**arguments)
    except TablesError as error:
        reason = None if error.code == "nothing_to_apply" else error.message
    with transaction.atomic():
        fill = Fill.objects.select_for_update(of=("self",)).filter(pk=fill_id).first()
        if fill is None or not _is_answered(fill):
            return
        if composed is not None:
            try:
                with transaction.atomic():
                    apply_results(**arguments, composed=composed)
            except TablesError as error:
                reason = error.message
        fill.state, fill.ended_at, fill.reason = Fill.State.DONE, now, reason.as_json() if reason else None
        fill.save(update_fields=["state", "ended_at", "reason", "updated_at"])
        announce_end(fill)
        announce(fill)


def _is_answered(fill: Fill) -> bool:
    return fill.state == Fill.State.RUNNING and not fill.results.filter(state__in=UNFINISHED).exists()


def _choice(review: Review) -> Choice:
    return Choice(on_conflict=review.on_conflict)


def _planned_proposal(fill: Fill, *, table: Table, user: Any, review: Review) -> ComposedReview:
    """Return the same as `_proposal`. Raises Conflict if it differs from the plan of a dry run."""
    composed = _proposal(fill, table=table, user=user, review=review)
    if review.plan:
        with composed.paths.in_faults():
            refuse_other_data_plan(user=user, prepared=composed.proposal, choice=_choice(review), plan=review.plan)
    return composed


def _proposal(fill: Fill, *, table: Table, user: Any, review: Review) -> ComposedReview:
    """Return the chosen results, and their data proposal with one operation for each in the same order.

    Results that are applied already are left out, and without ids those that were edited afterwards, unless they have
    an edit. Raises Malformed and Invalid with paths of the request.
    """
    refusals, shape = Refusals(), table_shape(table)
    if review.ids is not None:
        with refusals.collect():
            refuse_not_chosen(review.edits, row_ids=review.ids)
    with refusals.collect():
        refuse_other_columns(fill, edits=review.edits, shape=shape)
    ids = None if review.ids is None else [*review.ids]
    unverified = False if review.is_automatic else None
    results = results_of(
        fill, states=[Result.State.FOUND], confidence=review.confidence, unverified=unverified, row_ids=ids
    )
    if review.is_automatic:
        results = results.filter(change_id__isnull=True)
    found = read_results(results, table=table)
    known = {result.row_id for result in found}
    with refusals.collect():
        refuse_without_result(paths_of_rows(ids or ()) | paths_of_edits(review.edits), known=known)
    with refusals.collect():
        refuse_unreadable(review.edits, known=known, shape=shape)
    states = review_states(found, table=table, shape=shape, unchanged=unchanged_cells(found))
    with refusals.collect():
        refuse_applied([each for each in found if each.row_id in review.edits], states=states)
    wanted = (OPEN, CHANGED) if ids is None else (OPEN, CHANGED, EDITED, DELETED, INVALID)
    chosen = [each for each in found if each.row_id in review.edits or states[each.row_id] in wanted]
    if not chosen:
        refusals.refuse()
        raise Invalid(ALL_APPLIED() if found else NOTHING_TO_APPLY(), code="nothing_to_apply")
    updates = _updates(chosen, edits=review.edits, shape=shape)
    paths = RequestPaths.of([each.row_id for each in chosen], edits=review.edits, shape=shape)
    with refusals.collect(), paths.in_faults():
        prepared = _prepared(updates, user=user, table_id=table.pk, are_stored=not review.edits)
    refusals.refuse()
    return ComposedReview(chosen, prepared, paths, table.version)


def _updates(
    results: Sequence[ReviewedResult], *, edits: Mapping[int, Json], shape: TableShape
) -> list[KnownUpdate]:
    """Return the updates of rows. Columns that were deleted, and those without cells, are no part of them."""
    writable = {column.id for column in shape.columns if not column.is_computed}
    updates = []
    for result in results:
        changes = {key: value for key, value in result.values.items() if key in writable}
        changes |= {key: value for key, value in result.corrections.items() if key in writable}
        if edit := edits.get(result.row_id):
            changes |= cells_by_id(edit, shape=shape)
        before = {key: value for key, value in result.cells.items() if key in writable}
        updates.append(KnownUpdate(result.row_id, result.current_version or 0, changes, before, result.note))
    return updates


def _prepared(updates: Sequence[KnownUpdate], *, user: Any, table_id: int, are_stored: bool) -> Json:
    """Return the data proposal with these updates; `are_stored`: the new cells have their stored form.

    Those of deleted rows, which have no version, and what else is to be reported are read as any other proposal.
    """
    if are_stored and all(each.row_version for each in updates):
        prepared = prepare_updates(user=user, table_id=table_id, updates=updates)
        if prepared is not None:
            return prepared
    operations = [
        {
            "action": "update", "row_id": each.row_id, "changes": each.changes, "expected": each.before,
            "reason": each.reason,
        }
        for each in updates
    ]  # fmt: skip
    return prepare_data(user=user, table_id=table_id, proposal={"operations": operations})
