"""Composing of planned rows, and writing them to the locked table as one change."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shared.user_messages import declare
from tables.column_types import TableShape
from tables.column_types.limits import LIMITS
from tables.exceptions import Invalid
from tables.models import Change, Table
from tables.operations.cells import RowState, StoredRow, StoredRows
from tables.operations.changes.delta import Delta
from tables.operations.plans.changed_rows import ChangedRows
from tables.operations.plans.data_plan import DataPlan
from tables.operations.plans.new_rows import NewRows
from tables.operations.plans.planned import outcome, refuse_all_skipped, refuse_unresolved
from tables.operations.plans.schema_additions import added_options
from tables.operations.plans.schema_plan import SchemaPlan
from tables.operations.plans.summaries import counts_of, rows_summary
from tables.operations.proposals.choice import Origin
from tables.selectors import count_rows
from tables.services.pipeline.commit import Applied, Effect, Record, commit_change
from tables.services.pipeline.file_rows import refuse_deleted_files
from tables.services.pipeline.row_texts import texts_of_changed_rows

TOO_MANY_ROWS = declare("too_many_rows", "A table can have at most {count:,} rows.")


@dataclass(frozen=True)
class PlannedRows:
    """A plan with its rows and its writes; `record` is None if it writes nothing.

    `plan` is a DataPlan, or what was read by columns. `rows` are those of a DataPlan before the change.
    """

    plan: DataPlan | ChangedRows | NewRows
    shape: TableShape
    rows: Mapping[int, StoredRow]
    effect: Effect
    record: Record | None


def compose_rows(
    plan: DataPlan, *, shape: TableShape, rows: Mapping[int, StoredRow], before: TableShape | None = None
) -> PlannedRows:
    """Return the serialised writes of a plan, without a lock. Raises Invalid or Conflict.

    `before` is the stored table if `shape` has new options or columns.
    """
    before = before or shape
    refuse_unresolved(plan.planned)
    effect = Effect(
        before=before.columns,
        after=shape.columns,
        delta=SchemaPlan(planned=[], before=before.columns, after=shape.columns, table=None).delta(),
        adds=[data for _, data in plan.adds],
        beside=plan.beside,
        deletes=plan.deletes,
    )
    contents: dict[int, dict[str, Any]] = {}
    for row_id, cells in plan.updates.items():
        data = rows[row_id].data
        effect.delta.rows.append([row_id, {key: data.get(key) for key in cells}, cells])
        whole = {**data, **cells}
        contents[row_id] = {key: value for key, value in whole.items() if value is not None}
    effect.contents = contents
    if effect.is_noop:
        refuse_all_skipped(plan.planned)
        return PlannedRows(plan, shape, rows, effect, record=None)
    effect.serialise()
    counts = counts_of(plan.planned)
    known = {column.id for column in before.columns}
    names = [column.name for column in shape.columns if column.id not in known]
    summary = rows_summary(counts, options=added_options(before, shape), columns=names)
    return PlannedRows(plan, shape, rows, effect, Record(summary=summary, counts=counts))


def compose_new_rows(rows: NewRows, *, shape: TableShape) -> PlannedRows:
    """Return the serialised writes of rows that are added at the end, without a lock."""
    effect = Effect(before=shape.columns, after=shape.columns, delta=Delta(), adds=rows)
    effect.serialise()
    counts = {"add": len(rows)}
    record = Record(summary=rows_summary(counts), counts=counts)
    return PlannedRows(rows, shape, {}, effect, record)


def compose_changed_rows(plan: ChangedRows, *, shape: TableShape) -> PlannedRows:
    """Return the serialised writes of updates that were read by columns, without a lock."""
    effect = Effect(
        before=shape.columns,
        after=shape.columns,
        delta=Delta(rows=plan.changes),
        contents=plan.contents,
        adds=plan.adds or (),
    )
    if effect.is_noop:
        return PlannedRows(plan, shape, {}, effect, record=None)
    effect.texts = texts_of_changed_rows(plan.rows.ids, plan.rows.cells, columns=shape.columns)
    effect.serialise()
    counts = dict(Counter(entry["action"] for entry in plan.applied))
    record = Record(summary=rows_summary(counts), counts=counts)
    return PlannedRows(plan, shape, {}, effect, record)


def write_rows(
    table: Table, rows: PlannedRows, *, user: Any, origin: Origin, operations: Sequence[dict[str, Any]] = ()
) -> Applied:
    """Write planned rows in the transaction that locked the table. Raises Invalid, having written nothing.

    `operations` are all operations of the proposal, chosen or not.
    """
    plan, effect = rows.plan, rows.effect
    refuse_too_many(table, adding=len(effect.adds))
    change: Change | None = None
    ids: list[int] = []
    skipped: list[dict[str, Any]] = []
    if rows.record is not None:
        refuse_deleted_files(table, effect.delta.rows, added=effect.adds, columns=effect.after)
        change, ids = commit_change(table, effect, user=user, origin=origin, record=rows.record)
    if isinstance(plan, NewRows):
        applied = [{"index": index, "action": "add", "row_id": pk} for index, pk in enumerate(ids)]
    elif isinstance(plan, ChangedRows):
        added = iter(ids)
        applied = [entry if "row_id" in entry else {**entry, "row_id": next(added)} for entry in plan.applied]
        skipped = plan.skipped
    else:
        for (planned, _), row_id in zip(plan.adds, ids, strict=True):
            planned.row_id = row_id
        applied, skipped = outcome(plan.planned, operations=operations)
    return Applied(
        change=change.pk if change else None,
        version=table.version,
        table_id=table.pk,
        table_name=table.name,
        applied=applied,
        skipped=skipped,
        columns=rows.shape.columns,
        rows=_RowsAfter(rows, added=ids),
        by_column=_rows_by_column(plan, added=ids),
    )


def _rows_by_column(plan: DataPlan | ChangedRows | NewRows, *, added: list[int]) -> StoredRows | None:
    """Return the affected rows in the order of the operations, if they were read by columns."""
    if isinstance(plan, NewRows):
        return StoredRows(added, [1] * len(added), plan)
    return plan.rows if isinstance(plan, ChangedRows) and not added else None


class _RowsAfter(Mapping[int, StoredRow]):
    """The affected rows in their new state, created when they are read, because many requests do not."""

    def __init__(self, planned: PlannedRows, *, added: list[int]) -> None:
        self._planned = planned
        self._added = added

    @cached_property
    def _rows(self) -> dict[int, StoredRow]:
        plan, effect, before = self._planned.plan, self._planned.effect, self._planned.rows
        added = {key: RowState(key, 1, data) for key, data in zip(self._added, effect.adds, strict=True)}
        if isinstance(plan, ChangedRows):
            return {**plan.rows.by_id(), **added}
        changed = {key: RowState(key, before[key].version + 1, data) for key, data in effect.contents.items()}
        return {**before, **changed, **added}

    def __getitem__(self, key: int) -> StoredRow:
        return self._rows[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def refuse_too_many(table: Table, *, adding: int) -> None:
    """Raise Invalid if this many additional rows would exceed the row limit of a locked table."""
    # Positions are never reused, so their number is an upper bound of the row count. Usually no count is needed.
    if adding and table.next_position + adding > LIMITS.rows and count_rows(table) + adding > LIMITS.rows:
        raise Invalid(TOO_MANY_ROWS(count=LIMITS.rows), code="too_many_rows")
