"""Permanent deletion of trashed tables, old changes, and rows that no stored change can restore.

Each step of an iterator is one short transaction, so that other writers are not blocked for long.
"""
from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from tables import signals
from tables.models import CachedStatistics, Change, ChangePiece, Import, Invitation, Row, Table
from tables.selectors.statistics.cache import CACHE_SECONDS
from tables.selectors.tables import TRASH_RETENTION
from tables.services.files.retention import delete_files_of
from tables.services.search_indexes import forget_purged_rows

EXPIRED_INVITATION_DAYS = 30
IMPORT_RETENTION = timedelta(days=1)
# Tolerance: a change is recorded shortly after its rows are deleted, and clocks of servers differ slightly.
MARGIN = timedelta(days=1)
MAX_ROWS = 1_000
MAX_CHANGES = 100
# A piece has up to 5,000 cells.
MAX_PIECES = 50


def empty_trash(*, now: datetime) -> Iterator[int]:
    """Delete tables that have been in the trash for 30 days, with their rows and changes."""
    # Marked first, so that they cannot be restored while they are being deleted.
    Table.objects.filter(deleted_at__lte=now - TRASH_RETENTION).update(purging=True)
    while (table_id := _first(Table.objects.filter(deleted_at__isnull=False, purging=True))) is not None:
        while rows := _delete_rows(Row.objects.all(), table_id=table_id):
            yield rows
        while changes := _delete_changes(Change.objects.all(), table_id=table_id):
            yield changes
        while files := delete_files_of(table_id):
            yield files
        Table.objects.filter(pk=table_id).delete()
        yield 1


def clear_changes(*, now: datetime) -> Iterator[int]:
    """Delete old changes, the oldest of each table first, so that no gaps remain."""
    old = Change.objects.filter(created_at__lte=now - timedelta(days=settings.TABLES_CHANGES_DAYS))
    for table_id in old.order_by("table_id").values_list("table_id", flat=True).distinct():
        while changes := _clear_changes_of(table_id, old=old):
            yield changes


def clear_rows(*, now: datetime) -> Iterator[int]:
    """Delete rows that were deleted before the oldest stored change, which nothing can restore."""
    limit = now - timedelta(days=settings.TABLES_CHANGES_DAYS) - MARGIN
    rows = Row.objects.filter(table_id=OuterRef("pk"), deleted_at__lte=limit)
    for table_id in Table.objects.filter(Exists(rows)).values_list("pk", flat=True):
        oldest = Change.objects.filter(table_id=table_id).aggregate(oldest=Min("created_at"))["oldest"]
        before = min(limit, oldest - MARGIN) if oldest else limit
        while deleted := _delete_rows(Row.objects.filter(deleted_at__lte=before), table_id=table_id):
            yield deleted


def clear_imports(*, now: datetime) -> Iterator[int]:
    """Delete imports with their files one day after they ended or were last active.

    An import that never ran is deleted after two days.
    """
    idle = Q(heartbeat_at=None) | Q(heartbeat_at__lte=now - IMPORT_RETENTION)
    over = Q(ended_at__lte=now - IMPORT_RETENTION) | Q(idle, ended_at=None, created_at__lte=now - IMPORT_RETENTION * 2)
    for import_id in list(Import.objects.filter(over).order_by("pk").values_list("pk", flat=True)):
        # Checked again, because the import may have been started again meanwhile.
        imported = Import.objects.filter(over, pk=import_id).only("pk", "table_id").first()
        if imported is None:
            continue
        for parts in (imported.pieces.all(), imported.staged.all(), imported.refused.all()):
            while ids := list(parts.order_by().values_list("pk", flat=True)[:MAX_PIECES]):
                yield parts.filter(pk__in=ids).delete()[0]
        imported.delete()
        yield 1


def old_statistics(*, now: datetime) -> QuerySet[CachedStatistics]:
    """Return statistics that have not been refreshed for a day."""
    return CachedStatistics.objects.filter(computed_at__lte=now - timedelta(seconds=CACHE_SECONDS))


def old_invitations(*, now: datetime) -> QuerySet[Invitation]:
    """Return invitations that expired a month ago."""
    return Invitation.objects.filter(expires_at__lte=now - timedelta(days=EXPIRED_INVITATION_DAYS))


def _clear_changes_of(table_id: int, *, old: QuerySet[Change]) -> int:
    with transaction.atomic():
        # Undo takes this lock too.
        Table.objects.select_for_update().filter(pk=table_id).first()
        return _delete_changes(old, table_id=table_id)


def _delete_changes(changes: QuerySet[Change], *, table_id: int) -> int:
    """Delete the first of the table's changes among these, with their pieces; return how many."""
    ids: list[int] = []
    pieces = 0
    first = list(changes.filter(table_id=table_id).order_by("version").values_list("pk", flat=True)[:MAX_CHANGES])
    stored = ChangePiece.objects.filter(table_id=table_id, change_id__in=first)
    sizes = dict(stored.order_by().values_list("change_id").annotate(n=Count("pk")))
    for pk in first:
        n = sizes.get(pk, 0)
        if ids and pieces + n > MAX_PIECES:
            break
        ids.append(pk)
        pieces += n
    with transaction.atomic():
        # The undo of such a change remains as an ordinary change, which can be undone itself.
        Change.objects.filter(undo_of_id__in=ids).update(undo_of=None)
        stored.filter(change_id__in=ids).delete()
        Change.objects.filter(pk__in=ids)._raw_delete(connection.alias)
    return len(ids)


def _delete_rows(rows: QuerySet[Row], *, table_id: int) -> int:
    """Delete the first of the table's rows among these; return how many."""
    rows = rows.filter(table_id=table_id)
    ids = list(rows.values_list("pk", flat=True)[:MAX_ROWS])
    if not ids:
        return 0
    with transaction.atomic():
        forget_purged_rows(table_id)
        signals.rows_purged.send(sender=_delete_rows, table_id=table_id, row_ids=ids)
        return rows.filter(pk__in=ids).delete()[0]


def _first(tables: QuerySet[Table]) -> int | None:
    return tables.order_by("pk").values_list("pk", flat=True).first()
