"""The changes of a table, with their user and time, and whether they can be undone."""
from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, Min, OuterRef, QuerySet

from shared.user_messages import Message, declare
from tables.exceptions import ChangesExpired, NotFound
from tables.models import Change, ChangePiece, Table
from tables.selectors.history.undo_chains import Chain, LaterSteps, later_steps

MAX_VERSION = 2**63 - 1
RECENT_CHANGES = 1_000
CHANGES_NOT_STORED = declare(
    "changes_not_stored", "The changes after version {version} are no longer stored. Load the table again."
)
NO_SUCH_CHANGE = declare("change_not_found", "Change not found in this table.")


@dataclass(frozen=True)
class ChangeView:
    """A change without its cells."""

    id: int
    version: int
    actor: str | None
    source: str
    summary: str
    message: Message
    counts: dict[str, Any]
    created_at: datetime
    proposal_id: UUID | None
    undo_of: int | None
    undone_by: int | None
    undoable: bool
    fill_id: UUID | None = None
    is_redo: bool = False
    """Whether it is the undo of an undo, so that the original change has its effect again."""
    is_undone: bool = False
    """Whether an undo, or a restore of the table to an earlier state, has undone it and is in force."""

    def as_json(self) -> dict[str, Any]:
        """Return the representation in API responses."""
        return {
            "id": self.id,
            "version": self.version,
            "actor": self.actor,
            "source": self.source,
            "summary": self.summary,
            "counts": self.counts,
            "created_at": self.created_at.isoformat(),
            "proposal_id": str(self.proposal_id) if self.proposal_id else None,
            "fill_id": str(self.fill_id) if self.fill_id else None,
            "undo_of": self.undo_of,
            "undone_by": self.undone_by,
            "undoable": self.undoable,
        }


@dataclass(frozen=True)
class ChangeFilter:
    """The changes between two versions, of one user by name, of one source."""

    after_version: int | None = None
    before_version: int | None = None
    username: str = ""
    source: str = ""

    def of(self, table: Table) -> QuerySet[Change]:
        """Return these changes. Raises ChangesExpired when some above `after_version` have been deleted."""
        changes = Change.objects.filter(table_id=table.pk)
        if self.after_version is not None:
            after = min(max(self.after_version, 0), MAX_VERSION)
            changes = changes.filter(version__gt=after)
            oldest = changes.aggregate(oldest=Min("version"))["oldest"]
            if after < table.version and oldest != after + 1:
                raise ChangesExpired(CHANGES_NOT_STORED(version=after))
        if self.before_version is not None:
            changes = changes.filter(version__lt=min(max(self.before_version, 0), MAX_VERSION))
        if self.username:
            changes = changes.filter(actor__username=self.username)
        return changes.filter(source=self.source) if self.source else changes


ALL_CHANGES = ChangeFilter()


def changes_of(table: Table, *, only: ChangeFilter = ALL_CHANGES, limit: int = 50) -> list[ChangeView]:
    """Return the changes that match the filter, newest first. Raises ChangesExpired."""
    return _views(table, only.of(table).order_by("-version")[:limit])


def changes_by_id(table: Table, ids: Iterable[int]) -> list[ChangeView]:
    """Return these changes of the table, the newest first."""
    return _views(table, Change.objects.filter(table_id=table.pk, pk__in=list(ids)).order_by("-version"))


def users_in_history(table: Table) -> list[str]:
    """Return the names of the users of the latest changes, in alphabetical order."""
    latest = Change.objects.filter(table_id=table.pk).order_by("-version").values("pk")[:RECENT_CHANGES]
    names = Change.objects.filter(pk__in=latest, actor__isnull=False).order_by("actor__username")
    return list(names.values_list("actor__username", flat=True).distinct())


def get_change(table: Table, change_id: int) -> ChangeView:
    """Return one change of this table. Raises NotFound."""
    possible = isinstance(change_id, int) and 0 < change_id <= MAX_VERSION
    found = changes_by_id(table, [change_id] if possible else [])
    if not found:
        raise NotFound(NO_SUCH_CHANGE())
    return found[0]


def rows_changed_since(table: Table, version: int, *, limit: int) -> list[int] | None:
    """Return the ids of the rows that the changes after this version added, changed or deleted.

    None if there are more than `limit`, or some of the changes are no longer stored.
    """
    if Change.objects.filter(table_id=table.pk, version__gt=version).count() != table.version - version:
        return None
    row_id, entries = "(entry.value ->> 0)::bigint", "jsonb_array_elements(piece.steps -> 'rows')"
    if connection.vendor == "sqlite":
        row_id, entries = "json_extract(entry.value, '$[0]')", "json_each(piece.steps, '$.rows')"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT {row_id} FROM tables_change AS change"
            " JOIN tables_changepiece AS piece ON piece.change_id = change.id AND piece.table_id = change.table_id"
            f" CROSS JOIN {entries} AS entry WHERE change.table_id = %s AND change.version > %s LIMIT %s",
            [table.pk, version, limit + 1],
        )
        found = [pk for (pk,) in cursor.fetchall()]
    return found if len(found) <= limit else None


def rows_changed_in(table: Table, version: int, *, columns: Collection[str]) -> set[int]:
    """Return the ids of the rows of this version that later changes deleted, or changed in one of the columns.

    Only stored changes count.
    """
    pieces = ChangePiece.objects.filter(table_id=table.pk, change__table_id=table.pk, change__version__gt=version)
    found, added = set[int](), set[int]()
    for steps in pieces.order_by("change__version", "index").values_list("steps", flat=True).iterator():
        for row_id, was, now in steps.get("rows", ()):
            if was is None and row_id not in found:
                added.add(row_id)
            elif now is None or any(key in cells for cells in (was or {}, now) for key in columns):
                found.add(row_id)
    return found - added


def _views(table: Table, changes: QuerySet[Change]) -> list[ChangeView]:
    pieces = ChangePiece.objects.filter(table_id=table.pk, change_id=OuterRef("pk"))
    found = list(changes.select_related("actor", "undone_by").annotate(is_stored=Exists(pieces)))
    restores = _restores_in_force(table.pk, after=min(change.version for change in found)) if found else []
    later = later_steps([change.pk for change in found if hasattr(change, "undone_by")])

    def is_restored_over(version: int) -> bool:
        return any(first < version < last for first, last in restores)

    views = []
    for change in found:
        steps = later.get(change.pk, LaterSteps(0, change.version))
        can_be_undone = steps.are_reversed and not is_restored_over(steps.last_version)
        views.append(
            _view(change, is_restored_over=is_restored_over(change.version), can_be_undone=can_be_undone)
        )
    return views


def is_in_effect(chain: Chain) -> bool:
    """Return whether a change is in effect after all of its undos and redos, and all restores.

    The last of its steps that no restore has undone decides.
    """
    original = chain.original
    restores = _restores_in_force(original.table_id, after=original.version)
    in_effect = False
    for step in chain.changes:
        if not any(first < step.version < last for first, last in restores):
            in_effect = step.undo_of_id is None or step.is_redo
    return in_effect


def _restores_in_force(table_id: int, *, after: int) -> list[tuple[int, int]]:
    """Return the restores after a version that are in force: pairs of restored version and own version.

    A restore undoes all changes between the two. At most two queries: changes that undo and redo a restore have the
    same counts.
    """
    later = Change.objects.filter(table_id=table_id, version__gt=after)
    if not later.filter(source="restore").exists():
        return []
    steps = later.filter(counts__has_key="restored_version").order_by("-version")
    followers: dict[int | None, Change] = {}
    in_force: list[tuple[int, int]] = []
    # The newest first: a later restore may have undone an earlier one, or its undo. A step without an earlier one may
    # also be the undo of a restore that is no longer stored.
    for step in steps:
        if any(first < step.version < last for first, last in in_force):
            continue
        last = followers.get(step.pk, step)
        if step.undo_of_id is not None:
            followers[step.undo_of_id] = last
        elif step.source == "restore" and (last.undo_of_id is None or last.is_redo):
            in_force.append((step.counts["restored_version"], step.version))
    return in_force


def _view(change: Change, *, is_restored_over: bool, can_be_undone: bool) -> ChangeView:
    undone_by = getattr(change, "undone_by", None)
    return ChangeView(
        id=change.pk,
        version=change.version,
        actor=change.actor.get_username() if change.actor else None,
        source=change.source,
        summary=change.summary,
        message=change.message,
        counts=change.counts,
        created_at=change.created_at,
        proposal_id=None if change.source == "fill" else change.proposal_id,
        fill_id=change.proposal_id if change.source == "fill" else None,
        undo_of=change.undo_of_id,
        undone_by=undone_by.pk if undone_by else None,
        undoable=can_be_undone and not is_restored_over and bool(getattr(change, "is_stored", False)),
        is_redo=change.is_redo,
        is_undone=is_restored_over or (undone_by is not None and not can_be_undone),
    )
