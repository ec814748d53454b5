"""The files of a table that can be written to its cells."""
from __future__ import annotations

from typing import Any

from django.urls import reverse

from tables.column_types.files import FileInfo
from tables.models import TableFile

FIELDS = ("content_id", "name", "content__size", "content__type")
# Files that are looked up one by one, before all of a table are read at once, up to a limit.
MAX_SINGLE = 3
MAX_READ = 20_000
MAX_ID_LENGTH = 32


class TableFiles:
    """The files of one table, read when they are needed: a few queries for any number of cells."""

    def __init__(self, table_id: int) -> None:
        self._table_id = table_id
        self._known: dict[str, FileInfo | None] = {}
        self._single = 0
        self._are_all_known = False

    def find(self, file_id: str) -> FileInfo | None:
        """Return the file of the table with this id."""
        if not can_be_file_id(file_id):
            return None
        if file_id not in self._known and not self._are_all_known:
            self._read(file_id)
        return self._known.get(file_id)

    def url(self, file_id: str) -> str:
        """Return the path of the content of a file in the API."""
        return reverse("api_file", args=(self._table_id, file_id)) if can_be_file_id(file_id) else ""

    def references(self, value: Any) -> Any:
        """Return the value unchanged: files of a table have ids."""
        return value

    def _read(self, file_id: str) -> None:
        files = TableFile.objects.filter(table_id=self._table_id)
        self._single += 1
        if self._single == MAX_SINGLE + 1:
            found = list(files.order_by("-pk").values_list(*FIELDS)[:MAX_READ])
            self._are_all_known = len(found) < MAX_READ
            self._known |= {info.id: info for info in map(FileInfo._make, found)}
        if file_id not in self._known and not self._are_all_known:
            one = files.filter(content_id=file_id).values_list(*FIELDS).first()
            self._known[file_id] = FileInfo._make(one) if one else None


def can_be_file_id(file_id: str) -> bool:
    """Return whether a text has the form of an id."""
    return 0 < len(file_id) <= MAX_ID_LENGTH and file_id.isascii() and file_id.isprintable()
