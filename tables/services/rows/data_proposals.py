"""Proposals for rows: prepare, preview and apply."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction

from shared import strictjson
from shared.db.large_work import lock_large_work_for
from shared.rare_gc import with_rare_gc
from shared.user_messages import declare
from tables.column_types import TableShape
from tables.column_types.files import NO_FILES
from tables.column_types.row_digest import NO_CELLS, RowDigest
from tables.exceptions import TablesError
from tables.models import Table
from tables.operations.body_reader import Form
from tables.operations.cells import StoredRow
from tables.operations.plans.changed_rows import KnownUpdate, plan_stored_updates, stored_updates
from tables.operations.plans.data_plan import RECHECKED_FAULTS, DataPlan, plan_data, row_ids
from tables.operations.plans.new_rows import read_stored_new_rows
from tables.operations.plans.pinned_plans import data_plan
from tables.operations.plans.planned import cells_by_column, preview_json
from tables.operations.proposals.choice import Choice, Origin
from tables.operations.proposals.data_proposal import (
    MAX_OPERATIONS,
    complete_data_proposal,
    read_data_proposal,
)
from tables.selectors import equal_rows, get_table, rows_by_id, table_shape
from tables.selectors.rows.snapshots import streaming_transaction
from tables.services.pipeline.commit import Applied
from tables.services.pipeline.locking import locked_table, locked_versions, refuse_outdated
from tables.services.pipeline.outdated import beside_others
from tables.services.pipeline.pinned_plans import refuse_other_plan
from tables.services.pipeline.planned_rows import (
    PlannedRows,
    compose_changed_rows,
    compose_new_rows,
    compose_rows,
    write_rows,
)
from tables.services.pipeline.row_lookup import anchor_rows, find_rows, split_unchanged_rows
from tables.services.rows.direct_changes import MAX_COMPOSED_LOCKED, reading_faults, refuse_planned, today_for

EQUAL_TO_ROW = declare("equal_to_row", "Same as row {row}.")
EQUAL_TO_OPERATION = declare("equal_to_operation", "Same as operation {operation} of this proposal.")

Json = dict[str, Any]


@dataclass(frozen=True)
class ComposedData:
    """The writes of a choice of a stored proposal, for these versions of its table and rows."""

    version: int
    versions: Mapping[int, int]
    rows: PlannedRows


@with_rare_gc
def prepare_data(
    *,
    user: Any,
    table_id: int,
    proposal: Any,
    typecast: bool = True,
    today: date | None = None,
    written_limit: int = MAX_OPERATIONS,
    with_files: bool = True,
) -> Json:
    """Return the stored form of a DATA_PROPOSAL: ids instead of names, rows for conditions, and faults.

    `with_files`: whether it may write files to cells, which the assistant cannot know.

    Raises Malformed or Invalid for a proposal that cannot be shown at all. Relative dates count from `today`, by
    default the current date in the current time zone.
    """
    table = get_table(user, table_id, can="edit")
    shape, form = table_shape(table), Form()
    shape = shape if with_files else shape.with_files(NO_FILES)
    drafts, words = read_data_proposal(
        proposal, shape=shape, typecast=typecast, today=today or today_for(proposal), written_limit=written_limit,
        form=form,
    )  # fmt: skip
    with reading_faults(form):
        found = find_rows(table, drafts, shape=shape)
    prepared = complete_data_proposal(drafts, words=words, table_id=table_id, rows=found.named, matches=found.matches)
    plan = plan_data(
        shape=shape, operations=prepared["operations"], choice=Choice(), rows=found.named,
        beside=anchor_rows(table, prepared["operations"]), fresh=True,
    )  # fmt: skip
    refuse_planned(form, drafts=drafts, rows=found.named, planned=plan.planned)
    for operation, planned in zip(prepared["operations"], plan.planned, strict=True):
        new = [fault.as_json() for fault in planned.faults if fault.code in RECHECKED_FAULTS]
        stored = [fault for fault in operation.get("faults", []) if fault["code"] not in RECHECKED_FAULTS]
        operation |= {"faults": stored + new} if stored or new else {}
    prepared["content_hash"] = strictjson.content_hash(prepared)
    return prepared


@with_rare_gc
def prepare_updates(*, user: Any, table_id: int, updates: Sequence[KnownUpdate]) -> Json | None:
    """Return the same as `prepare_data` without a hash, in a fraction of the time, for updates of existing rows.

    None if there is anything to report, so that `prepare_data` must read them.
    """
    shape = table_shape(get_table(user, table_id, can="edit"))
    lock_large_work_for(len(updates))
    operations = stored_updates(updates, shape=shape) if len(updates) <= MAX_OPERATIONS else None
    if operations is None:
        return None
    return {"kind": "data", "table_id": table_id, "operations": operations, "warnings": []}


@with_rare_gc
def preview_data(*, user: Any, prepared: Json, choice: Choice, version: int | None = None) -> Json:
    """Return the effect of the choice on the current table; nothing is written.

    With the `version` that the table had before the proposal was prepared, the preview has a `plan`.
    """
    choice.check_against(prepared)
    table = get_table(user, prepared["table_id"], can="edit")
    shape, operations = table_shape(table), choice.chosen(prepared)
    _refuse_other_version(table, operations, choice=choice)
    plan = _planned_now(table, operations, shape=shape, choice=choice)
    _warn_of_duplicates(table, plan, shape=shape)
    return preview_json(plan.planned, columns=shape.columns) | {
        "cells_by_column": cells_by_column(plan.planned),
        "warnings": prepared.get("warnings", []),
        **({} if version is None else {"plan": data_plan(operations, plan, version=version)}),
    }


@with_rare_gc
def refuse_other_data_plan(*, user: Any, prepared: Json, choice: Choice, plan: str) -> None:
    """Raise Conflict with what has changed if an apply would not do what the dry run with this plan showed."""
    table = get_table(user, prepared["table_id"], can="edit")
    operations = choice.chosen(prepared)
    planned = _planned_now(table, operations, shape=table_shape(table), choice=choice)
    current = data_plan(operations, planned, version=table.version)
    refuse_other_plan(table, plan, current=current, operations=operations)


def _planned_now(table: Table, operations: Sequence[Json], *, shape: TableShape, choice: Choice) -> DataPlan:
    """Return the plan of stored operations for the current rows, read without locks. Raises LargeWorkBusy."""
    lock_large_work_for(len(operations))
    rows = rows_by_id(table, row_ids(operations), shape=shape, with_computed=False)
    beside = anchor_rows(table, operations)
    return plan_data(shape=shape, operations=operations, choice=choice, rows=rows, beside=beside)


@with_rare_gc
def compose_data(*, user: Any, prepared: Json, choice: Choice) -> ComposedData | None:
    """Compose the writes of `apply_data` without a lock. Raises the errors of `apply_data`.

    Returns None if they must be composed under the lock: for few operations, or after a concurrent change of the table.
    Must run outside of a transaction, because on SQLite every transaction holds the only write lock.
    """
    operations = _chosen(prepared, choice=choice)
    if len(operations) <= MAX_COMPOSED_LOCKED:
        return None
    # The version is read first, so that commits between these queries are detected as later changes.
    table = get_table(user, prepared["table_id"], can="edit")
    _refuse_other_version(table, operations, choice=choice)
    complete = len(operations) == len(prepared["operations"])
    try:
        with streaming_transaction():
            return _compose(table, operations, choice=choice, lock=False, complete=complete)
    except TablesError:
        if get_table(user, prepared["table_id"], can="edit").version == table.version:
            raise
        # The queries may have read different versions of the table.
        return None


@with_rare_gc
def apply_data(
    *, user: Any, prepared: Json, choice: Choice, origin: Origin, composed: ComposedData | None = None
) -> Applied:
    """Apply the chosen operations as one change. Raises Invalid, Conflict or Outdated, having written nothing.

    `composed` is the result of `compose_data` for this choice. It is composed again if its columns or rows have changed
    since.
    """
    operations = _chosen(prepared, choice=choice)
    with transaction.atomic():
        table = locked_table(user, prepared["table_id"])
        _refuse_other_version(table, operations, choice=choice)
        if composed is None or not _is_current(composed, table=table, operations=operations):
            complete = len(operations) == len(prepared["operations"])
            composed = _compose(table, operations, choice=choice, lock=True, complete=complete)
        return write_rows(table, composed.rows, user=user, origin=origin, operations=prepared["operations"])


def _chosen(prepared: Json, *, choice: Choice) -> list[Json]:
    choice.check_against(prepared)
    choice.refuse_nothing()
    operations = choice.chosen(prepared)
    lock_large_work_for(len(operations))
    return operations


def _refuse_other_version(table: Table, operations: Sequence[Json], *, choice: Choice) -> None:
    """Raise Outdated, with the faults and conflicts of the operations, if the choice was made for another version."""
    with beside_others(lambda: _compose(table, operations, choice=choice, lock=False, complete=False)):
        refuse_outdated(table.version, expected=choice.version)


def _compose(
    table: Table, operations: Sequence[Json], *, choice: Choice, lock: bool, complete: bool
) -> ComposedData:
    """Compose the writes of operations. `complete`: they are all operations of the proposal."""
    shape = table_shape(table)
    rows, unchanged = split_unchanged_rows(table, operations, shape=shape, lock=lock)
    if complete and not choice.edits:
        by_columns = _compose_by_columns(operations, shape=shape, rows=rows)
        if by_columns is not None:
            versions = {row_id: row.version for row_id, row in rows.items()}
            return ComposedData(table.version, versions, by_columns)
    beside = anchor_rows(table, operations)
    plan = plan_data(shape=shape, operations=operations, choice=choice, rows=rows, unchanged=unchanged, beside=beside)
    versions = {row_id: row.version for row_id, row in rows.items()} | unchanged
    return ComposedData(table.version, versions, compose_rows(plan, shape=shape, rows=rows))


def _compose_by_columns(
    operations: Sequence[Json], *, shape: TableShape, rows: Mapping[int, StoredRow]
) -> PlannedRows | None:
    """Return the writes of updates and of rows added at the end; None for others, or with anything to report."""
    added = read_stored_new_rows(operations, shape=shape)
    if added is not None:
        return compose_new_rows(added, shape=shape)
    changed = plan_stored_updates(operations, rows=rows, shape=shape)
    return compose_changed_rows(changed, shape=shape) if changed is not None else None


def _is_current(composed: ComposedData, *, table: Table, operations: Sequence[Json]) -> bool:
    """Return whether composing again for the locked table would give the same result."""
    if table.version == composed.version:
        return True
    if table_shape(table).columns != composed.rows.shape.columns:
        return False
    return locked_versions(table, row_ids(operations)) == composed.versions


def _warn_of_duplicates(table: Table, plan: DataPlan, *, shape: TableShape) -> None:
    """Add warnings to new rows that equal an existing one, or an earlier one of the same proposal."""
    digest_of = RowDigest(shape.columns).of
    texts = [digest_of(data) for _, data in plan.adds]
    known = equal_rows(table, {text: searched for text, searched in texts if text != NO_CELLS})
    seen: dict[str, int] = {}
    for (planned, _), (text, _searched) in zip(plan.adds, texts, strict=True):
        if text in known:
            planned.warn(code="double", message=EQUAL_TO_ROW(row=known[text]), value=known[text])
        elif text in seen:
            planned.warn(code="double", message=EQUAL_TO_OPERATION(operation=seen[text]))
        elif text != NO_CELLS:
            seen[text] = planned.index
