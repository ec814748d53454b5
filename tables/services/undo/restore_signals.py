"""Signals about changes that are undone or redone by restoring a table, or by undoing a restore."""

from __future__ import annotations

from collections.abc import Container, Iterable

from django.db.models import Q

from tables.models import Change
from tables.operations.changes.history_replay import Step, effect_of_last
from tables.selectors.history.undo_chains import with_earlier
from tables.signals import change_redone, change_undone, pre_undo

ANNOUNCED = Q(proposal_id__isnull=False) | Q(turn_id__isnull=False)


def announce_undo_of(changes: Iterable[Change]) -> None:
    """Send `pre_undo` with the proposals of these changes, if there are any. Must run before the table is locked."""
    proposal_ids = {change.proposal_id for change in changes if change.proposal_id}
    if proposal_ids:
        pre_undo.send(sender=Change, proposal_ids=sorted(proposal_ids))


def announce_restore(table_id: int, *, restored_version: int, version: int) -> None:
    """Send `pre_undo` for a restore to `restored_version`, or its undo, of a table with this version."""
    announce_undo_of(_history(table_id, first=restored_version, last=version).values())


def announce_restored_changes(by: Change) -> None:
    """Send a signal for each change of a proposal or a turn that `by` undid or redid.

    `by` is a restore or its undo or redo. Must run inside the transaction of `by`.
    """
    history = _history(by.table_id, first=by.counts["restored_version"], last=by.version)
    effect = effect_of_last(_step(change) for change in history.values())
    for signal, ids, newest_first in ((change_undone, effect.undone, True), (change_redone, effect.redone, False)):
        changes = [history[pk] for pk in ids if _is_announced(history[pk])]
        for change in sorted(changes, key=lambda one: one.version, reverse=newest_first):
            signal.send(sender=Change, change=change, by=by)


def _history(table_id: int, *, first: int, last: int) -> dict[int, Change]:
    """Return the changes, by id, that determine which changes a restore undoes and redoes.

    These are the changes of versions after `first` up to `last`, and earlier ones if one of them undid, redid or
    restored something earlier. Changes that are not announced are left out unless they undo, redo or restore others.
    """
    relevant = Change.objects.filter(ANNOUNCED | Q(undo_of__isnull=False) | Q(source="restore"), table_id=table_id)
    history: dict[int, Change] = {}
    while first < last:
        found = {change.pk: change for change in relevant.filter(version__gt=first, version__lte=last)}
        history.update(found)
        earlier = _undone_by(found.values(), known=history)
        history.update(earlier)
        restored = [change.counts["restored_version"] for change in found.values() if _is_restore(change)]
        before = [change.version - 1 for change in earlier.values() if _is_announced(change) or _is_restore(change)]
        first, last = min([first, *restored, *before]), first
    return history


def _undone_by(changes: Iterable[Change], *, known: Container[int]) -> dict[int, Change]:
    """Return the changes that these undid, and those that these had undone, except for known ones."""
    missing = {pk for change in changes if (pk := change.undo_of_id) and pk not in known}
    return {change.pk: change for change in with_earlier(missing) if change.pk not in known}


def _is_announced(change: Change) -> bool:
    return bool(change.proposal_id or change.turn_id)


def _is_restore(change: Change) -> bool:
    return change.source == "restore"


def _step(change: Change) -> Step:
    restored_version = change.counts["restored_version"] if _is_restore(change) else None
    return Step(change.pk, change.version, change.undo_of_id, change.is_redo, restored_version)
