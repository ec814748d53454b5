"""The rows that have a file in a cell, recorded with each write of rows, so that unused files can be found."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.files import file_ids, file_names
from tables.models import FileRow, Table, TableFile

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


def _files_in(
    rows: Iterable[tuple[int, Json]], *, column_ids: Sequence[str]
) -> Iterator[tuple[int, str, str]]:
    """Yield row id, file id and name of each file in these columns."""
    for row_id, data in rows:
        for column_id in column_ids:
            value = data.get(column_id)
            for file_id, name in zip(file_ids(value), file_names(value or ()), strict=False):
                yield row_id, file_id, name
