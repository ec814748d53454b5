"""Writes what was planned for the rows of a locked table, as one change."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tables.column_types import TableShape
from tables.column_types.limits import LIMITS
from tables.exceptions import Invalid
from tables.models import Change, Table
from tables.operations.cells import RowState, StoredRow
from tables.operations.choice import Origin
from tables.operations.data_plan import DataPlan
from tables.operations.new_options import added_options
from tables.operations.planned import outcome, refuse_nothing_left, refuse_unless_clear
from tables.operations.schema_plan import SchemaPlan
from tables.operations.wording import counts_of, rows_summary
from tables.selectors import count_rows
from tables.services.applied import Applied
from tables.services.recording import Effect, Record, carry_out


def write_plan(
    table: Table, plan: DataPlan, *, shape: TableShape, rows: Mapping[int, StoredRow], user: Any, origin: Origin,
    operations: Sequence[dict[str, Any]] = (), before: TableShape | None = None,
) -> Applied:
    """Belongs in the transaction that locked the table. Raises Invalid or Conflict, having written nothing.

    `operations` are all that could be chosen from. `before` is the stored table where `shape` has new options or
    columns.
    """
    before = before or shape
    refuse_unless_clear(plan.planned)
    refuse_too_many(table, adding=len(plan.adds))
    effect = Effect(
        before=before.columns,
        after=shape.columns,
        delta=SchemaPlan(planned=[], before=before.columns, after=shape.columns, table=None).delta(),
        adds=[data for _, data in plan.adds],
        beside=plan.beside,
        deletes=plan.deletes,
    )
    for row_id, cells in plan.updates.items():
        data = rows[row_id].data
        effect.delta.rows.append([row_id, {key: data.get(key) for key in cells}, cells])
        whole = {**data, **cells}
        effect.contents[row_id] = {key: value for key, value in whole.items() if value is not None}
    change: Change | None = None
    ids: list[int] = []
    if effect.changes_nothing:
        refuse_nothing_left(plan.planned)
    else:
        counts = counts_of(plan.planned)
        known = {column.id for column in before.columns}
        names = [column.name for column in shape.columns if column.id not in known]
        summary = rows_summary(counts, options=added_options(before, shape), columns=names)
        record = Record(summary=summary, counts=counts)
        change, ids = carry_out(table, effect, user=user, origin=origin, record=record)
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
        columns=shape.columns,
        rows={**rows, **_after(effect, rows=rows, added=ids)},
    )


def _after(effect: Effect, *, rows: Mapping[int, StoredRow], added: list[int]) -> dict[int, StoredRow]:
    """The rows that were written, as they are now."""
    changed: dict[int, StoredRow] = {
        key: RowState(id=key, version=rows[key].version + 1, data=data) for key, data in effect.contents.items()
    }
    return changed | {
        key: RowState(id=key, version=1, data=data) for key, data in zip(added, effect.adds, strict=True)
    }


def refuse_too_many(table: Table, *, adding: int) -> None:
    """Raises Invalid when a locked table could not take so many rows more."""
    # Positions are never used twice, so there are at most as many rows: mostly nothing has to be counted.
    if adding and table.next_position + adding > LIMITS.rows and count_rows(table) + adding > LIMITS.rows:
        raise Invalid(f"A table has at most {LIMITS.rows:,} rows.", code="too_many_rows")
