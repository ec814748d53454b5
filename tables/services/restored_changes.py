"""Tells other apps about the changes that restoring a table, or undoing the restore, has undone and redone."""
from __future__ import annotations

from collections.abc import Iterable, Mapping

from tables.models import Change
from tables.signals import change_redone, change_undone


def announce_restored_changes(restore: Change, *, by: Change, undone: bool) -> None:
    """Send a signal for each change of a proposal or a turn that `restore` undid or redid.

    Belongs inside the transaction of `by`, the change that did so: the restore, its undo or its redo. `undone` is False
    for the undo, which does the opposite.
    """
    restored_version = restore.counts["restored_version"]
    between = Change.objects.filter(
        table_id=restore.table_id, version__gt=restored_version, version__lt=restore.version
    )
    steps = _steps_by_original(between.order_by("version"))
    announced = []
    for original, (first, last) in steps.items():
        was_in_force = _in_force(last)
        # As of the restored version there was the step before the first one, if there was any.
        is_in_force = first.pk != original.pk and not _in_force(first)
        if was_in_force != is_in_force and (original.proposal_id or original.turn_id):
            announced.append((original, was_in_force == undone))
    for original, is_undone in sorted(announced, key=lambda one: one[0].version, reverse=undone):
        (change_undone if is_undone else change_redone).send(sender=Change, change=original, by=by)


def _steps_by_original(changes: Iterable[Change]) -> Mapping[Change, tuple[Change, Change]]:
    """Return the first and last of these changes of each chain of undo and redo, by the change it begins with."""
    originals: dict[int, Change] = {}
    steps: dict[Change, tuple[Change, Change]] = {}
    for change in changes:
        original = originals.get(change.undo_of_id) if change.undo_of_id else change
        if original is None:
            original = change
            while original.undo_of is not None:
                original = original.undo_of
        originals[change.pk] = original
        first, _ = steps.get(original, (change, change))
        steps[original] = (first, change)
    return steps


def _in_force(change: Change) -> bool:
    return change.undo_of_id is None or change.is_redo
