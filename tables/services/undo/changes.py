"""Takes changes back and does them again; each time that is a change of its own."""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import Q

from shared.db.large_work import take_turn
from shared.user_messages import declare, declare_plural
from tables.exceptions import Conflict, Fault, Forbidden, Malformed, NotFound, TablesError
from tables.models import Change, Table
from tables.operations.choice import Origin
from tables.operations.delta import Delta, joined
from tables.selectors import allowed, is_in_effect
from tables.selectors.changes import NO_SUCH_CHANGE
from tables.selectors.snapshots import reading_in_parts
from tables.selectors.tables import NO_SUCH_TABLE
from tables.selectors.undo_chains import Chain, chain_of
from tables.services.pipeline.gc_pause import uncollected
from tables.services.pipeline.locking import found_table, locked_table
from tables.services.pipeline.recording import Effect, Record, carry_out
from tables.services.undo.composing import WholeUndo, compose_whole, effect_in_parts, recompose
from tables.services.undo.in_parts import is_taken_back_by, parts_of
from tables.services.undo.restored_changes import announce_restored_changes
from tables.signals import change_redone, change_undone

UNDID = declare("undid", "Undid: {summary}")
REDID = declare("redid", "Redid: {summary}")

Decision = str | Mapping[str, str] | None
WORDS = {"overwrite", "keep"}
NOTHING_LEFT = {
    False: declare("nothing_left_to_undo", "Nothing of this change is left to undo."),
    True: declare("nothing_left_to_redo", "Nothing of this change is left to redo."),
}
RESTORED_OVER = {
    False: declare(
        "undone_by_restore", "Restoring the table undid this change. To redo it, undo the restore in the history."
    ),
    True: declare(
        "redone_by_restore", "Restoring the table redid this change. To undo it, undo the restore in the history."
    ),
}
DECISION = declare(
    "unknown_decision", "on_conflict is “overwrite”, “keep”, or one of them for each “<row>:<column>”."
)
ALREADY_UNDONE = declare("already_undone", "This change has been undone already.")
NOT_UNDONE = declare("not_undone", "This change is in force already.")
WOULD_TRASH = declare(
    "would_trash", "Undoing this would move the table to the trash, which only its owner may do."
)
TABLE_CHANGED_SINCE = declare_plural(
    "table_changed_since",
    "The table has been changed once since; nothing was done.",
    "The table has been changed {count:,} times since; nothing was done.",
)
# As conflicts are named: cells, columns, and the table's name and description.
PLACE = re.compile(r"(\d{1,19}|columns|table):\w{1,64}")
MOST_PATH, MOST_FAULTS = 255, 100
MAX_ID = 2**63 - 1
# Pieces of a change, of 5,000 cells each, up to which an undo is composed without a lock. That takes about as much
# memory as two parts of a larger change, which are in memory together, and a sixth of the time under the lock.
MAX_WHOLE = 40
# How often an undo is composed without a lock, while others change the table, before that is done under the lock.
ATTEMPTS = 2


@dataclass(frozen=True)
class UndoRequest:
    """What is to be undone, or redone, and what becomes of cells that changed since."""

    user: Any
    table_id: int
    change_id: int
    decision: str | Mapping[str, str]
    redo: bool


@dataclass(frozen=True)
class ComposedUndo:
    """An undo or redo, composed for one version of a table without its lock.

    `recorded` is the change whose record says what is undone, `delta` the first part of that record, inverted, and
    `compared` are redos that had to be compared to know that. `whole` is None for a change that is so large that it is
    undone a part at a time, under the lock.
    """

    version: int
    chain: Chain
    recorded: Change
    compared: Sequence[Change]
    delta: Delta
    whole: WholeUndo | None


def undo_change(
    *, user: Any, table_id: int, change_id: int, on_conflict: Decision = None, composed: ComposedUndo | None = None
) -> Change:
    """Takes a change back and returns the change that does so.

    on_conflict says what happens to cells that changed since: "overwrite", "keep", or one of them for each
    `"<row>:<column>"`. Raises Conflict that lists them otherwise; then nothing is done. So it is where everything
    would stay as it is: that would be no change. `composed` is what `compose_undo` returned of this undo.
    """
    return _take_back(UndoRequest(user, table_id, change_id, _read_decision(on_conflict), redo=False), composed)


def redo_change(
    *, user: Any, table_id: int, change_id: int, on_conflict: Decision = None, composed: ComposedUndo | None = None
) -> Change:
    """Does an undone change again (by its own id or that of its undo) and returns the change that does so.

    `composed` is what `compose_undo` returned of this redo.
    """
    return _take_back(UndoRequest(user, table_id, change_id, _read_decision(on_conflict), redo=True), composed)


def compose_undo(
    *, user: Any, table_id: int, change_id: int, on_conflict: Decision = None, redo: bool = False
) -> ComposedUndo | None:
    """Compose an undo, or a redo, without a lock. Raises what `undo_change` raises.

    None where it must be composed under the lock, because the table has changed meanwhile. Belongs outside of a
    transaction: on SQLite, every transaction holds the lock that all writers need.
    """
    return _composed_unlocked(UndoRequest(user, table_id, change_id, _read_decision(on_conflict), redo=redo))


@uncollected
def _take_back(request: UndoRequest, composed: ComposedUndo | None) -> Change:
    for _ in range(ATTEMPTS):
        composed = composed or _composed_unlocked(request)
        if composed is None:
            break
        with transaction.atomic():
            table = locked_table(request.user, request.table_id, trashed=None)
            confirmed = _confirmed(table, composed, request=request)
            if confirmed is not None:
                return _write(table, confirmed, request=request)
        composed = None
    with transaction.atomic():
        table = locked_table(request.user, request.table_id, trashed=None)
        return _write(table, _compose(table, request), request=request)


@uncollected
def _composed_unlocked(request: UndoRequest) -> ComposedUndo | None:
    # The version comes first: what is committed between these statements then counts as changed since.
    table = found_table(request.user, request.table_id, trashed=None)
    try:
        with reading_in_parts():
            return _compose(table, request)
    except TablesError:
        if found_table(request.user, request.table_id, trashed=None).version == table.version:
            raise
        # What was read may be of several versions of the table.
        return None


def _compose(table: Table, request: UndoRequest) -> ComposedUndo:
    """Compose an undo for the present version of the table. Raises Conflict, Invalid, Forbidden and NotFound."""
    change = change_of(table, request.change_id)
    chain = chain_of(change.pk)
    _refuse_in_trash(table, chain.last)
    _refuse_in_that_state(chain, change=change, redo=request.redo)
    recorded, compared = _recorded_by(chain)
    # A restore was put together in memory as a whole, and may have moved rows of all its parts.
    is_whole = chain.original.source == "restore" or not recorded.pieces.filter(index__gte=MAX_WHOLE).exists()
    if is_whole and recorded.pieces.filter(index__gte=1).exists():
        take_turn()
    delta = next(parts_of(recorded)).inverted()
    _refuse_trashing(table, chain.last, delta=delta, request=request)
    whole = None
    if is_whole:
        whole = compose_whole(table, _recorded(recorded).inverted(), decision=request.decision)
        _refuse_nothing_left(chain.last, is_nothing=whole.effect.changes_nothing)
    return ComposedUndo(table.version, chain, recorded, compared, delta, whole)


def _confirmed(table: Table, composed: ComposedUndo, *, request: UndoRequest) -> ComposedUndo | None:
    """Return what was composed without a lock as it is for the locked table; None when it must be composed again."""
    # Old changes are deleted without a new version of the table.
    if chain_of(request.change_id).ids != composed.chain.ids:
        return None
    if table.version == composed.version:
        return composed
    if table.deleted_at is not None:
        return None
    if composed.whole is None:
        return composed
    whole = recompose(table, composed.whole, decision=request.decision)
    if whole is None:
        return None
    _refuse_nothing_left(composed.chain.last, is_nothing=whole.effect.changes_nothing)
    return replace(composed, whole=whole)


def _write(table: Table, composed: ComposedUndo, *, request: UndoRequest) -> Change:
    change, root = composed.chain.last, composed.chain.original
    # Again: whether the user owns the table is no matter of its version.
    _refuse_trashing(table, change, delta=composed.delta, request=request)
    effect = composed.whole.effect if composed.whole else _effect_of_large(table, composed, request=request)
    for redo in composed.compared:
        redo.save(update_fields=["is_exact"])
    is_redo = not _in_force(change)
    summary = (REDID if is_redo else UNDID)(summary=root.message)
    record = Record(summary=summary, counts=root.counts, undo_of=change, is_redo=is_redo)
    done, _ = carry_out(table, effect, user=request.user, origin=Origin("undo"), record=record)
    # What flows in a part at a time is known only now.
    _refuse_nothing_left(change, is_nothing=effect.inflow is not None and not done.pieces.exists())
    (change_redone if is_redo else change_undone).send(sender=Change, change=root, by=done)
    if root.source == "restore":
        announce_restored_changes(done)
    return done


def _effect_of_large(table: Table, composed: ComposedUndo, *, request: UndoRequest) -> Effect:
    """Return what undoing a large change writes to a locked table: a part at a time where that is possible."""
    parts = (part.inverted() for part in parts_of(composed.recorded))
    effect = effect_in_parts(table, parts, user=request.user, decision=request.decision)
    if effect is None:
        undone = _recorded(composed.recorded).inverted()
        effect = compose_whole(table, undone, decision=request.decision).effect
    _refuse_nothing_left(composed.chain.last, is_nothing=effect.changes_nothing)
    return effect


def _refuse_nothing_left(change: Change, *, is_nothing: bool) -> None:
    """Raise Conflict where undoing a change, which may be an undo itself, would leave everything as it is."""
    if is_nothing:
        raise Conflict(NOTHING_LEFT[not _in_force(change)](), code="nothing_left")


def _refuse_in_that_state(chain: Chain, *, change: Change, redo: bool) -> None:
    """Raise Conflict for the undo of a change that has been undone, and for the redo of one that is in force."""
    last = chain.last
    if redo and _in_force(last):
        _refuse_restored_over(chain)
        raise Conflict(NOT_UNDONE(), code="not_undone", extra={"change": last.pk})
    if not redo and last.pk != change.pk and _in_force(last) != _in_force(change):
        _refuse_restored_over(chain)
        raise Conflict(ALREADY_UNDONE(), code="already_undone", extra={"change": last.pk})


def _refuse_restored_over(chain: Chain) -> None:
    """Raise Conflict where a restore has changed what a change's last undo or redo did."""
    in_effect = is_in_effect(chain)
    if in_effect != _in_force(chain.last):
        raise Conflict(RESTORED_OVER[in_effect](), code="restored_over")


def _recorded_by(chain: Chain) -> tuple[Change, list[Change]]:
    """Return the change whose record says what the last of a chain did, and the redos that were compared to know it.

    A redo that puts back exactly what its undo took has done what the change itself did, also where the undo had to
    leave some of it: then all of that can be undone again. Whether it does so is stored, so that it is compared once.
    """
    found, compared = chain.last, list[Change]()
    while found.is_redo and found.undo_of is not None and found.undo_of.undo_of is not None:
        if found.is_exact is None:
            found.is_exact = is_taken_back_by(found.undo_of, redo=found)
            compared.append(found)
        if not found.is_exact:
            break
        found = found.undo_of.undo_of
    return found, compared


def _recorded(change: Change) -> Delta:
    return joined(piece.steps for piece in change.pieces.all())


def _refuse_trashing(table: Table, change: Change, *, delta: Delta, request: UndoRequest) -> None:
    """Undoing the creation of a table puts it in the trash: by its owner alone, and not silently with later changes."""
    if delta.table and "deleted" in delta.table["now"] and not allowed(request.user, table, can="own"):
        raise Forbidden(WOULD_TRASH())
    if request.decision == "overwrite" or not (delta.table and delta.table["now"].get("deleted")):
        return
    later = table.changes.filter(Q(undo_of=None) | Q(is_redo=True), version__gt=change.version, undone_by=None)
    count = later.count()
    if count:
        raise Conflict(TABLE_CHANGED_SINCE(count=count), code="changed_since", extra={"changes": count})


def change_of(table: Table, change_id: int) -> Change:
    """Return the change of this table. Raises NotFound."""
    possible = isinstance(change_id, int) and 0 < change_id <= MAX_ID
    change = Change.objects.filter(table_id=table.pk, pk=change_id).first() if possible else None
    if change is None:
        raise NotFound(NO_SUCH_CHANGE())
    return change


def _refuse_in_trash(table: Table, change: Change) -> None:
    """Raise NotFound for a table in the trash, unless inverting the change takes it out again."""
    if table.deleted_at is None:
        return
    first = change.pieces.order_by("index").first()
    moved = (first.steps.get("table") if first else None) or {"now": {}}
    if not moved["now"].get("deleted"):
        raise NotFound(NO_SUCH_TABLE())


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
            message=DECISION(),
        )
        for place, word in each
        if not (isinstance(word, str) and word in WORDS) or (place is not None and not PLACE.fullmatch(place))
    ]
    if faults:
        raise Malformed(DECISION(), faults=tuple(faults[:MOST_FAULTS]))
    return given or ""
