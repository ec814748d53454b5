"""Imports of files: each belongs to one user."""
from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from shared.user_messages import declare, message_fields
from tables.exceptions import Conflict, Fault, Invalid, NotFound
from tables.importing.refused_cells import RefusedCell
from tables.importing.targets import read_targets
from tables.models import Import, ImportPiece, RefusedCells, new_column_id
from tables.selectors.access import Right, tables_of
from tables.selectors.tables import MAX_ID, get_table, table_shape

RUNNING = (Import.State.QUEUED, Import.State.READING, Import.State.WRITING)
ACTIVE = (Import.State.READING, Import.State.WRITING)
# A worker updates `heartbeat_at` at least every few seconds. One that was killed is replaced within three minutes, and
# after three attempts there are no more.
INTERRUPTED_AFTER = timedelta(minutes=10)
IMPORT_INTERRUPTED = declare("import_interrupted", "The import was interrupted. Nothing was imported; start again.")
UPLOAD_INTERRUPTED = declare("upload_interrupted", "The upload was interrupted. Upload the file again.")
NO_IMPORT = declare("no_import", "Import not found.")()
FILE_DELETED = declare("file_gone", "The file is no longer stored. Upload it again.")()


def get_import(user: Any, import_id: int, *, can: Right = "view") -> Import:
    """Return this user's import with this id. `can` is the required right on the target table.

    Raises NotFound, also when the user may no longer view that table, and Forbidden.
    """
    known = bool(user and user.is_authenticated and user.is_active)
    possible = known and isinstance(import_id, int) and 0 < import_id <= MAX_ID
    imported = Import.objects.filter(user_id=user.pk, pk=import_id).first() if possible else None
    if imported is None:
        raise NotFound(NO_IMPORT)
    if imported.table_id is not None:
        try:
            get_table(user, imported.table_id, can=can)
        except NotFound:
            raise NotFound(NO_IMPORT) from None
    return imported


def is_interrupted(imported: Import) -> bool:
    """Return whether the worker or the upload has had no heartbeat for so long that it must have died."""
    beat = imported.created_at if imported.state == Import.State.UPLOADING else imported.heartbeat_at
    active = imported.state in (*ACTIVE, Import.State.UPLOADING)
    return active and beat is not None and beat < timezone.now() - INTERRUPTED_AFTER


def has_files(imported: Import) -> bool:
    """Return whether the examined file is an archive with files, to which cells can refer."""
    return bool(imported.sniffed.get("source", {}).get("member"))


def import_error(imported: Import) -> dict[str, Any] | None:
    """Return the error of a failed or interrupted import as JSON, None without an error.
    """
    if not is_interrupted(imported):
        return imported.error
    message = UPLOAD_INTERRUPTED() if imported.state == Import.State.UPLOADING else IMPORT_INTERRUPTED()
    return {"code": "lost", **message_fields(message)}


def imports_running() -> int:
    """Return the number of imports of all users that run or wait for a worker."""
    return Import.objects.filter(state__in=RUNNING).count()


def recent_imports(user: Any) -> QuerySet[Import]:
    """Return the user's stored imports, the newest first, without cancelled and unfinished uploads."""
    seen = Q(table=None) | Q(table__in=tables_of(user))
    excluded = (Import.State.UPLOADING, Import.State.CANCELLED)
    return Import.objects.filter(seen, user_id=user.pk).exclude(state__in=excluded).order_by("-created_at", "-pk")


def open_questions(imported: Import) -> tuple[Fault, ...]:
    """Return the open decisions that prevent the import from running; none before the file is examined or after it."""
    if not imported.choices or imported.state in (Import.State.DONE, Import.State.CANCELLED):
        return ()
    shape = table_shape(imported.table) if imported.table is not None else None
    try:
        read_targets(imported.choices, shape=shape, new_id=new_column_id)
    except Invalid as error:
        return error.faults
    return ()


def stored_uploads(user: Any) -> tuple[int, int]:
    """Return the number of stored files of this user, and their size in bytes."""
    stored = Import.objects.filter(user_id=user.pk, pieces__index=0)
    return stored.count(), stored.aggregate(bytes=Sum("size"))["bytes"] or 0


def running_imports(user: Any) -> QuerySet[Import]:
    """Return the user's imports that wait for a worker or run, without interrupted ones."""
    lost = Q(state__in=ACTIVE, heartbeat_at__lt=timezone.now() - INTERRUPTED_AFTER)
    return Import.objects.filter(user_id=user.pk, state__in=RUNNING).exclude(lost)


def pieces_of(imported: Import) -> Iterator[bytes]:
    """Yield the content of the file, one piece at a time.

    Raises Conflict when some of it is no longer stored.
    """
    pieces = ImportPiece.objects.filter(imported_id=imported.pk)
    index = size = 0
    # One query each, so that neither database holds the whole file in memory.
    while (content := pieces.filter(index=index).values_list("content", flat=True).first()) is not None:
        yield bytes(content)
        index, size = index + 1, size + len(content)
    if size < imported.size:
        raise Conflict(FILE_DELETED, code="file_gone")


def refused_cells(imported: Import, *, offset: int, limit: int) -> list[RefusedCell]:
    """Return some of the cells that cannot be read, in the order of the file."""
    parts = RefusedCells.objects.filter(imported_id=imported.pk, first__lt=offset + limit)
    start = parts.filter(first__lte=offset).order_by("-first").values_list("first", flat=True).first() or 0
    found: list[RefusedCell] = []
    for first, cells in parts.filter(first__gte=start).order_by("first").values_list("first", "cells"):
        found += map(RefusedCell.from_list, cells[max(0, offset - first) : max(0, offset + limit - first)])
    return found
