"""Files of tables: one with its rights, and what a user has uploaded."""
from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Q, Sum

from shared.user_messages import declare
from tables.exceptions import NotFound
from tables.models import FileContent, TableFile
from tables.selectors.access import Right, tables_of
from tables.selectors.file_directory import can_be_file_id
from tables.selectors.tables import get_table

BATCH_SIZE = 500
NO_SUCH_FILE = declare("no_such_file", "This file does not exist, or you do not have access to it.")


def get_file(user: Any, *, table_id: int, file_id: str, can: Right = "view") -> TableFile:
    """Return a file of a table with its content. Raises NotFound and Forbidden."""
    table = get_table(user, table_id, can=can)
    files = TableFile.objects.select_related("content").filter(table_id=table.pk, content_id=file_id)
    found = files.first() if can_be_file_id(file_id) else None
    if found is None:
        raise NotFound(NO_SUCH_FILE())
    return found


def get_files(user: Any, *, table_id: int, file_ids: Collection[str]) -> list[TableFile]:
    """Return those of these files that belong to a table, with their contents. Raises NotFound."""
    table = get_table(user, table_id)
    return list(TableFile.objects.select_related("content").filter(table_id=table.pk, content_id__in=file_ids))


def files_of(user: Any) -> Iterator[tuple[str, str]]:
    """Yield id and name of the files in tables of this user, and of those that the user added to visible tables.

    Each content is listed once. Files of the trash are included.
    """
    visible = tables_of(user, trashed=None).values("pk")
    own = Q(table__owner_id=user.pk) | Q(uploaded_by_id=user.pk)
    files = TableFile.objects.filter(own, table_id__in=visible).order_by("content_id", "pk")
    last = ""
    while part := list(files.filter(content_id__gt=last).values_list("content_id", "name")[:BATCH_SIZE]):
        for key, name in part:
            if key != last:
                yield key, name
            last = key


def uploaded_bytes(user: Any) -> int:
    """Return the size of all files that a user has uploaded. The content of copied tables is counted once."""
    contents = TableFile.objects.filter(uploaded_by_id=user.pk).values("content_id")
    return FileContent.objects.filter(pk__in=contents).aggregate(total=Sum("size"))["total"] or 0
