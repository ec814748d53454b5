"""Files of a copied table: the same contents, with the rights of the copy."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.files import file_ids
from tables.models import Table, TableFile
from tables.services.files.contents import lock_contents
from tables.services.files.uploads import UNUSED_DAYS

BATCH_SIZE = 500


def copy_files(
    source: Table, copy: Table, *, rows: Iterable[Mapping[str, Any]], columns: Sequence[ColumnSpec]
) -> None:
    """Add the files in these rows of a table, given by the columns of the copy, to the copy.

    The ids in cells stay the same. The content is shared, and counts for the user who uploaded it.
    """
    with_files = [column.id for column in columns if get_column_type(column.type).has_files]
    if not with_files:
        return
    keys = list(dict.fromkeys(key for row in rows for each in with_files for key in file_ids(row.get(each))))
    check_at = timezone.now() + timedelta(days=UNUSED_DAYS)
    for start in range(0, len(keys), BATCH_SIZE):
        stored = lock_contents(keys[start : start + BATCH_SIZE])
        files = TableFile.objects.filter(table_id=source.pk, content_id__in=stored)
        TableFile.objects.bulk_create(
            TableFile(
                table=copy,
                content_id=file.content_id,
                name=file.name,
                uploaded_by_id=file.uploaded_by_id,
                check_at=check_at,
            )
            for file in files
        )
