"""What tables let go of: the trash after its 30 days, old changes, and rows that no kept change can bring back.

Every step of an iterator is one short transaction; in between others write.
"""
from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from tables.models import Change, ChangePiece, Import, Invitation, KeptFigures, Row, Table
from tables.selectors.count_cache import KEPT_SECONDS
from tables.selectors.tables import TRASH_KEPT

INVITATION_DAYS = 30
IMPORT_KEPT = timedelta(days=1)
# A change is stamped a little later than the rows it deletes, and clocks of servers differ a little.
MARGIN = timedelta(days=1)
MOST_ROWS = 1_000
MOST_CHANGES = 100
# A piece has up to 5,000 cells.
MOST_PIECES = 50


def empty_trash(*, now: datetime) -> Iterator[int]:
    """Deletes tables for good that have been in the trash for 30 days, with their rows and changes."""
    # From here on nobody can take them out again, however long the rest takes.
    Table.objects.filter(deleted_at__lte=now - TRASH_KEPT).update(purging=True)
    while (table_id := _first(Table.objects.filter(deleted_at__isnull=False, purging=True))) is not None:
        while rows := _delete_rows(Row.objects.filter(table_id=table_id)):
            yield rows
        while changes := _delete_changes(Change.objects.filter(table_id=table_id)):
            yield changes
        Table.objects.filter(pk=table_id).delete()
        yield 1


def clear_changes(*, now: datetime) -> Iterator[int]:
    """Deletes changes that are older than they are kept, the oldest of each table first: what is left has no gaps."""
    old = Change.objects.filter(created_at__lte=now - timedelta(days=settings.TABLES_CHANGES_DAYS))
    for table_id in old.order_by("table_id").values_list("table_id", flat=True).distinct():
        while changes := _clear_changes_of(table_id, old=old):
            yield changes


def clear_rows(*, now: datetime) -> Iterator[int]:
    """Deletes rows for good that were deleted before the oldest change that is kept: nothing can bring them back."""
    limit = now - timedelta(days=settings.TABLES_CHANGES_DAYS) - MARGIN
    rows = Row.objects.filter(table_id=OuterRef("pk"), deleted_at__lte=limit)
    for table_id in Table.objects.filter(Exists(rows)).values_list("pk", flat=True):
        oldest = Change.objects.filter(table_id=table_id).aggregate(oldest=Min("created_at"))["oldest"]
        before = min(limit, oldest - MARGIN) if oldest else limit
        while deleted := _delete_rows(Row.objects.filter(table_id=table_id, deleted_at__lte=before)):
            yield deleted


def clear_imports(*, now: datetime) -> Iterator[int]:
    """Deletes files a day after their import has ended or, where none has, two days after they came, and a day after
    anybody last worked on them; what is known of it too."""
    idle = Q(beat_at=None) | Q(beat_at__lte=now - IMPORT_KEPT)
    over = Q(ended_at__lte=now - IMPORT_KEPT) | Q(idle, ended_at=None, created_at__lte=now - IMPORT_KEPT * 2)
    for import_id in list(Import.objects.filter(over).order_by("pk").values_list("pk", flat=True)):
        # Asked again: what somebody has begun once more in the meantime stays.
        imported = Import.objects.filter(over, pk=import_id).only("pk").first()
        if imported is None:
            continue
        for parts in (imported.pieces.all(), imported.staged.all(), imported.refused.all()):
            while ids := list(parts.order_by().values_list("pk", flat=True)[:MOST_PIECES]):
                yield parts.model.objects.filter(pk__in=ids).delete()[0]
        imported.delete()
        yield 1


def old_figures(*, now: datetime) -> QuerySet[KeptFigures]:
    """Statistics that nobody has renewed for a day."""
    return KeptFigures.objects.filter(computed_at__lte=now - timedelta(seconds=KEPT_SECONDS))


def old_invitations(*, now: datetime) -> QuerySet[Invitation]:
    """Invitations that ran out a month ago."""
    return Invitation.objects.filter(expires_at__lte=now - timedelta(days=INVITATION_DAYS))


def _clear_changes_of(table_id: int, *, old: QuerySet[Change]) -> int:
    with transaction.atomic():
        # Whoever takes a change back holds this lock too.
        Table.objects.select_for_update().filter(pk=table_id).first()
        return _delete_changes(old.filter(table_id=table_id))


def _delete_changes(changes: QuerySet[Change]) -> int:
    """Deletes the first of them with their pieces; how many."""
    ids: list[int] = []
    pieces = 0
    sizes = changes.order_by("version").annotate(n=Count("pieces")).values_list("pk", "n")
    for pk, n in sizes[:MOST_CHANGES]:
        if ids and pieces + n > MOST_PIECES:
            break
        ids.append(pk)
        pieces += n
    with transaction.atomic():
        # What took such a change back stays as a change of its own, that can be taken back like any other.
        Change.objects.filter(undo_of_id__in=ids).update(undo_of=None)
        ChangePiece.objects.filter(change_id__in=ids).delete()
        Change.objects.filter(pk__in=ids)._raw_delete(connection.alias)
    return len(ids)


def _delete_rows(rows: QuerySet[Row]) -> int:
    ids = list(rows.values_list("pk", flat=True)[:MOST_ROWS])
    return rows.filter(pk__in=ids).delete()[0] if ids else 0


def _first(tables: QuerySet[Table]) -> int | None:
    return tables.order_by("pk").values_list("pk", flat=True).first()
