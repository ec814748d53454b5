"""DATA_PROPOSALs in a request: composed without a lock, then checked and written under it."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from shared.db.large_work import lock_large_work_for
from shared.rare_gc import with_rare_gc
from tables.column_types import TableShape
from tables.exceptions import Invalid, Outdated, TablesError
from tables.models import Table, new_column_id
from tables.operations.body_reader import Form
from tables.operations.cells import CopiedCells, StoredRow
from tables.operations.plans.changed_rows import plan_row_updates, read_row_updates
from tables.operations.plans.data_plan import plan_data
from tables.operations.plans.new_rows import read_new_rows
from tables.operations.plans.pinned_plans import data_plan
from tables.operations.plans.planned import Planned, refuse_unresolved, unresolved_faults
from tables.operations.plans.schema_additions import with_new_options, with_valid_new_columns
from tables.operations.proposals.choice import Choice, Origin
from tables.operations.proposals.data_proposal import (
    MAX_OPERATIONS,
    Draft,
    complete_data_proposal,
    read_data_proposal,
    refuse_in_order,
    refuse_moved_rows,
)
from tables.selectors import get_table, rows_by_id, table_shape
from tables.selectors.rows.reading import rows_by_column
from tables.services.pipeline.commit import Applied
from tables.services.pipeline.locking import locked_table, locked_versions, refuse_outdated
from tables.services.pipeline.outdated import beside_others, with_further
from tables.services.pipeline.pinned_plans import refuse_other_plan
from tables.services.pipeline.planned_rows import (
    PlannedRows,
    compose_changed_rows,
    compose_new_rows,
    compose_rows,
    write_rows,
)
from tables.services.pipeline.row_lookup import (
    FoundRows,
    Matches,
    anchor_rows,
    current_matches,
    find_matches,
    find_rows_locked,
    find_rows_unlocked,
    read_changed_rows,
)

Json = dict[str, Any]
# Attempts to compose without a lock while other users change the table.
ATTEMPTS = 2
# Up to this number, operations are composed under the lock, which is faster than comparing versions.
MAX_COMPOSED_LOCKED = 5


@dataclass(frozen=True)
class Decisions:
    """Options for reading operations that do not fit the table.

    `create_options`: a text in a select column that is not an option becomes one, as part of the same change.
    `new_columns` are names of text columns that are appended, as part of the same change; the operations may refer to
    them. `table_version` is the only version of the table that may be changed, `plan` that of a dry run. `copied_from`
    are the ids of rows whose cells the new rows repeat.
    """

    typecast: bool = True
    on_conflict: str = ""
    create_options: bool = False
    new_columns: Sequence[Any] = ()
    table_version: int | None = None
    plan: str = ""
    copied_from: Sequence[int] = ()


AS_PROPOSED = Decisions()


@dataclass(frozen=True)
class ComposedProposal:
    """The writes of the operations of a proposal, for these versions of its rows."""

    rows: PlannedRows
    warnings: list[Json]
    versions: Mapping[int, int]


@dataclass(frozen=True)
class ReadProposal:
    """A DATA_PROPOSAL read against one version of a table: its operations and their rows.

    `stored` is the stored table, `shape` the same with new options and columns. `form` has the faults of reading, which
    are raised with those of the plan. `composed` is None if other users changed the table meanwhile. Operations that
    were read by columns have no drafts.
    """

    version: int
    stored: TableShape
    shape: TableShape
    drafts: Sequence[Draft]
    words: Json
    matches: Matches
    decisions: Decisions
    form: Form = field(default_factory=Form)
    rows: Mapping[int, StoredRow] = field(default_factory=dict)
    composed: ComposedProposal | None = None


@with_rare_gc
def read_unlocked(
    *, user: Any, table_id: int, proposal: Any, decisions: Decisions = AS_PROPOSED
) -> ReadProposal | None:
    """Read and compose a proposal without a lock; None for a few operations without conditions.

    Must run outside of a transaction, because on SQLite every transaction holds the only write lock. Raises Malformed,
    Invalid or Conflict.
    """
    if not _is_worth_reading(proposal):
        return None
    # The version is read first, so that commits between these queries are detected as later changes.
    table = get_table(user, table_id, can="edit")
    _refuse_outdated_table(table, proposal=proposal, decisions=decisions)
    stored = table_shape(table)
    return read_with_rows(table, stored=stored, proposal=proposal, decisions=decisions)


def _read_by_columns(table: Table, *, stored: TableShape, proposal: Any, decisions: Decisions) -> ReadProposal | None:
    """Read and compose a proposal that updates rows by id, or adds them at the end.

    None if there are other operations, or anything to report. Raises LargeWorkBusy.
    """
    if not _is_worth_reading(proposal) or proposal.keys() != {"operations"}:
        return None
    operations, typecast = proposal["operations"], decisions.typecast
    if len(operations) > MAX_OPERATIONS or decisions.on_conflict or decisions.plan:
        return None
    if decisions.create_options or decisions.new_columns:
        return None
    lock_large_work_for(len(operations))
    added = read_new_rows(operations, shape=stored, typecast=typecast)
    if added is not None:
        composed = ComposedProposal(compose_new_rows(added, shape=stored), [], {})
        return ReadProposal(table.version, stored, stored, (), {}, {}, decisions, composed=composed)
    updates = read_row_updates(operations, shape=stored, typecast=typecast)
    if updates is None:
        return None
    rows = rows_by_column(table, updates.ids, shape=stored)
    changed = plan_row_updates(updates, rows=rows) if rows is not None else None
    if rows is None or changed is None:
        return None
    versions = dict(zip(rows.ids, rows.versions, strict=True))
    composed = ComposedProposal(compose_changed_rows(changed, shape=stored), [], versions)
    return ReadProposal(table.version, stored, stored, (), {}, {}, decisions, composed=composed)


def read_with_rows(table: Table, *, stored: TableShape, proposal: Any, decisions: Decisions) -> ReadProposal:
    """Read and compose a proposal with its rows, without a lock. Raises Malformed, Invalid or Conflict."""
    by_columns = _read_by_columns(table, stored=stored, proposal=proposal, decisions=decisions)
    if by_columns is not None:
        return by_columns
    read = _read(table, stored=stored, proposal=proposal, decisions=decisions)
    read = replace(read, rows=read_changed_rows(table, read.drafts, matches=read.matches, shape=read.shape))
    found = find_rows_unlocked(table, read.drafts, matches=read.matches, known=read.rows)
    try:
        return replace(read, composed=_compose(table, read, found=found))
    except TablesError:
        if Table.objects.filter(pk=table.pk, version=table.version).exists():
            raise
        # The queries may have read different versions of the table: then it is composed again under the lock.
        return read


def check_row_proposal(*, user: Any, table_id: int, proposal: Any, decisions: Decisions) -> None:
    """Raise the errors of `change_rows` for this proposal. Changes nothing."""
    table = get_table(user, table_id, can="edit")
    _refuse_outdated_table(table, proposal=proposal, decisions=decisions)
    read_with_rows(table, stored=table_shape(table), proposal=proposal, decisions=decisions)


def read_first_rows(proposal: Json, *, shape: TableShape, typecast: bool) -> Sequence[Json]:
    """Return the cells of the rows that a proposal adds to a new table of this shape. Raises Malformed or Invalid."""
    lock_large_work_for(len(proposal["operations"]))
    added = read_new_rows(proposal["operations"], shape=shape, typecast=typecast)
    if added is not None:
        return added
    form = Form()
    drafts, words = read_data_proposal(
        proposal, shape=shape, typecast=typecast, today=today_for(proposal), form=form
    )
    operations = complete_data_proposal(drafts, words=words, table_id=0, rows={}, matches={})["operations"]
    plan = plan_data(shape=shape, operations=operations, choice=Choice(), rows={}, fresh=True)
    refuse_in_order(form, others=unresolved_faults(plan.planned))
    refuse_unresolved(plan.planned)
    return [data for _, data in plan.adds]


def _refuse_outdated_table(table: Table, *, proposal: Any, decisions: Decisions) -> None:
    """Raise Outdated if the table has another version than that of the decisions, with all other faults."""
    unpinned = replace(decisions, table_version=None, plan="")
    with beside_others(
        lambda: read_with_rows(table, stored=table_shape(table), proposal=proposal, decisions=unpinned)
    ):
        refuse_outdated(table.version, expected=decisions.table_version)


@with_rare_gc
def change_rows(
    *,
    user: Any,
    table_id: int,
    proposal: Any,
    origin: Origin,
    decisions: Decisions = AS_PROPOSED,
    read: ReadProposal | None = None,
) -> Applied:
    """Apply all operations of a DATA_PROPOSAL, as `prepare_data` and `apply_data` would.

    `read` is the result of `read_unlocked` for this proposal and these decisions. Raises Malformed, Invalid, Conflict
    or Outdated, having written nothing.
    """
    for _ in range(ATTEMPTS):
        read = read or read_unlocked(user=user, table_id=table_id, proposal=proposal, decisions=decisions)
        if read is None:
            break
        with transaction.atomic():
            table = locked_table(user, table_id, was_read=True)
            refuse_outdated(table.version, expected=decisions.table_version)
            composed = confirmed(table, read)
            if composed is not None:
                return write_composed(table, composed, user=user, origin=origin)
        # The columns or very many rows have changed meanwhile.
        read = None
    with transaction.atomic():
        table = locked_table(user, table_id)
        _refuse_outdated_table(table, proposal=proposal, decisions=decisions)
        return change_locked(table, proposal=proposal, decisions=decisions, user=user, origin=origin)


def change_locked(table: Table, *, proposal: Any, decisions: Decisions, user: Any, origin: Origin) -> Applied:
    """Apply operations in the transaction that locked the table. See `change_rows`."""
    read = _read(table, stored=table_shape(table), proposal=proposal, decisions=decisions)
    found = find_rows_locked(table, read.drafts, shape=read.shape, matches=read.matches)
    return write_composed(table, _compose(table, read, found=found), user=user, origin=origin)


def confirmed(table: Table, read: ReadProposal) -> ComposedProposal | None:
    """Return the writes of a proposal to the locked table; None when the proposal must be read again.

    They are composed again if affected rows have changed; only these are read again. Raises Invalid or Conflict.
    """
    if read.composed is not None and table.version == read.version:
        return read.composed
    if table_shape(table).columns != read.stored.columns:
        return None
    if read.composed is not None and not read.drafts:
        # Read by columns, so that it cannot be composed again for the rows that have changed.
        versions = locked_versions(table, read.composed.versions)
        return read.composed if versions == read.composed.versions else None
    matches = current_matches(table, read.drafts, matches=read.matches, version=read.version)
    if matches is None:
        return None
    found = find_rows_locked(table, read.drafts, shape=read.shape, matches=matches, known=read.rows)
    composed = read.composed
    if composed is not None and matches == read.matches and _versions(found) == composed.versions:
        return composed
    return _compose(table, replace(read, matches=matches), found=found)


def write_composed(table: Table, composed: ComposedProposal, *, user: Any, origin: Origin) -> Applied:
    """Write a composed proposal to the locked table. Raises Invalid, having written nothing."""
    applied = write_rows(table, composed.rows, user=user, origin=origin)
    return replace(applied, warnings=composed.warnings)


def _is_worth_reading(proposal: Any) -> bool:
    operations = proposal.get("operations") if isinstance(proposal, dict) else None
    if not isinstance(operations, list):
        return False
    return len(operations) > MAX_COMPOSED_LOCKED or any(isinstance(one, dict) and "where" in one for one in operations)


def _read(table: Table, *, stored: TableShape, proposal: Any, decisions: Decisions) -> ReadProposal:
    form, added = Form(), decisions.new_columns
    shape = with_valid_new_columns(stored, added, new_id=new_column_id, form=form) if added else stored
    columns_are_known = not form.faults
    shape = with_new_options(shape, proposal["operations"], form=form) if decisions.create_options else shape
    copied = rows_by_id(table, decisions.copied_from, shape=stored).values() if decisions.copied_from else ()
    drafts, words = read_data_proposal(
        proposal, shape=shape, typecast=decisions.typecast, today=today_for(proposal), form=form,
        copied=CopiedCells(row.data for row in copied),
    )  # fmt: skip
    if not columns_are_known:
        # The cells of unknown columns may belong to the invalid ones of `new_columns`.
        form.faults = [fault for fault in form.faults if fault.code != "unknown_column"]
    with reading_faults(form):
        matches = find_matches(table, drafts)
    return ReadProposal(table.version, stored, shape, drafts, words, matches, decisions, form)


def _compose(table: Table, read: ReadProposal, *, found: FoundRows) -> ComposedProposal:
    completed = complete_data_proposal(
        read.drafts, words=read.words, table_id=table.pk, rows=found.named, matches=found.matches
    )
    operations = completed["operations"]
    beside = anchor_rows(table, operations)
    plan = plan_data(
        shape=read.shape, operations=operations, choice=Choice(on_conflict=read.decisions.on_conflict),
        rows=found.named, unchanged=found.unread, beside=beside, fresh=True,
    )  # fmt: skip
    refuse_planned(read.form, drafts=read.drafts, rows=found.named, planned=plan.planned)
    if read.decisions.plan:
        current = data_plan(operations, plan, version=table.version)
        refuse_other_plan(
            table, read.decisions.plan, current=current, operations=operations, selected_by=_selecting_columns(read)
        )
    rows = compose_rows(plan, shape=read.shape, rows=found.named, before=read.stored)
    return ComposedProposal(rows, completed["warnings"], _versions(found))


def _selecting_columns(read: ReadProposal) -> set[str]:
    """Return the ids of the columns that decide which rows the conditions select: rows with the new values are not."""
    conditional = [draft for draft in read.drafts if draft.where is not None]
    columns = {key for draft in conditional if draft.where is not None for key in draft.where.column_ids}
    return columns.union(*(draft.cells.values for draft in conditional if draft.action == "update"))


@contextmanager
def reading_faults(form: Form) -> Iterator[None]:
    """Raise the faults of reading a proposal with those of an error."""
    try:
        yield
    except Invalid as error:
        refuse_in_order(form, others=error.faults)
        raise


def refuse_planned(
    form: Form, *, drafts: Sequence[Draft], rows: Mapping[int, StoredRow], planned: Sequence[Planned]
) -> None:
    """Raise the faults of reading and planning a proposal, and those of the versions of its rows.

    Faults of a plan alone are raised when its rows are composed. Unknown columns have no precedence over versions.
    """
    others = unresolved_faults(planned)
    try:
        refuse_moved_rows(drafts, rows=rows)
    except Outdated as error:
        if any(fault.code != "unknown_column" for fault in form.faults):
            refuse_in_order(form, others=[*error.faults, *others])
        raise with_further(error, [*form.faults, *others], more=form.more_faults) from None
    refuse_in_order(form, others=others)


def _versions(found: FoundRows) -> dict[int, int]:
    return {row_id: row.version for row_id, row in found.named.items()}


def today_for(proposal: Any) -> date:
    """Return the current date, in the current time zone if the proposal has conditions, which depend on it."""
    operations = proposal.get("operations") if isinstance(proposal, dict) else None
    written = operations if isinstance(operations, list) else []
    conditional = any(isinstance(each, dict) and "where" in each for each in written)
    return timezone.localdate() if conditional else timezone.now().date()
