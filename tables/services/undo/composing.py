"""Compute the writes of undoing a change: without a lock, and again for the locked table if needed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.utils import timezone

from shared.db.large_work import lock_large_work_for
from tables.column_types import TableShape
from tables.column_types.limits import LIMITS
from tables.exceptions import Fault, Invalid
from tables.models import Table
from tables.operations.cells import RowState
from tables.operations.changes.delta import Delta
from tables.operations.changes.undo_plan import plan_undo
from tables.operations.plans.row_order import (
    RowMoves,
    RowPlacement,
    has_moved,
    moved_fault,
    plan_return,
    split_placements,
)
from tables.operations.row_names import row_message
from tables.selectors import count_rows, table_shape
from tables.services.pipeline.commit import Effect, update_row_count
from tables.services.pipeline.locking import iterate_row_states, locked_rows, locked_versions, stored_rows
from tables.services.pipeline.row_lookup import MAX_RECHECKED_ROWS
from tables.services.pipeline.row_positions import placements_of, positions_of
from tables.services.undo.large_changes import (
    TOO_MANY_COLUMNS_BACK,
    Conflicts,
    DeletedRows,
    InvertedRows,
    refuse_too_many,
)
from tables.services.undo.required_columns import required_columns, restored_in_parts

Decision = str | Mapping[str, str]


@dataclass(frozen=True)
class WholeUndo:
    """An inverted delta, the affected rows as they were read, its writes to the table, and values it cannot restore."""

    delta: Delta
    shape: TableShape
    rows: Mapping[int, RowState]
    effect: Effect
    skipped: Sequence[Fault] = ()


def compose_whole(
    table: Table, delta: Delta, *, decision: Decision, decision_on_moves: str = "", since: int | None = None
) -> WholeUndo:
    """Compose the writes of an inverted delta to the current version of a table.

    Raises Conflict and Invalid. `decision_on_moves` replaces `decision` for rows that were moved since. `since` is the
    version that the change led to; None if there are no other changes since, or if they are undone too.
    """
    lock_large_work_for(len(delta.rows))
    shape = table_shape(table)
    rows = stored_rows(table, [row_id for row_id, _, _ in delta.rows], shape=shape)
    all_rows = _rows_with(delta, table=table, shape=shape)
    cells, placements = split_placements(delta)
    required = required_columns(table, shape=shape, since=since)
    plan = plan_undo(delta=cells, shape=shape, rows=rows, all_rows=all_rows, decision=decision, required=required)
    moves, moved = _moves_back(table, placements, rows=rows, shape=shape, decision=decision_on_moves or decision)
    Conflicts([*plan.conflicts, *moved]).refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents, moves=moves)
    _refuse_too_many(table, effect)
    effect.serialise()
    return WholeUndo(delta, shape, rows, effect, plan.skipped)


def recompose(table: Table, whole: WholeUndo, *, decision: Decision, since: int | None) -> WholeUndo | None:
    """Compose it again for a locked table that has changed since, reading only the rows that have changed.

    Returns None if all of it must be composed again: if columns, the table itself or positions of rows are affected, or
    very many rows have changed. Raises the errors of `compose_whole`.
    """
    delta = whole.delta
    cells, placements = split_placements(delta)
    shape = table_shape(table)
    if delta.table or delta.columns or delta.order or placements or shape.columns != whole.shape.columns:
        return None
    versions = locked_versions(table, (row_id for row_id, _, _ in delta.rows), deleted=True)
    rows = {row_id: row for row_id, row in whole.rows.items() if versions.get(row_id) == row.version}
    changed = versions.keys() - rows.keys()
    if len(changed) > MAX_RECHECKED_ROWS:
        return None
    changed_rows = locked_rows(table, changed, shape=shape)
    required = required_columns(table, shape=shape, since=since)
    rows |= changed_rows
    plan = plan_undo(delta=cells, shape=shape, rows=rows, all_rows=tuple, decision=decision, required=required)
    Conflicts(plan.conflicts).refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents)
    effect.texts = {row_id: text for row_id, text in whole.effect.texts.items() if row_id not in changed}
    effect.pieces = whole.effect.pieces if effect.delta == whole.effect.delta else None
    _refuse_too_many(table, effect)
    return WholeUndo(delta, shape, rows, effect, plan.skipped)


def _refuse_too_many(table: Table, effect: Effect) -> None:
    if effect.row_count_delta > 0:
        refuse_too_many(table, row_count_delta=effect.row_count_delta, count=count_rows(table) + effect.row_count_delta)
    _refuse_too_many_columns(effect)


def _refuse_too_many_columns(effect: Effect) -> None:
    if len(effect.after) > max(len(effect.before), LIMITS.columns):
        raise Invalid(TOO_MANY_COLUMNS_BACK(count=LIMITS.columns), code="too_many_columns")


def _moves_back(
    table: Table,
    placements: Mapping[int, tuple[RowPlacement | None, RowPlacement]],
    *,
    rows: Mapping[int, RowState],
    shape: TableShape,
    decision: Decision,
) -> tuple[RowMoves, list[Fault]]:
    """Return the moves back to earlier positions, and conflicts with later moves of the same rows."""
    placements = {row_id: each for row_id, each in placements.items() if row_id in rows}
    if not placements:
        return RowMoves(), []
    wanted: dict[int, RowPlacement] = {}
    conflicts: list[Fault] = []
    now = placements_of(table, placements)
    for row_id, (left, placement) in placements.items():
        if left is not None and has_moved(left, now=now[row_id]):
            message = row_message("row_moved", rows[row_id], columns=shape.columns)
            fault = moved_fault(row_id, message=message)
            chosen = decision if isinstance(decision, str) else decision.get(fault.path, "")
            if chosen == "skip":
                continue
            conflicts += [] if chosen else [fault]
        wanted[row_id] = placement
    neighbours = [pk for each in wanted.values() for pk in (each.previous_id, each.next_id) if pk is not None]
    return plan_return(wanted, current=positions_of(table, [*wanted, *neighbours])), conflicts


def effect_in_parts(
    table: Table, inverted_parts: Callable[[], Iterator[Delta]], *, user: Any, decision: Decision, since: int | None
) -> Effect | None:
    """Return the writes of inverted parts to a locked table; None if rows depend on changes of columns.

    Added columns can be removed only if the change has added all its rows: these are deleted first.
    """
    parts = inverted_parts()
    first = next(parts)
    parts = itertools.chain([first], parts)
    definitions = Delta(table=first.table, columns=first.columns, order=first.order)
    removes_columns = bool(definitions.columns) and all(now is None for _, _, now in definitions.columns)
    adds_columns = all(was is None for _, was, _ in definitions.columns)
    if not (removes_columns or adds_columns) or (removes_columns and decision not in ("", "overwrite")):
        return None
    shape = table_shape(table)
    # Computed before rows are deleted, to know the number of deleted ones.
    update_row_count(table)
    added_rows = DeletedRows(parts, shape=shape, decision=decision)
    if removes_columns and not added_rows.delete(table, user=user, now=timezone.now()):
        return None
    all_rows = _rows_with(definitions, table=table, shape=shape)
    required = required_columns(table, shape=shape, since=since)
    of_columns = restored_in_parts(table, inverted_parts, required=required)
    plan = plan_undo(
        delta=definitions, shape=shape, rows={}, all_rows=all_rows, decision=decision, required=of_columns
    )
    source: InvertedRows = added_rows
    if not removes_columns:
        shape_after = replace(shape, columns=plan.after)
        source = InvertedRows(parts, shape=shape_after, decision=decision, required=required)
    source.conflicts.take(plan.conflicts)
    if removes_columns:
        source.conflicts.refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents, source=source)
    _refuse_too_many_columns(effect)
    return effect


def _rows_with(delta: Delta, *, table: Table, shape: TableShape) -> Callable[[], Iterable[RowState]]:
    """Return a function that iterates over the rows with a value in a column that is removed or changed.

    Values of computed columns are not stored: they are neither lost with their column nor converted.
    """
    computed = {column.id for column in shape.columns if column.is_computed}
    column_ids = [key for key, was, _ in delta.columns if was is not None and key not in computed]
    return partial(iterate_row_states, table, shape=shape, with_value_in=column_ids) if column_ids else tuple
