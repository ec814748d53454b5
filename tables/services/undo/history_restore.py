"""Restoring a table to its state after one of its changes, by undoing all later changes in one."""
from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast

from shared.db.large_work import lock_large_work
from shared.rare_gc import with_rare_gc
from shared.user_messages import declare
from tables.exceptions import Conflict, Invalid, TablesError
from tables.models import Change, ChangePiece, Table
from tables.operations.changes.delta import Composition, Delta, joined
from tables.operations.proposals.choice import Origin
from tables.selectors import get_table
from tables.selectors.rows.snapshots import streaming_transaction
from tables.services.pipeline.commit import Effect, Record, commit_change
from tables.services.pipeline.file_rows import refuse_deleted_files
from tables.services.pipeline.locking import locked_table, refuse_outdated
from tables.services.undo.changes import ATTEMPTS, change_of
from tables.services.undo.composing import compose_whole
from tables.services.undo.restore_signals import announce_restore, announce_restored_changes

ALREADY_AS_IT_WAS = declare("already_as_it_was", "The table already matches that version.")
TOO_MANY_LATER_CHANGES = declare(
    "too_many_later_changes", "There are {count:,} later changes. At most {limit:,} can be undone at once."
)
NO_LONGER_STORED = declare("no_longer_stored", "Some of the later changes are no longer stored.")
LATER_CHANGES_TOO_LARGE = declare(
    "later_changes_too_large",
    "The later changes are too large to undo at once. Undo them one by one.",
)
RESTORED_AS_OF = declare("restored_as_of", "Restored as of {moment:moment}")

# All later changes are composed in memory.
MAX_CHANGES = 1_000
MAX_STORED_LENGTH = 10_000_000
# Above this length, it needs the lock for large work.
LARGE_LENGTH = 250_000
PIECES_PER_QUERY = 20


class LaterChanges:
    """The changes after one change, composed up to `version` of the table."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._composition = Composition()
        self._count = self._length = 0
        self.version = change.version
        self._delta: Delta | None = None
        self._effect: Effect | None = None

    @property
    def restored_version(self) -> int:
        """The version of the table after the change."""
        return self._change.version

    def read(self, table: Table) -> None:
        """Add the changes up to the version of the table that have not been read yet.

        Raises Conflict when there are none at all, and Invalid when they cannot be undone at once.
        """
        if table.version == self._change.version:
            raise Conflict(ALREADY_AS_IT_WAS(), code="nothing_left")
        if table.version == self.version:
            return
        new = table.changes.filter(version__gt=self.version, version__lte=table.version)
        count = new.count()
        self._count += count
        if self._count > MAX_CHANGES:
            message = TOO_MANY_LATER_CHANGES(count=self._count, limit=MAX_CHANGES)
            raise Invalid(message, code="too_many_changes")
        pieces = ChangePiece.objects.filter(table_id=table.pk, change_id=OuterRef("pk"))
        if count != table.version - self.version or new.filter(~Exists(pieces)).exists():
            raise Invalid(NO_LONGER_STORED(), code="no_longer_stored")
        self._join(new, table_id=table.pk)
        self.version = table.version
        self._delta = self._composition.delta().inverted()
        if self._delta.table is not None:
            self._delta.table = _without_trash(self._delta.table)
        self._effect = None

    def effect(self, table: Table) -> Effect:
        """Return the writes that undo all of them, composed once for each version of the table.

        Raises Conflict and Invalid.
        """
        assert self._delta is not None
        if self._effect is None:
            # All later moves are undone too, so no conflict with one of them can be missed.
            whole = compose_whole(table, self._delta, decision="", decision_on_moves="overwrite")
            self._effect = whole.effect
        if self._effect.is_noop:
            raise Conflict(ALREADY_AS_IT_WAS(), code="nothing_left")
        return self._effect

    def is_composed_for(self, table: Table) -> bool:
        """Whether `effect` has been composed for this version of the table."""
        return self._effect is not None and self.version == table.version

    def _join(self, changes: QuerySet[Change], *, table_id: int) -> None:
        of_table = ChangePiece.objects.filter(table_id=table_id).order_by("change__version", "index")
        # Only ids first: to sort pieces, PostgreSQL would read all of them, however few are needed.
        ids = list(of_table.filter(change__in=changes).values_list("pk", flat=True))
        stored = of_table.annotate(text=Cast("steps", TextField()))
        for start in range(0, len(ids), PIECES_PER_QUERY):
            if self._length > LARGE_LENGTH:
                lock_large_work()
            some = ids[start : start + PIECES_PER_QUERY]
            texts = list(stored.filter(pk__in=some).values_list("text", flat=True))
            if len(texts) < len(some):
                raise Invalid(NO_LONGER_STORED(), code="no_longer_stored")
            for text in texts:
                self._length += len(text)
                if self._length > MAX_STORED_LENGTH:
                    raise Invalid(LATER_CHANGES_TOO_LARGE(), code="too_large_to_restore")
                self._composition.add(joined([json.loads(text)]))


@with_rare_gc
def read_later_changes(*, user: Any, table_id: int, change_id: int, version: int | None = None) -> LaterChanges:
    """Read the changes that `restore_as_of` would undo, without a lock. Raises its errors.

    Must run outside of a transaction, because on SQLite every transaction holds the only write lock.
    """
    table = get_table(user, table_id, can="edit")
    refuse_outdated(table.version, expected=version)
    later = LaterChanges(change_of(table, change_id))
    later.read(table)
    _compose_unlocked(later, user=user, table=table)
    return later


def _compose_unlocked(later: LaterChanges, *, user: Any, table: Table) -> None:
    """Compose the writes for this version of the table. Raises Conflict and Invalid."""
    try:
        with streaming_transaction():
            later.effect(table)
    except TablesError:
        # The queries may have read different versions of the table: then it is composed again.
        if get_table(user, table.pk, can="edit").version == table.version:
            raise


@with_rare_gc
def restore_as_of(
    *, user: Any, table_id: int, change_id: int, version: int | None = None, later: LaterChanges | None = None
) -> Change:
    """Restore the table as it was after a change, and return the change that does so.

    A table in the trash is not moved out of it, nor the reverse. `version` is the version of the table that the user
    saw. `later` is the result of `read_later_changes` for this change. Raises Outdated for another version, Conflict
    when there is nothing to undo, and Invalid when there is too much to undo at once.
    """
    later = later or read_later_changes(user=user, table_id=table_id, change_id=change_id, version=version)
    done, attempts = None, ATTEMPTS
    while done is None:
        with transaction.atomic():
            announce_restore(table_id, restored_version=later.restored_version, version=later.version)
            table = locked_table(user, table_id)
            refuse_outdated(table.version, expected=version)
            change = change_of(table, change_id)
            if later.is_composed_for(table) or not attempts:
                # Only the changes since the last read.
                later.read(table)
                done = _write(table, change, effect=later.effect(table), user=user)
        if done is None:
            attempts -= 1
            later.read(table)
            _compose_unlocked(later, user=user, table=table)
    return done


def _write(table: Table, change: Change, *, effect: Effect, user: Any) -> Change:
    record = Record(
        summary=RESTORED_AS_OF(moment=change.created_at.isoformat()),
        counts={"restored_version": change.version, "restored_as_of": change.created_at.isoformat()},
    )
    refuse_deleted_files(table, effect.delta.rows, columns=effect.after)
    done, _ = commit_change(table, effect, user=user, origin=Origin("restore"), record=record)
    announce_restored_changes(done)
    return done


def _without_trash(pair: dict[str, Any]) -> dict[str, Any] | None:
    was, now = ({key: value for key, value in pair[side].items() if key != "deleted"} for side in ("was", "now"))
    return {"was": was, "now": now} if now else None
