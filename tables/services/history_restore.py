"""Restores a table to its state after one of its changes: all later changes are undone by a single new one."""
from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast

from tables.exceptions import Conflict, Invalid
from tables.models import Change, ChangePiece, Table
from tables.operations.choice import Origin
from tables.operations.composed import Composition
from tables.operations.delta import Delta, joined
from tables.services.locking import locked_table, refuse_outdated
from tables.services.recording import Record, carry_out
from tables.services.restored_changes import announce_restored_changes
from tables.services.undo import change_of, whole_effect

# All later changes are put together in memory.
MAX_CHANGES = 1_000
MAX_STORED_LENGTH = 10_000_000
PIECES_AT_ONCE = 20


def restore_as_of(*, user: Any, table_id: int, change_id: int, version: int | None = None) -> Change:
    """Restore the table as it was after a change, and return the change that does so.

    Whether the table is in the trash is not restored. `version` is the version of the table that the user saw: another
    one is Outdated. Raises Conflict when there is nothing to undo, and Invalid when there is too much to undo at once.
    """
    with transaction.atomic():
        table = locked_table(user, table_id)
        refuse_outdated(table.version, looked_at=version)
        change = change_of(table, change_id)
        delta = _composed(_later(table, change)).inverted()
        if delta.table is not None:
            delta.table = _without_trash(delta.table)
        # All later moves are undone too, so that none of them can be overwritten unseen.
        effect = whole_effect(table, delta, decision="", decision_on_moves="overwrite")
        if effect.changes_nothing:
            raise Conflict("The table is already as it was then.", code="nothing_left")
        record = Record(
            summary=f"Restored as of {change.created_at:%Y-%m-%d %H:%M} UTC",
            counts={"restored_version": change.version, "restored_as_of": change.created_at.isoformat()},
        )
        done, _ = carry_out(table, effect, user=user, origin=Origin("restore"), record=record)
        announce_restored_changes(done, by=done, undone=True)
        return done


def _later(table: Table, change: Change) -> QuerySet[Change]:
    """The changes to undo. Raises Conflict when there are none, and Invalid when they cannot be undone at once."""
    later = table.changes.filter(version__gt=change.version)
    count = later.count()
    if not count:
        raise Conflict("The table is already as it was then.", code="nothing_left")
    if count > MAX_CHANGES:
        detail = f"{count:,} changes were made since. At most {MAX_CHANGES:,} can be undone at once."
        raise Invalid(detail, code="too_many_changes")
    pieces = ChangePiece.objects.filter(change_id=OuterRef("pk"))
    if count != table.version - change.version or later.filter(~Exists(pieces)).exists():
        raise Invalid("Some of the changes made since are no longer stored.", code="no_longer_stored")
    return later


def _composed(changes: QuerySet[Change]) -> Delta:
    """Put the changes together. Raises Invalid when they are too large."""
    composition, length = Composition(), 0
    pieces = ChangePiece.objects.filter(change__in=changes).order_by("change__version", "index")
    texts = pieces.annotate(text=Cast("steps", TextField())).values_list("text", flat=True)
    for text in texts.iterator(chunk_size=PIECES_AT_ONCE):
        length += len(text)
        if length > MAX_STORED_LENGTH:
            detail = "The changes made since are too large to be undone at once. Undo them one by one."
            raise Invalid(detail, code="too_large_to_restore")
        composition.add(joined([json.loads(text)]))
    return composition.delta()


def _without_trash(pair: dict[str, Any]) -> dict[str, Any] | None:
    was, now = ({key: value for key, value in pair[side].items() if key != "deleted"} for side in ("was", "now"))
    return {"was": was, "now": now} if now else None
