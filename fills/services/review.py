"""Apply results to the table: they are a data proposal with one update for each row, which can be applied in parts.

A result names the cells that were read, so that a row whose cells have changed since is a conflict of the ordinary
pipeline. Whether a result is applied is not stored: it is, while the row has its values.
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from fills.models import Fill, Result
from fills.selectors import UNFINISHED, get_fill, results_of
from fills.services.announcements import announce_end, mark_seen
from fills.services.edits import (
    cells_by_id,
    names_sent,
    paths_of_edits,
    paths_of_rows,
    refuse_other_columns,
    refuse_without_result,
)
from fills.services.lost_rights import table_to_fill
from fills.services.news import announce
from fills.services.origins import record_origins
from shared.rare_gc import with_rare_gc
from shared.user_messages import declare
from tables.exceptions import Conflict, Fault, Invalid, Malformed, TablesError
from tables.operations import Choice, Origin, TableShape
from tables.operations.changes.delta import equivalent
from tables.operations.changes.undo_paths import cell_path
from tables.selectors import Table, live_rows, rows_by_id, table_shape
from tables.services import (
    Applied,
    ComposedData,
    apply_data,
    compose_data,
    locked_table,
    prepare_data,
    preview_data,
    refuse_other_data_plan,
)

Json = dict[str, Any]
NOTHING_TO_APPLY = declare("nothing_to_apply", "There are no such results to apply.")
EDIT_NOT_CHOSEN = declare("fill_edit_not_chosen", "Row {row} has an edit, but is not in “rows”.")
ALL_APPLIED = declare("fill_results_applied", "These results are applied already.")
RESULT_APPLIED = declare(
    "fill_result_applied", "The result of row {row} is applied already. Change the cells of the row instead."
)
PLAIN_FIELDS = ("pk", "row_id", "row_version", "state", "note", "change_id", "current_version")
JSON_FIELDS = ("cells", "values", "corrections")
DISCARDED: Json = {
    "state": Result.State.DISCARDED, "values": {}, "hashes": {}, "corrections": {}, "confidence": "", "note": "",
    "sources": [], "is_unverified": False,
}  # fmt: skip
_OPERATION = re.compile(r"operations\[(\d+)\](?:\.(?:changes|expected)(?:\.(.*))?|\..*)?", re.DOTALL)
# The states of results in a review.
OPEN, APPLIED, CHANGED, EDITED, DELETED = "open", "applied", "conflict", "edited", "deleted"


class Reviewed(Protocol):
    """A result as far as a review needs it."""

    @property
    def pk(self) -> int: ...
    @property
    def row_id(self) -> int: ...
    @property
    def row_version(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def cells(self) -> Json: ...
    @property
    def values(self) -> Json: ...
    @property
    def corrections(self) -> Json: ...
    @property
    def note(self) -> str: ...
    @property
    def change_id(self) -> int | None: ...


class ReviewedResult(NamedTuple):
    """A result that is read for an apply, and the version of its row, None if that was deleted."""

    pk: int
    row_id: int
    row_version: int
    state: str
    note: str
    change_id: int | None
    current_version: int | None
    cells: Json
    values: Json
    corrections: Json


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

    results: Sequence[Reviewed]
    proposal: Json
    # The columns in paths of the request, by id and by name; of the cells that a row's edit has, as they were sent.
    names: Mapping[str, str]
    edited: Mapping[int, Mapping[str, str]]
    writes: ComposedData | None = None
    version: int = 0


@with_rare_gc
def preview_results(*, user: Any, table_id: int, fill_id: UUID, review: Review) -> Json:
    """Return the effect of applying results now, with its plan; nothing is written. Raises Invalid without results."""
    fill, table = get_fill(user, table_id, fill_id=fill_id, can="edit")
    composed = _proposal(fill, table=table, user=user, review=review)
    prepared, version = composed.proposal, composed.version
    with paths_of_request(composed):
        return preview_data(user=user, prepared=prepared, choice=_choice(review), version=version)


@with_rare_gc
def compose_results(*, user: Any, table_id: int, fill_id: UUID, review: Review) -> ComposedReview:
    """Compose the writes of `apply_results` without a lock. Raises its errors. Must run outside of a transaction."""
    fill, table = get_fill(user, table_id, fill_id=fill_id, can="edit")
    composed = _planned_proposal(fill, table=table, user=user, review=review)
    with paths_of_request(composed):
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
        with paths_of_request(composed):
            applied = apply_data(
                user=user, prepared=composed.proposal, choice=_choice(review),
                origin=Origin("fill", proposal_id=fill.pk), composed=composed.writes,
            )  # fmt: skip
        if applied.change is not None:
            written = [composed.results[each["index"]].pk for each in applied.applied]
            record_origins(fill, result_ids=written, change_id=applied.change, now=timezone.now())
            if fill.is_unseen and fill.user_id == user.pk:
                mark_seen(user=user, fill_id=fill.pk)
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


def review_states(
    results: Sequence[Reviewed], *, table: Table, shape: TableShape, unchanged: Mapping[int, Json] | None = None
) -> dict[int, str]:
    """Return the state of found results in a review by row: see `review_state`. Others have none.

    `unchanged` are the cells of rows that have not changed since they were read.
    """
    found = [result for result in results if result.state == Result.State.FOUND]
    current = dict[int, Mapping[str, Any]](unchanged or {})
    others = [result.row_id for result in found if result.row_id not in current]
    rows = rows_by_id(table, others, shape=shape) if others else {}
    current |= {row_id: row.data for row_id, row in rows.items()}
    return {result.row_id: review_state(result, current=current.get(result.row_id)) for result in found}


def review_state(result: Reviewed, *, current: Mapping[str, Any] | None) -> str:
    """Return whether a result is "open", "applied", "edited" since it was applied, a "conflict", or its row "deleted".

    `current` are the cells of the row, None if it was deleted.
    """
    if current is None:
        return DELETED

    def are_equal(cells: Mapping[str, Any]) -> bool:
        return all(equivalent(current.get(key), value) for key, value in cells.items())

    values = result.values | result.corrections
    if values and are_equal(values):
        return APPLIED
    if current is result.cells or are_equal(result.cells):
        return OPEN
    targets = {key: result.cells.get(key) for key in values}
    return EDITED if result.change_id is not None and not are_equal(targets) else CHANGED


def _planned_proposal(fill: Fill, *, table: Table, user: Any, review: Review) -> ComposedReview:
    """Return the same as `_proposal`. Raises Conflict if it differs from the plan of a dry run."""
    composed = _proposal(fill, table=table, user=user, review=review)
    if review.plan:
        with paths_of_request(composed):
            refuse_other_data_plan(user=user, prepared=composed.proposal, choice=_choice(review), plan=review.plan)
    return composed


def _proposal(fill: Fill, *, table: Table, user: Any, review: Review) -> ComposedReview:
    """Return the chosen results, and their data proposal with one operation for each in the same order.

    Results that are applied already are left out, and without ids those that were edited afterwards, unless they have
    an edit. Raises Malformed and Invalid with paths of the request.
    """
    if review.ids is not None:
        faults = [
            Fault(f"edits.{row_id}", "not_chosen", message=EDIT_NOT_CHOSEN(row=row_id))
            for row_id in review.edits if row_id not in review.ids
        ]  # fmt: skip
        if faults:
            raise Malformed(faults[0].message, faults=faults[:100])
    shape = table_shape(table)
    refuse_other_columns(fill, edits=review.edits, shape=shape)
    ids = None if review.ids is None else [*review.ids]
    unverified = False if review.is_automatic else None
    results = results_of(
        fill, states=[Result.State.FOUND], confidence=review.confidence, unverified=unverified, row_ids=ids
    )
    if review.is_automatic:
        results = results.filter(change_id__isnull=True)
    found = _read_results(results, table=table)
    known = {result.row_id for result in found}
    refuse_without_result(paths_of_rows(ids or ()) | paths_of_edits(review.edits), known=known)
    states = review_states(found, table=table, shape=shape, unchanged=_unchanged_cells(found))
    refuse_applied([each for each in found if each.row_id in review.edits], states=states)
    wanted = (OPEN, CHANGED) if ids is None else (OPEN, CHANGED, EDITED, DELETED)
    chosen = [each for each in found if each.row_id in review.edits or states[each.row_id] in wanted]
    if not chosen:
        raise Invalid(ALL_APPLIED() if found else NOTHING_TO_APPLY(), code="nothing_to_apply")
    operations = _operations(chosen, edits=review.edits, shape=shape)
    names = {column.id: column.name for column in shape.columns}
    edited = {row_id: names_sent(edit, shape=shape) for row_id, edit in review.edits.items()}
    composed = ComposedReview(chosen, {}, names, edited, version=table.version)
    with paths_of_request(composed):
        prepared = prepare_data(user=user, table_id=table.pk, proposal={"operations": operations})
    return replace(composed, proposal=prepared)


def _read_results(results: QuerySet[Result], *, table: Table) -> list[ReviewedResult]:
    """Return results with the versions of their rows, in one query. There may be ten thousand."""
    versions = live_rows(table).filter(pk=OuterRef("row_id")).values("version")
    texts = {f"{name}_text": Cast(name, TextField()) for name in JSON_FIELDS}
    read = results.annotate(current_version=Subquery(versions), **texts).values_list(*PLAIN_FIELDS, *texts)
    if not (fields := [*zip(*read, strict=True)]):
        return []
    plain, written = fields[: len(PLAIN_FIELDS)], fields[len(PLAIN_FIELDS) :]
    # The texts of a field are parsed together, which is many times faster than each alone.
    return [*map(ReviewedResult._make, zip(*plain, *map(_parsed, written), strict=True))]


def _parsed(texts: Sequence[str]) -> list[Json]:
    parsed: list[Json] = json.loads(f"[{','.join(texts)}]")
    return parsed


def discard_results(fill: Fill, *, table: Table) -> None:
    """Forget what was found and is not applied, also if the apply was undone. The cells that were read remain."""
    found = _read_results(results_of(fill, states=[Result.State.FOUND]), table=table)
    states = review_states(found, table=table, shape=table_shape(table), unchanged=_unchanged_cells(found))
    discarded = [each.pk for each in found if states[each.row_id] in (OPEN, CHANGED, DELETED)]
    for start in range(0, len(discarded), 1_000):
        Result.objects.filter(pk__in=discarded[start : start + 1_000]).update(**DISCARDED)


def _unchanged_cells(results: Sequence[ReviewedResult]) -> dict[int, Json]:
    """Return the cells that were read of rows that have not changed since, which need not be read again."""
    return {each.row_id: each.cells for each in results if each.current_version == each.row_version}


def refuse_applied(edited: Sequence[Reviewed], *, states: Mapping[int, str]) -> None:
    """Raise Invalid for edits of results that an apply has written: the row has them, so that none can be applied."""
    faults = [
        Fault(f"edits.{each.row_id}", "already_applied", message=RESULT_APPLIED(row=each.row_id))
        for each in edited if states[each.row_id] == APPLIED and each.change_id is not None
    ]  # fmt: skip
    if faults:
        raise Invalid(faults[0].message, faults=faults, most=100)


@contextmanager
def paths_of_request(review: ComposedReview) -> Iterator[None]:
    """Give the faults of errors the paths of the request.

    `edits.12.Domain` for the value of an edit, else `rows[12].data.Domain` or `rows[12]`, with the id of the row.
    """
    try:
        yield
    except TablesError as error:
        is_about_edits = not isinstance(error, Conflict)
        paths = [_path(fault.path, review=review, is_about_edits=is_about_edits) for fault in error.faults]
        error.faults = tuple(replace(fault, path=path) for fault, path in zip(error.faults, paths, strict=True))
        raise


def _path(path: str, *, review: ComposedReview, is_about_edits: bool) -> str:
    found = _OPERATION.fullmatch(path)
    if found is None:
        return path
    row_id, key = review.results[int(found[1])].row_id, found[2]
    if not key:
        return f"rows[{row_id}]"
    edited = review.edited.get(row_id, {})
    if is_about_edits and key in edited:
        return f"edits.{row_id}.{edited[key]}"
    return cell_path(row_id, review.names.get(key, key))


def _operations(results: Sequence[Reviewed], *, edits: Mapping[int, Json], shape: TableShape) -> list[Json]:
    """Return the updates of rows. Columns that were deleted, and those without cells, are no part of them."""
    writable = {column.id for column in shape.columns if not column.is_computed}
    operations = []
    for result in results:
        changes = {key: value for key, value in result.values.items() if key in writable}
        changes |= {key: value for key, value in result.corrections.items() if key in writable}
        if edit := edits.get(result.row_id):
            changes |= cells_by_id(edit, shape=shape)
        expected = {key: value for key, value in result.cells.items() if key in writable}
        operations.append(
            {
                "action": "update", "row_id": result.row_id, "changes": changes, "expected": expected,
                "reason": result.note,
            }
        )  # fmt: skip
    return operations
