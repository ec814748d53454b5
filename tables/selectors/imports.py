"""Reads files that somebody wants rows of: each belongs to one person, and to nobody else."""
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
WORKED_ON = (Import.State.READING, Import.State.WRITING)
# A worker says something at least every few seconds; one that was killed is replaced within three minutes, and after
# three of them nobody tries again.
SILENT_AFTER = timedelta(minutes=10)
IMPORT_INTERRUPTED = declare("import_interrupted", "The import was interrupted. Nothing was written; begin again.")
UPLOAD_INTERRUPTED = declare("upload_interrupted", "The upload was interrupted. Upload the file again.")
NO_IMPORT = declare("no_import", "There is no such import.")()
FILE_GONE = declare("file_gone", "The file is no longer stored. Upload it again.")()


def get_import(user: Any, import_id: int, *, can: Right = "view") -> Import:
    """The import of this person with this id; `can` is asked of the table it goes into.

    Raises NotFound, also when the person sees that table no more, and Forbidden.
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


def seems_lost(imported: Import) -> bool:
    """Whether whoever worked on it, or took it in, has been silent for so long that nobody does any more."""
    beat = imported.created_at if imported.state == Import.State.UPLOADING else imported.beat_at
    worked_on = imported.state in (*WORKED_ON, Import.State.UPLOADING)
    return worked_on and beat is not None and beat < timezone.now() - SILENT_AFTER


def import_error(imported: Import) -> dict[str, Any] | None:
    """Return why nothing was written, as a JSON error; None where nothing failed. A lost worker is an error, too."""
    if not seems_lost(imported):
        return imported.error
    message = UPLOAD_INTERRUPTED() if imported.state == Import.State.UPLOADING else IMPORT_INTERRUPTED()
    return {"code": "lost", **message_fields(message)}


def imports_running() -> int:
    """How many imports of anybody run, or wait for a worker."""
    return Import.objects.filter(state__in=RUNNING).count()


def recent_imports(user: Any) -> QuerySet[Import]:
    """Those of this person that are still known, the newest first: what one leaves can be found again."""
    seen = Q(table=None) | Q(table__in=tables_of(user))
    gone = (Import.State.UPLOADING, Import.State.CANCELLED)
    return Import.objects.filter(seen, user_id=user.pk).exclude(state__in=gone).order_by("-created_at", "-pk")


def open_questions(imported: Import) -> tuple[Fault, ...]:
    """What has to be decided before it can run; nothing as long as nobody has looked into the file."""
    if not imported.choices:
        return ()
    shape = table_shape(imported.table) if imported.table is not None else None
    try:
        read_targets(imported.choices, shape=shape, new_id=new_column_id)
    except Invalid as error:
        return error.faults
    return ()


def kept_uploads(user: Any) -> tuple[int, int]:
    """How many files of this person are kept, and how many bytes."""
    kept = Import.objects.filter(user_id=user.pk, pieces__index=0)
    return kept.count(), kept.aggregate(bytes=Sum("size"))["bytes"] or 0


def running_imports(user: Any) -> QuerySet[Import]:
    """Those of this person that wait for a worker or are worked on, by somebody who is still heard of."""
    lost = Q(state__in=WORKED_ON, beat_at__lt=timezone.now() - SILENT_AFTER)
    return Import.objects.filter(user_id=user.pk, state__in=RUNNING).exclude(lost)


def pieces_of(imported: Import) -> Iterator[bytes]:
    """The bytes of the file, a piece at a time. Raises Conflict where some of it is gone: its rows would look whole."""
    pieces = ImportPiece.objects.filter(imported_id=imported.pk)
    index = size = 0
    # One by one: neither database then holds the whole file on its way.
    while (content := pieces.filter(index=index).values_list("content", flat=True).first()) is not None:
        yield bytes(content)
        index, size = index + 1, size + len(content)
    if size < imported.size:
        raise Conflict(FILE_GONE, code="file_gone")


def refused_cells(imported: Import, *, offset: int, limit: int) -> list[RefusedCell]:
    """Return some of the cells that cannot be read, in the order of the file."""
    parts = RefusedCells.objects.filter(imported_id=imported.pk, first__lt=offset + limit)
    start = parts.filter(first__lte=offset).order_by("-first").values_list("first", flat=True).first() or 0
    found: list[RefusedCell] = []
    for first, cells in parts.filter(first__gte=start).order_by("first").values_list("first", "cells"):
        found += map(RefusedCell.from_list, cells[max(0, offset - first) : max(0, offset + limit - first)])
    return found
