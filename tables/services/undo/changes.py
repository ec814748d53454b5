"""Undo and redo of changes. Each is recorded as a new change."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import Q

from shared.db.large_work import lock_large_work
from shared.rare_gc import with_rare_gc
from shared.user_messages import declare, declare_plural
from tables.exceptions import Conflict, Fault, Forbidden, NotFound, TablesError
from tables.models import Change, Table
from tables.operations.changes.delta import Delta, counts_of_delta, joined
from tables.operations.proposals.choice import Origin
from tables.selectors import allowed, is_in_effect
from tables.selectors.history.changes import NO_SUCH_CHANGE
from tables.selectors.history.undo_chains import Chain, chain_of
from tables.selectors.rows.snapshots import streaming_transaction
from tables.selectors.tables import MAX_ID, NO_SUCH_TABLE
from tables.services.pipeline.commit import Effect, Record, commit_change
from tables.services.pipeline.file_rows import refuse_deleted_files
from tables.services.pipeline.locking import locked_table, refuse_outdated, unlocked_table
from tables.services.pipeline.outdated import beside_others
from tables.services.undo.composing import WholeUndo, compose_whole, effect_in_parts, recompose
from tables.services.undo.decisions import GivenDecision, read_undo_decision
from tables.services.undo.large_changes import MAX_LISTED_CONFLICTS, InvertedRows, is_undone_by, parts_of
from tables.services.undo.restore_signals import announce_restore, announce_restored_changes, announce_undo_of
from tables.signals import change_redone, change_undone

UNDID = declare("undid", "Undid: {summary}")
REDID = declare("redid", "Redid: {summary}")
WITH_SKIPPED = declare_plural(
    "undone_with_skipped",
    "{summary} (1 value could not be restored)",
    "{summary} ({count:,} values could not be restored)",
)

NOTHING_LEFT = {
    False: declare("nothing_left_to_undo", "Nothing is left to undo in this change."),
    True: declare("nothing_left_to_redo", "Nothing is left to redo in this change."),
}
RESTORED_OVER = {
    False: declare(
        "undone_by_restore", "Restoring the table undid this change. To redo it, undo the restore in the history."
    ),
    True: declare(
        "redone_by_restore", "Restoring the table redid this change. To undo it, undo the restore in the history."
    ),
}
ALREADY_UNDONE = declare("already_undone", "This change is already undone.")
NOT_UNDONE = declare("not_undone", "This change is already applied.")
WOULD_TRASH = declare("would_trash", "Undoing this would move the table to the trash, which only its owner can do.")
TABLE_CHANGED_SINCE = declare_plural(
    "table_changed_since",
    "The table was changed once since then.",
    "The table was changed {count:,} times since then.",
)
# Maximum number of pieces, of 5,000 cells each, of a change whose undo is composed without a lock. This needs about as
# much memory as two batches of a larger change, and a sixth of the time under the lock.
MAX_UNLOCKED_PIECES = 40
# Attempts to compose without a lock while other users change the table.
ATTEMPTS = 2


@dataclass(frozen=True)
class UndoRequest:
    """A requested undo or redo, with the decision about cells that have changed since.

    `version` is the only version of the table that may be changed.
    """

    user: Any
    table_id: int
    change_id: int
    decision: str | Mapping[str, str]
    redo: bool
    version: int | None = None


@dataclass(frozen=True)
class ComposedUndo:
    """An undo or redo, composed for one version of a table without its lock.

    `recorded` is the change whose record is undone, `delta` the first part of that record, inverted. `compared` are the
    redos whose exactness was determined for that. `whole` is None for a large change, which is undone in batches under
    the lock.
    """

    version: int
    chain: Chain
    recorded: Change
    compared: Sequence[Change]
    delta: Delta
    whole: WholeUndo | None


def undo_change(
    *,
    user: Any,
    table_id: int,
    change_id: int,
    on_conflict: GivenDecision = None,
    version: int | None = None,
    composed: ComposedUndo | None = None,
) -> Change:
    """Undo a change and return the change that does so.

    `on_conflict` is for cells that have changed since: "overwrite", "skip", or one of them by the path of each.
    Without a decision, raises Conflict with a list of these cells, having written nothing. Also raises Conflict
    when nothing would change, and Outdated if the table has another version than `version`. `skipped` of the returned
    change lists values that cannot be restored, because their row or column was deleted. `composed` is the result of
    `compose_undo` for this undo.
    """
    request = UndoRequest(user, table_id, change_id, read_undo_decision(on_conflict), redo=False, version=version)
    return _run(request, composed)


def redo_change(
    *,
    user: Any,
    table_id: int,
    change_id: int,
    on_conflict: GivenDecision = None,
    version: int | None = None,
    composed: ComposedUndo | None = None,
) -> Change:
    """Redo an undone change (by its own id or that of its undo) and return the change that does so.

    `composed` is the result of `compose_undo` for this redo.
    """
    request = UndoRequest(user, table_id, change_id, read_undo_decision(on_conflict), redo=True, version=version)
    return _run(request, composed)


def compose_undo(
    *,
    user: Any,
    table_id: int,
    change_id: int,
    on_conflict: GivenDecision = None,
    redo: bool = False,
    version: int | None = None,
) -> ComposedUndo | None:
    """Compose an undo or a redo without a lock. Raises the errors of `undo_change`.

    Returns None if it must be composed under the lock, because of concurrent changes. Must run outside of a
    transaction, because on SQLite every transaction holds the only write lock.
    """
    request = UndoRequest(user, table_id, change_id, read_undo_decision(on_conflict), redo=redo, version=version)
    return _composed_unlocked(request)


@with_rare_gc
def _run(request: UndoRequest, composed: ComposedUndo | None) -> Change:
    for _ in range(ATTEMPTS):
        composed = composed or _composed_unlocked(request)
        if composed is None:
            break
        with transaction.atomic():
            _announce(composed.chain, version=composed.version)
            table = locked_table(request.user, request.table_id, trashed=None)
            refuse_outdated(table.version, expected=request.version)
            confirmed = _confirmed(table, composed, request=request)
            if confirmed is not None:
                return _write(table, confirmed, request=request)
        composed = None
    with transaction.atomic():
        unlocked = unlocked_table(request.user, request.table_id, trashed=None)
        _announce(chain_of(change_of(unlocked, request.change_id).pk), version=unlocked.version)
        table = locked_table(request.user, request.table_id, trashed=None)
        refuse_outdated(table.version, expected=request.version)
        return _write(table, _compose(table, request), request=request)


def _announce(chain: Chain, *, version: int) -> None:
    """Send `pre_undo` for the undo or redo of the last change of a chain, of a table with this version."""
    root = chain.original
    if root.source == "restore":
        announce_restore(root.table_id, restored_version=root.counts["restored_version"], version=version)
    else:
        announce_undo_of([root])


@with_rare_gc
def _composed_unlocked(request: UndoRequest) -> ComposedUndo | None:
    # The version is read first, so that commits between these queries are detected as later changes.
    table = unlocked_table(request.user, request.table_id, trashed=None)
    with beside_others(lambda: _compose(table, request)):
        refuse_outdated(table.version, expected=request.version)
    try:
        with streaming_transaction():
            return _compose(table, request)
    except TablesError:
        if unlocked_table(request.user, request.table_id, trashed=None).version == table.version:
            raise
        # The queries may have read different versions of the table.
        return None


def _compose(table: Table, request: UndoRequest) -> ComposedUndo:
    """Compose an undo for the current version of the table.

    Raises Conflict, Invalid, Forbidden and NotFound.
    """
    change = change_of(table, request.change_id)
    chain = chain_of(change.pk)
    _refuse_in_trash(table, chain.last)
    _refuse_wrong_state(chain, change=change, redo=request.redo)
    recorded, compared = _recorded_by(chain)
    # A restore is never undone in batches: it was composed in memory, and may have moved rows of all its parts.
    is_whole = chain.original.source == "restore" or not recorded.pieces.filter(index__gte=MAX_UNLOCKED_PIECES).exists()
    if is_whole and recorded.pieces.filter(index__gte=1).exists():
        lock_large_work()
    delta = next(parts_of(recorded)).inverted()
    _refuse_trashing(table, chain.last, delta=delta, request=request)
    whole = None
    if is_whole:
        undone, since = _recorded(recorded).inverted(), _changed_since(recorded, table=table, chain=chain)
        whole = compose_whole(table, undone, decision=request.decision, since=since)
        _refuse_nothing_left(chain.last, is_noop=whole.effect.is_noop, skipped=whole.skipped)
    return ComposedUndo(table.version, chain, recorded, compared, delta, whole)


def _confirmed(table: Table, composed: ComposedUndo, *, request: UndoRequest) -> ComposedUndo | None:
    """Return the composed undo, updated for the locked table; None if it must be composed again."""
    # Old changes are deleted without a new version of the table.
    if chain_of(request.change_id).ids != composed.chain.ids:
        return None
    if table.version == composed.version:
        return composed
    if table.deleted_at is not None:
        return None
    if composed.whole is None:
        return composed
    since = _changed_since(composed.recorded, table=table, chain=composed.chain)
    whole = recompose(table, composed.whole, decision=request.decision, since=since)
    if whole is None:
        return None
    _refuse_nothing_left(composed.chain.last, is_noop=whole.effect.is_noop, skipped=whole.skipped)
    return replace(composed, whole=whole)


def _write(table: Table, composed: ComposedUndo, *, request: UndoRequest) -> Change:
    change, root = composed.chain.last, composed.chain.original
    # Checked again, because a new owner does not change the version of the table.
    _refuse_trashing(table, change, delta=composed.delta, request=request)
    effect = composed.whole.effect if composed.whole else _effect_of_large(table, composed, request=request)
    for redo in composed.compared:
        redo.save(update_fields=["is_exact"])
    is_redo = not _in_force(change)
    summary = (REDID if is_redo else UNDID)(summary=root.message)
    # The counts of a restore are its versions, by which its undo and redo are found too.
    counts = root.counts if root.source == "restore" else counts_of_delta(effect.delta, moved=len(effect.moves.row_ids))
    record = Record(summary=summary, counts=counts, undo_of=change, is_redo=is_redo)
    refuse_deleted_files(table, effect.delta.rows, columns=effect.after)
    done, _ = commit_change(table, effect, user=request.user, origin=Origin("undo"), record=record)
    skipped_count = 0
    if isinstance(effect.source, InvertedRows):
        done.counts = counts | effect.source.counts
        done.skipped = effect.source.skipped
        skipped_count = effect.source.skipped_count
    elif composed.whole is not None:
        done.skipped = composed.whole.skipped[:MAX_LISTED_CONFLICTS]
        skipped_count = len(composed.whole.skipped)
    if skipped_count:
        done.counts = done.counts | {"skipped": skipped_count}
        message = WITH_SKIPPED(summary=summary, count=skipped_count)
        done.summary, done.summary_message = str(message)[:255], message.as_json()
    done.save(update_fields=["counts", "summary", "summary_message"])
    # Known only after batches are written.
    is_noop = effect.source is not None and not done.pieces.exists()
    _refuse_nothing_left(change, is_noop=is_noop, skipped=done.skipped)
    (change_redone if is_redo else change_undone).send(sender=Change, change=root, by=done)
    if root.source == "restore":
        announce_restored_changes(done)
    return done


def _effect_of_large(table: Table, composed: ComposedUndo, *, request: UndoRequest) -> Effect:
    """Return the writes of undoing a large change of a locked table, in batches if that is possible."""
    def inverted_parts() -> Iterator[Delta]:
        return (part.inverted() for part in parts_of(composed.recorded))

    since = _changed_since(composed.recorded, table=table, chain=composed.chain)
    effect = effect_in_parts(table, inverted_parts, user=request.user, decision=request.decision, since=since)
    if effect is None:
        undone = _recorded(composed.recorded).inverted()
        effect = compose_whole(table, undone, decision=request.decision, since=since).effect
    _refuse_nothing_left(composed.chain.last, is_noop=effect.is_noop)
    return effect


def _refuse_nothing_left(change: Change, *, is_noop: bool, skipped: Sequence[Fault] = ()) -> None:
    """Raise Conflict if undoing a change, which may be an undo itself, would change nothing.

    `skipped` are the values that cannot be restored.
    """
    if is_noop:
        faults = tuple(skipped[:MAX_LISTED_CONFLICTS])
        raise Conflict(NOTHING_LEFT[not _in_force(change)](), code="nothing_left", faults=faults)


def _refuse_wrong_state(chain: Chain, *, change: Change, redo: bool) -> None:
    """Raise Conflict for the undo of a change that has been undone, and for the redo of one in force."""
    last = chain.last
    if redo and _in_force(last):
        _refuse_restored_over(chain)
        raise Conflict(NOT_UNDONE(), code="not_undone", extra={"change": last.pk})
    if not redo and last.pk != change.pk and _in_force(last) != _in_force(change):
        _refuse_restored_over(chain)
        raise Conflict(ALREADY_UNDONE(), code="already_undone", extra={"change": last.pk})


def _refuse_restored_over(chain: Chain) -> None:
    """Raise Conflict if a restore has reversed the last undo or redo of a change."""
    in_effect = is_in_effect(chain)
    if in_effect != _in_force(chain.last):
        raise Conflict(RESTORED_OVER[in_effect](), code="restored_over")


def _recorded_by(chain: Chain) -> tuple[Change, list[Change]]:
    """Return the change whose record has the effect of the last change of a chain, and the redos compared for that.

    A redo that restores exactly what its undo removed has the effect of the original change, even if the undo skipped
    some cells: all of them can then be undone again. The result of the comparison is stored.
    """
    found, compared = chain.last, list[Change]()
    while found.is_redo and found.undo_of is not None and found.undo_of.undo_of is not None:
        if found.is_exact is None:
            found.is_exact = is_undone_by(found.undo_of, redo=found)
            compared.append(found)
        if not found.is_exact:
            break
        found = found.undo_of.undo_of
    return found, compared


def _changed_since(recorded: Change, *, table: Table, chain: Chain) -> int | None:
    """Return the version after the recorded change; None if only its undos and redos have changed the table since."""
    own = sum(change.version > recorded.version for change in chain.changes)
    return recorded.version if table.version > recorded.version + own else None


def _recorded(change: Change) -> Delta:
    return joined(piece.steps for piece in change.pieces.all())


def _refuse_trashing(table: Table, change: Change, *, delta: Delta, request: UndoRequest) -> None:
    """Raise if an undo would trash a table of another user, or one that was changed since."""
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
    """Raise NotFound for a table in the trash, unless the inverted change restores it."""
    if table.deleted_at is None:
        return
    first = change.pieces.order_by("index").first()
    moved = (first.steps.get("table") if first else None) or {"now": {}}
    if not moved["now"].get("deleted"):
        raise NotFound(NO_SUCH_TABLE())


def _in_force(change: Change) -> bool:
    """Return whether this kind of change does something (an apply, a redo) rather than undoing something."""
    return change.undo_of_id is None or change.is_redo


def original_of(change: Change) -> Change:
    """Return the change at the start of a chain of undos and redos."""
    return change if change.undo_of_id is None else chain_of(change.pk).original
