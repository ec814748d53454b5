"""Tells other apps about the changes that restoring a table has undone, or that undoing the restore has redone."""
from __future__ import annotations

from tables.models import Change
from tables.signals import change_redone, change_undone


def announce_restored_changes(restore: Change, *, by: Change, undone: bool) -> None:
    """Send a signal for each change of a proposal or a turn that was in force when `restore` undid it.

    Belongs inside the transaction of `by`, the change that did so: the restore, its undo or its redo.
    """
    changes = Change.objects.filter(
        table_id=restore.table_id,
        version__gt=restore.counts["restored_version"],
        version__lt=restore.version,
        undo_of=None,
        undone_by=None,
    )
    signal = change_undone if undone else change_redone
    for change in changes.exclude(proposal_id=None, turn_id=None).order_by("-version" if undone else "version"):
        signal.send(sender=Change, change=change, by=by)
