"""Files of imported archives: stored while the rows are read, and added to the table when these are written."""
from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.files import File

from shared.user_messages.request_messages import UPLOAD_TOO_LARGE
from tables.column_types import ValueFault
from tables.column_types.files import FileInfo, clean_file_name
from tables.exceptions import Conflict, Invalid
from tables.importing.file_formats.archives import Archive
from tables.models import FileContent, Import, Table, TableFile
from tables.selectors.files import uploaded_bytes
from tables.selectors.imports import FILE_DELETED
from tables.services.files.contents import delete_unused_contents, lock_contents
from tables.services.files.media_types import HEAD_SIZE, media_type
from tables.services.files.storage import content_path, delete_stored, store
from tables.services.files.thumbnails import has_thumbnail
from tables.services.files.uploads import FILES_FULL, MB, UNUSED_DAYS

BATCH_SIZE = 500


class ArchivedContents:
    """Stores the files of an archive to which imported cells refer, each once.

    `names` are the names of the stored ones by key. `before_each` is called before a file is stored, and may raise.
    Contents that no table gets are deleted after a day.
    """

    def __init__(self, archive: Archive, *, user: Any, before_each: Callable[[], object]) -> None:
        self.names: dict[str, str] = {}
        self._archive, self._before_each = archive, before_each
        self._free = settings.FILES_MAX_GB * 1024 * MB - uploaded_bytes(user)

    def store(self, path: str) -> FileInfo:
        """Store a file and return it. Raises ValueFault if it is too large, Invalid, Unreadable and Unavailable."""
        size, name = self._archive.entries[path].file_size, clean_file_name(posixpath.basename(path))
        if size > settings.FILE_MAX_MB * MB:
            raise ValueFault("too_large", UPLOAD_TOO_LARGE(count=settings.FILE_MAX_MB))
        self._free -= size
        if self._free < 0:
            raise Invalid(FILES_FULL(count=settings.FILES_MAX_GB), code="files_full")
        self._before_each()
        with self._archive.open(path) as content:
            head = content.read(HEAD_SIZE)
            stored = FileContent.objects.create(size=size, type=media_type(head, name=name))
            content.seek(0)
            try:
                store(content_path(stored.pk), File(content))
            except BaseException:
                delete_stored(stored.pk)
                stored.delete()
                raise
        self.names[stored.pk] = name
        return FileInfo(stored.pk, name, size, stored.type)


def add_archived_files(table: Table, names: Mapping[str, str], *, user: Any, now: datetime) -> None:
    """Add stored contents to a table, under their names by key. Raises Conflict if one has been deleted meanwhile."""
    keys = list(names)
    for start in range(0, len(keys), BATCH_SIZE):
        part = keys[start : start + BATCH_SIZE]
        if len(lock_contents(part)) < len(part):
            raise Conflict(FILE_DELETED, code="file_gone")
        TableFile.objects.bulk_create(
            TableFile(
                table=table,
                content_id=key,
                name=names[key],
                uploaded_by=user,
                check_at=now + timedelta(days=UNUSED_DAYS),
            )
            for key in part
        )


def discard_contents(keys: Iterable[str]) -> None:
    """Delete contents that no table has got, of an import that has ended or begins again."""
    wanted = list(keys)
    for start in range(0, len(wanted), BATCH_SIZE):
        delete_unused_contents(wanted[start : start + BATCH_SIZE])


def imported_pictures(import_id: int) -> list[str]:
    """Return the keys of the pictures of a finished import that have no thumbnail yet."""
    plan = Import.objects.filter(pk=import_id).values_list("plan", flat=True).first() or {}
    keys = list(plan.get("files", ()))
    return [
        content.pk
        for start in range(0, len(keys), BATCH_SIZE)
        for content in FileContent.objects.filter(pk__in=keys[start : start + BATCH_SIZE], thumbnail_type="")
        if has_thumbnail(content)
    ]
