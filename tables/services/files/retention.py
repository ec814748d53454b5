"""Permanent deletion of files that nothing refers to, and of contents that no table has."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from tables.column_types.files import file_ids
from tables.models import FileContent, FileRow, Row, Table, TableFile
from tables.services.files.contents import delete_unused_contents
from tables.services.files.uploads import UNUSED_DAYS

# Tolerance: a change is recorded shortly after its rows are written, and clocks of servers differ slightly.
MARGIN = timedelta(days=1)
# A content is stored before its upload is complete.
UPLOAD_TIME = timedelta(days=1)
BATCH_SIZE = 200


def clear_files(*, now: datetime) -> Iterator[int]:
    """Delete files that no row has had for 30 days, and as long as changes can be undone.

    A deleted row holds its files until it is deleted permanently. Every write of a row that has had a file, also by
    undo, counts as its last use, so that no change that can be undone refers to a deleted file.
    """
    unused = timedelta(days=max(UNUSED_DAYS, settings.TABLES_CHANGES_DAYS)) + MARGIN
    while due := list(TableFile.objects.filter(check_at__lte=now).order_by("check_at", "pk")[:BATCH_SIZE]):
        by_table = defaultdict(list)
        for file in due:
            by_table[file.table_id].append(file)
        for table_id, files in by_table.items():
            if deleted := _check(files, table_id=table_id, now=now, unused=unused):
                yield deleted
    yield from _clear_contents(now=now)


def delete_files_of(table_id: int) -> int:
    """Delete some files of a table that is being deleted; return how many."""
    ids = list(TableFile.objects.filter(table_id=table_id).values_list("pk", flat=True)[:BATCH_SIZE])
    return TableFile.objects.filter(pk__in=ids).delete()[0] if ids else 0


def _check(files: Sequence[TableFile], *, table_id: int, now: datetime, unused: timedelta) -> int:
    """Delete those of these files that are not used, and set when to check the others; return how many."""
    with transaction.atomic():
        # Writers take this lock too.
        Table.objects.select_for_update().filter(pk=table_id).first()
        last_use = _last_uses(files, table_id=table_id, now=now)
        deleted = [file.pk for file in files if last_use[file.pk] <= now - unused]
        for file in files:
            file.check_at = last_use[file.pk] + unused
        TableFile.objects.bulk_update([file for file in files if file.pk not in deleted], ["check_at"])
        TableFile.objects.filter(pk__in=deleted).delete()
    return len(deleted)


def _last_uses(files: Sequence[TableFile], *, table_id: int, now: datetime) -> dict[int, datetime]:
    """Return when each file was last used: now if a row has it."""
    last = {file.pk: file.created_at for file in files}
    keys = {file.pk: file.content_id for file in files}
    pairs = list(FileRow.objects.filter(file_id__in=keys).values_list("file_id", "row_id"))
    for start in range(0, len(pairs), BATCH_SIZE):
        some = pairs[start : start + BATCH_SIZE]
        rows = Row.objects.filter(table_id=table_id, pk__in={row_id for _, row_id in some})
        found = {pk: (data, written_at) for pk, data, written_at in rows.values_list("pk", "data", "updated_at")}
        for file_id, row_id in some:
            if row_id in found:
                data, written_at = found[row_id]
                is_held = any(keys[file_id] in file_ids(value) for value in data.values())
                last[file_id] = max(last[file_id], now if is_held else written_at)
    return last


def _clear_contents(*, now: datetime) -> Iterator[int]:
    """Delete contents that no table has."""
    used = Exists(TableFile.objects.filter(content_id=OuterRef("pk")))
    unused = FileContent.objects.filter(~used, created_at__lte=now - UPLOAD_TIME).order_by("pk")
    last = ""
    while keys := list(unused.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH_SIZE]):
        yield delete_unused_contents(keys)
        last = keys[-1]
