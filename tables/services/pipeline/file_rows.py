"""The rows that have a file in a cell, recorded with each write of rows, so that unused files can be found."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.files import file_ids, file_names
from tables.exceptions import Conflict
from tables.models import FileRow, Table, TableFile

FILES_DELETED = declare(
    "files_deleted", "A file of this change was deleted, because no row had it for a long time. Upload it again."
)

Json = dict[str, Any]
CHUNK = 500


def record_files(table: Table, rows: Iterable[tuple[int, Json]], *, columns: Sequence[ColumnSpec]) -> None:
    """Record the files in the cells of written rows, and their names. Without a column of files this does nothing."""
    with_files = [column.id for column in columns if get_column_type(column.type).has_files]
    if not with_files:
        return
    found = _files_in(rows, column_ids=with_files)
    while part := list(islice(found, CHUNK)):
        keys = {file_id for _, file_id, _ in part}
        files = {file.content_id: file for file in TableFile.objects.filter(table_id=table.pk, content_id__in=keys)}
        known = [(row_id, files[file_id], name) for row_id, file_id, name in part if file_id in files]
        FileRow.objects.bulk_create(
            [FileRow(file=file, row_id=row_id) for row_id, file, _ in known], ignore_conflicts=True
        )
        renamed = []
        for _, file, name in known:
            if name and name != file.name:
                file.name = name
                renamed.append(file)
        if renamed:
            TableFile.objects.bulk_update(renamed, ["name"])


def refuse_deleted_files(
    table: Table, changed: Iterable[Sequence[Any]], *, added: Iterable[Json] = (), columns: Sequence[ColumnSpec]
) -> None:
    """Raise Conflict if cells of a locked table would get a file that has been deleted since it was looked up.

    `changed` are rows of a delta, `added` the data of new rows. Files are deleted under the same lock.
    """
    with_files = [column.id for column in columns if get_column_type(column.type).has_files]
    if not with_files:
        return
    keys = {key for data in added for each in with_files for key in file_ids(data.get(each))}
    for _, was, now in changed:
        for each in with_files:
            keys |= set(file_ids((now or {}).get(each))) - set(file_ids((was or {}).get(each)))
    wanted = sorted(keys)
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        if TableFile.objects.filter(table_id=table.pk, content_id__in=part).count() < len(part):
            raise Conflict(FILES_DELETED(), code="file_deleted")


def _files_in(
    rows: Iterable[tuple[int, Json]], *, column_ids: Sequence[str]
) -> Iterator[tuple[int, str, str]]:
    """Yield row id, file id and name of each file in these columns."""
    for row_id, data in rows:
        for column_id in column_ids:
            value = data.get(column_id)
            for file_id, name in zip(file_ids(value), file_names(value or ()), strict=False):
                yield row_id, file_id, name
