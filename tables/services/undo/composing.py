"""What undoing a change writes to a table: composed without its lock, and again for what has changed under the lock."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.utils import timezone

from shared.db.large_work import take_turn_for_rows
from tables.column_types import TableShape
from tables.column_types.limits import LIMITS
from tables.exceptions import Fault, Invalid
from tables.models import Table
from tables.operations.cells import RowState
from tables.operations.delta import Delta
from tables.operations.row_names import row_message
from tables.operations.row_order import RowMoves, RowPlacement, has_moved, moved_fault, plan_return, split_placements
from tables.operations.undo_plan import plan_undo
from tables.selectors import count_rows, table_shape
from tables.services.pipeline.found_rows import MAX_EVALUATED_AGAIN
from tables.services.pipeline.locking import every_row, locked_rows, locked_versions, stored_rows
from tables.services.pipeline.recording import Effect, count_again
from tables.services.pipeline.row_order import places_of, positions_of
from tables.services.undo.in_parts import TOO_MANY_COLUMNS_BACK, Conflicts, RowsGone, RowsTakenBack, refuse_too_many

Decision = str | Mapping[str, str]


@dataclass(frozen=True)
class WholeUndo:
    """An inverted delta, the rows that it changes as they were read, and what it writes to the table."""

    delta: Delta
    shape: TableShape
    rows: Mapping[int, RowState]
    effect: Effect


def compose_whole(table: Table, delta: Delta, *, decision: Decision, decision_on_moves: str = "") -> WholeUndo:
    """Compose all that an inverted delta writes to the present version of a table. Raises Conflict and Invalid.

    `decision_on_moves` takes the place of `decision` for rows that were moved since.
    """
    take_turn_for_rows(len(delta.rows))
    shape = table_shape(table)
    rows = stored_rows(table, [row_id for row_id, _, _ in delta.rows], shape=shape)
    all_rows = _rows_with(delta, table=table, shape=shape)
    cells, places = split_placements(delta)
    plan = plan_undo(delta=cells, shape=shape, rows=rows, all_rows=all_rows, decision=decision)
    moves, moved = _moves_back(table, places, rows=rows, shape=shape, decision=decision_on_moves or decision)
    Conflicts([*plan.conflicts, *moved]).refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents, moves=moves)
    _refuse_too_many(table, effect)
    effect.serialise()
    return WholeUndo(delta, shape, rows, effect)


def recompose(table: Table, whole: WholeUndo, *, decision: Decision) -> WholeUndo | None:
    """Compose it again for a locked table that has changed since, reading only the rows that have changed.

    None where all of it must be composed again: where columns, the table itself or places of rows are concerned, and
    where very many rows have changed. Raises what `compose_whole` raises.
    """
    delta = whole.delta
    cells, places = split_placements(delta)
    shape = table_shape(table)
    if delta.table or delta.columns or delta.order or places or shape.columns != whole.shape.columns:
        return None
    versions = locked_versions(table, (row_id for row_id, _, _ in delta.rows), deleted=True)
    rows = {row_id: row for row_id, row in whole.rows.items() if versions.get(row_id) == row.version}
    changed = versions.keys() - rows.keys()
    if len(changed) > MAX_EVALUATED_AGAIN:
        return None
    again = locked_rows(table, changed, shape=shape)
    plan = plan_undo(delta=cells, shape=shape, rows=rows | again, all_rows=tuple, decision=decision)
    Conflicts(plan.conflicts).refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents)
    effect.texts = {row_id: text for row_id, text in whole.effect.texts.items() if row_id in rows}
    effect.pieces = whole.effect.pieces if effect.delta == whole.effect.delta else None
    _refuse_too_many(table, effect)
    return WholeUndo(delta, shape, rows | again, effect)


def _refuse_too_many(table: Table, effect: Effect) -> None:
    if effect.gained > 0:
        refuse_too_many(table, gained=effect.gained, count=count_rows(table) + effect.gained)
    _refuse_too_many_columns(effect)


def _refuse_too_many_columns(effect: Effect) -> None:
    if len(effect.after) > max(len(effect.before), LIMITS.columns):
        raise Invalid(TOO_MANY_COLUMNS_BACK(count=LIMITS.columns), code="too_many_columns")


def _moves_back(
    table: Table,
    places: Mapping[int, tuple[RowPlacement | None, RowPlacement]],
    *,
    rows: Mapping[int, RowState],
    shape: TableShape,
    decision: Decision,
) -> tuple[RowMoves, list[Fault]]:
    """How rows get back to where they were, and conflicts with later moves of the same rows."""
    places = {row_id: each for row_id, each in places.items() if row_id in rows}
    if not places:
        return RowMoves(), []
    wanted: dict[int, RowPlacement] = {}
    conflicts: list[Fault] = []
    now = places_of(table, places)
    for row_id, (left, place) in places.items():
        if left is not None and has_moved(left, now=now[row_id]):
            message = row_message("row_moved", rows[row_id].data, columns=shape.columns)
            fault = moved_fault(row_id, message=message)
            said = decision if isinstance(decision, str) else decision.get(fault.path, "")
            if said == "keep":
                continue
            conflicts += [] if said else [fault]
        wanted[row_id] = place
    neighbours = [pk for place in wanted.values() for pk in (place.previous_id, place.next_id) if pk is not None]
    return plan_return(wanted, current=positions_of(table, [*wanted, *neighbours])), conflicts


def effect_in_parts(table: Table, parts: Iterator[Delta], *, user: Any, decision: Decision) -> Effect | None:
    """Return what inverted parts write to a locked table, row by row; None where rows depend on changes of columns.

    Where columns go, they do not if the change has only added rows, which then go before the columns do.
    """
    first = next(parts)
    parts = itertools.chain([first], parts)
    named = Delta(table=first.table, columns=first.columns, order=first.order)
    going = bool(named.columns) and all(now is None for _, _, now in named.columns)
    coming = all(was is None for _, was, _ in named.columns)
    if not (going or coming) or (going and decision not in ("", "overwrite")):
        return None
    shape = table_shape(table)
    # Before rows go: how many go is told by how many there were.
    count_again(table)
    gone = RowsGone(parts, shape=shape, decision=decision)
    if going and not gone.delete(table, user=user, now=timezone.now()):
        return None
    all_rows = _rows_with(named, table=table, shape=shape)
    plan = plan_undo(delta=named, shape=shape, rows={}, all_rows=all_rows, decision=decision)
    inflow = gone if going else RowsTakenBack(parts, shape=replace(shape, columns=plan.after), decision=decision)
    inflow.conflicts.take(plan.conflicts)
    if going:
        inflow.conflicts.refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents, inflow=inflow)
    _refuse_too_many_columns(effect)
    return effect


def _rows_with(delta: Delta, *, table: Table, shape: TableShape) -> Callable[[], Iterable[RowState]]:
    """Walks over the rows with a value in a column that goes or changes: for the others it makes no difference."""
    holding = [key for key, was, _ in delta.columns if was is not None]
    return partial(every_row, table, shape=shape, holding=holding)
