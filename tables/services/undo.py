"""Takes changes back and does them again; each time that is a change of its own."""
from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from tables.column_types import TableShape
from tables.column_types.limits import LIMITS
from tables.exceptions import Conflict, Fault, Forbidden, Invalid, Malformed, NotFound
from tables.models import Change, Table
from tables.operations.cells import RowState
from tables.operations.choice import Origin
from tables.operations.delta import Delta, joined
from tables.operations.row_names import told_of_row
from tables.operations.row_order import Place, RowMoves, has_moved, moved_fault, plan_return, split_places
from tables.operations.undo_plan import plan_undo
from tables.selectors import allowed, count_rows, is_in_effect, table_shape
from tables.selectors.chains import Chain, chain_of
from tables.services.locking import every_row, locked_rows, locked_table
from tables.services.recording import Effect, Record, carry_out, count_again
from tables.services.restored_changes import announce_restored_changes
from tables.services.row_order import places_of, positions_of
from tables.services.undo_in_parts import (
    Conflicts,
    RowsGone,
    RowsTakenBack,
    is_taken_back_by,
    parts_of,
    refuse_too_many,
)
from tables.signals import change_redone, change_undone
from user_messages import declare

UNDID = declare("undid", "Undid: {summary}")
REDID = declare("redid", "Redid: {summary}")

Decision = str | Mapping[str, str] | None
WORDS = {"overwrite", "keep"}
NOTHING_LEFT = {
    False: "Nothing of this change is left to take back.",
    True: "Nothing of this change is left to do again.",
}
RESTORED_OVER = {
    False: "Restoring the table undid this change. To redo it, undo the restore in the history.",
    True: "Restoring the table redid this change. To undo it, undo the restore in the history.",
}
DECISION = "on_conflict is “overwrite”, “keep”, or one of them for each “<row>:<column>”."
# As conflicts are named: cells, columns, and the table's name and description.
PLACE = re.compile(r"(\d{1,19}|columns|table):\w{1,64}")
MOST_PATH, MOST_FAULTS = 255, 100
MAX_ID = 2**63 - 1


def undo_change(*, user: Any, table_id: int, change_id: int, on_conflict: Decision = None) -> Change:
    """Takes a change back and returns the change that does so.

    on_conflict says what happens to cells that changed since: "overwrite", "keep", or one of them for each
    `"<row>:<column>"`. Raises Conflict that lists them otherwise; then nothing is done. So it is where everything
    would stay as it is: that would be no change.
    """
    decision = _read_decision(on_conflict)
    with transaction.atomic():
        table = locked_table(user, table_id, trashed=None)
        change = change_of(table, change_id)
        chain = chain_of(change.pk)
        _refuse_in_trash(table, chain.last)
        if chain.last.pk != change.pk and _in_force(chain.last) != _in_force(change):
            _refuse_restored_over(chain)
            detail = "This change has been undone already."
            raise Conflict(detail, code="already_undone", extra={"change": chain.last.pk})
        return _take_back(table, chain, user=user, decision=decision)


def redo_change(*, user: Any, table_id: int, change_id: int, on_conflict: Decision = None) -> Change:
    """Does an undone change again (by its own id or that of its undo) and returns the change that does so."""
    decision = _read_decision(on_conflict)
    with transaction.atomic():
        table = locked_table(user, table_id, trashed=None)
        chain = chain_of(change_of(table, change_id).pk)
        _refuse_in_trash(table, chain.last)
        if _in_force(chain.last):
            _refuse_restored_over(chain)
            raise Conflict("This change is in force already.", code="not_undone", extra={"change": chain.last.pk})
        return _take_back(table, chain, user=user, decision=decision)


def _refuse_restored_over(chain: Chain) -> None:
    """Raise Conflict where a restore has changed what a change's last undo or redo did."""
    in_effect = is_in_effect(chain)
    if in_effect != _in_force(chain.last):
        raise Conflict(RESTORED_OVER[in_effect], code="restored_over")


def _take_back(table: Table, chain: Chain, *, user: Any, decision: str | Mapping[str, str]) -> Change:
    change, root = chain.last, chain.original
    recorded = _recorded_by(chain)
    parts = (part.inverted() for part in parts_of(recorded))
    delta, second = next(parts), next(parts, None)
    if delta.table and "deleted" in delta.table["now"] and not allowed(user, table, can="own"):
        raise Forbidden("Taking this back would move the table to the trash, which only its owner may do.")
    _refuse_trashing_what_changed(table, change, delta=delta, decision=decision)
    effect = None
    # A restore was put together in memory as a whole, and may have moved rows of all its parts.
    if second is not None and root.source != "restore":
        effect = _in_parts(table, itertools.chain([delta, second], parts), user=user, decision=decision)
    if effect is None:
        whole = delta if second is None else _recorded(recorded).inverted()
        effect = whole_effect(table, whole, decision=decision)
    is_redo = not _in_force(change)
    if effect.changes_nothing:
        raise _nothing_left(is_redo)
    summary = (REDID if is_redo else UNDID)(summary=root.message)
    record = Record(summary=summary, counts=root.counts, undo_of=change, is_redo=is_redo)
    done, _ = carry_out(table, effect, user=user, origin=Origin("undo"), record=record)
    # What flows in a part at a time is known only now.
    if effect.inflow is not None and not done.pieces.exists():
        raise _nothing_left(is_redo)
    (change_redone if is_redo else change_undone).send(sender=Change, change=root, by=done)
    if root.source == "restore":
        announce_restored_changes(done)
    return done


def _nothing_left(is_redo: bool) -> Conflict:
    return Conflict(NOTHING_LEFT[is_redo], code="nothing_left")


def whole_effect(
    table: Table, delta: Delta, *, decision: str | Mapping[str, str], decision_on_moves: str = ""
) -> Effect:
    """Return all that an inverted delta writes to a locked table. Raises Conflict and Invalid.

    `decision_on_moves` takes the place of `decision` for rows that were moved since.
    """
    shape = table_shape(table)
    rows = locked_rows(table, [row_id for row_id, _, _ in delta.rows], shape=shape)
    all_rows = _rows_with(delta, table=table, shape=shape)
    cells, places = split_places(delta)
    plan = plan_undo(delta=cells, shape=shape, rows=rows, all_rows=all_rows, decision=decision)
    moves, moved = _moves_back(table, places, rows=rows, shape=shape, decision=decision_on_moves or decision)
    Conflicts([*plan.conflicts, *moved]).refuse()
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta, contents=plan.contents, moves=moves)
    if effect.gained > 0:
        refuse_too_many(table, gained=effect.gained, count=count_rows(table) + effect.gained)
    _refuse_too_many_columns(effect)
    return effect


def _moves_back(
    table: Table,
    places: Mapping[int, tuple[Place | None, Place]],
    *,
    rows: Mapping[int, RowState],
    shape: TableShape,
    decision: str | Mapping[str, str],
) -> tuple[RowMoves, list[Fault]]:
    """How rows get back to where they were, and conflicts with later moves of the same rows."""
    places = {row_id: each for row_id, each in places.items() if row_id in rows}
    if not places:
        return RowMoves(), []
    wanted: dict[int, Place] = {}
    conflicts: list[Fault] = []
    now = places_of(table, places)
    for row_id, (left, place) in places.items():
        if left is not None and has_moved(left, now=now[row_id]):
            message = told_of_row("row_moved", rows[row_id].data, columns=shape.columns)
            fault = moved_fault(row_id, message=message)
            said = decision if isinstance(decision, str) else decision.get(fault.path, "")
            if said == "keep":
                continue
            conflicts += [] if said else [fault]
        wanted[row_id] = place
    neighbours = [pk for place in wanted.values() for pk in (place.previous_id, place.next_id) if pk is not None]
    return plan_return(wanted, current=positions_of(table, [*wanted, *neighbours])), conflicts


def _in_parts(
    table: Table, parts: Iterator[Delta], *, user: Any, decision: str | Mapping[str, str]
) -> Effect | None:
    """The same where rows can be taken back a part at a time; None where they hang together with columns.

    Where columns go, that is where the change has only added rows, which then go before the columns do.
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


def _refuse_too_many_columns(effect: Effect) -> None:
    if len(effect.after) > max(len(effect.before), LIMITS.columns):
        detail = f"A table has at most {LIMITS.columns} columns; with those that would come back it would have more."
        raise Invalid(detail, code="too_many_columns")


def _recorded_by(chain: Chain) -> Change:
    """Return the change whose record says what the last of a chain did.

    A redo that puts back exactly what its undo took has done what the change itself did, also where the undo had to
    leave some of it: then all of that can be undone again. Whether it does so is stored, so that it is compared once.
    """
    found = chain.last
    while found.is_redo and found.undo_of is not None and found.undo_of.undo_of is not None:
        if found.is_exact is None:
            found.is_exact = is_taken_back_by(found.undo_of, redo=found)
            found.save(update_fields=["is_exact"])
        if not found.is_exact:
            break
        found = found.undo_of.undo_of
    return found


def _recorded(change: Change) -> Delta:
    return joined(piece.steps for piece in change.pieces.all())


def _refuse_trashing_what_changed(
    table: Table, change: Change, *, delta: Delta, decision: str | Mapping[str, str]
) -> None:
    """Undoing the creation of a table puts it in the trash: not silently with what has been done in it since."""
    if decision == "overwrite" or not (delta.table and delta.table["now"].get("deleted")):
        return
    later = table.changes.filter(Q(undo_of=None) | Q(is_redo=True), version__gt=change.version, undone_by=None)
    count = later.count()
    if count:
        detail = "The table has been changed once since; nothing was done."
        if count > 1:
            detail = f"The table has been changed {count:,} times since; nothing was done."
        raise Conflict(detail, code="changed_since", extra={"changes": count})


def change_of(table: Table, change_id: int) -> Change:
    """Return the change of this table. Raises NotFound."""
    possible = isinstance(change_id, int) and 0 < change_id <= MAX_ID
    change = Change.objects.filter(table_id=table.pk, pk=change_id).first() if possible else None
    if change is None:
        raise NotFound("There is no such change of this table.")
    return change


def _refuse_in_trash(table: Table, change: Change) -> None:
    """Raise NotFound for a table in the trash, unless inverting the change takes it out again."""
    if table.deleted_at is None:
        return
    first = change.pieces.order_by("index").first()
    moved = (first.steps.get("table") if first else None) or {"now": {}}
    if not moved["now"].get("deleted"):
        raise NotFound("There is no such table.")


def _in_force(change: Change) -> bool:
    """Whether this kind of change does something (an apply, a redo) and does not take something back (an undo)."""
    return change.undo_of_id is None or change.is_redo


def original_of(change: Change) -> Change:
    """Return the change that an undo or redo began with; any other change itself."""
    return change if change.undo_of_id is None else chain_of(change.pk).original


def _read_decision(given: Decision) -> str | Mapping[str, str]:
    each = given.items() if isinstance(given, Mapping) else [(None, given)] if given is not None else []
    faults = [
        Fault(
            path="on_conflict" if place is None else f"on_conflict.{place[:MOST_PATH]}",
            code="unknown_value",
            detail=DECISION,
        )
        for place, word in each
        if not (isinstance(word, str) and word in WORDS) or (place is not None and not PLACE.fullmatch(place))
    ]
    if faults:
        raise Malformed(DECISION, faults=tuple(faults[:MOST_FAULTS]))
    return given or ""
