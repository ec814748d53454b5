"""Write rows as a ZIP archive: JSON with the paths of the files in cells, the columns, and the files themselves."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from django.conf import settings

from shared.user_messages import declare
from tables.column_types import ColumnSpec
from tables.exceptions import Invalid
from tables.importing.declared_columns import written_columns
from tables.importing.file_formats.archives import DESCRIPTION, FILES_FOLDER, MAX_ENTRIES
from tables.interchange.file_names import archived_name, file_name
from tables.interchange.text_files import write_json
from tables.selectors import ListedRow
from tables.services.files.storage import read_content

TOO_MANY_FILES_FOR_ZIP = declare(
    "too_many_files_for_zip", "These rows have more than {count:,} files. Filter the rows, and export them in parts."
)
FILES_TOO_LARGE_FOR_ZIP = declare(
    "files_too_large_for_zip",
    "The files of these rows are larger than {count} GB together. Filter the rows, and export them in parts.",
)
GB = 1024**3
# The other entries are the rows and the columns.
MAX_FILES = MAX_ENTRIES - 2


class FilePaths:
    """The paths of files in an archive by their id: each file once, by the first name that a cell gives it."""

    def __init__(self) -> None:
        self.by_id: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._size = 0

    def written(self, value: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the files in a cell with paths instead of ids. Raises Invalid for too many or too large files."""
        return [
            {"path": self._path(each), **{name: each.get(name) for name in ("name", "size", "type")}} for each in value
        ]

    def _path(self, file: dict[str, Any]) -> str:
        known = self.by_id.get(file["id"])
        if known is not None:
            return known
        self._size += file["size"]
        if len(self.by_id) == MAX_FILES:
            raise Invalid(TOO_MANY_FILES_FOR_ZIP(count=MAX_FILES), code="too_many_files")
        if self._size > settings.FILES_MAX_GB * GB:
            raise Invalid(FILES_TOO_LARGE_FOR_ZIP(count=settings.FILES_MAX_GB), code="too_many_files")
        path = self.by_id[file["id"]] = f"{FILES_FOLDER}/{self._unique(archived_name(file['name']))}"
        return path

    def _unique(self, name: str) -> str:
        """Return the name, with a number if an earlier file has it; some file systems ignore upper case."""
        stem, point, ending = name.rpartition(".")
        stem, end = (stem, point + ending) if stem else (name, "")
        number = self._numbers.get(name.casefold(), 0) + 1
        unique = name if number == 1 else f"{stem} {number}{end}"
        while number > 1 and unique.casefold() in self._numbers:
            number += 1
            unique = f"{stem} {number}{end}"
        self._numbers[name.casefold()] = number
        self._numbers.setdefault(unique.casefold(), 1)
        return unique


def write_zip(
    file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[ListedRow]
) -> Iterator[None]:
    """Write the rows, and return an iterator that adds the files, a piece in each step.

    The contents of files never change, so that no snapshot of the database is needed for them. The archive is stored
    without times, so that the same rows give the same archive.
    """
    archive, paths = ZipFile(file, "w"), FilePaths()
    with archive.open(_entry(file_name(title, ending="json"), method=ZIP_DEFLATED), "w", force_zip64=True) as entry:
        write_json(entry, title=title, columns=columns, rows=rows, written_files=paths.written)
    archive.writestr(_entry(DESCRIPTION, method=ZIP_DEFLATED), written_columns(columns))
    return _add_files(archive, paths.by_id)


def _add_files(archive: ZipFile, paths: dict[str, str]) -> Iterator[None]:
    for key, path in paths.items():
        # Not packed: most files are packed already, and imports refuse what looks like a ZIP bomb.
        with archive.open(_entry(path, method=ZIP_STORED), "w", force_zip64=True) as entry:
            for piece in read_content(key):
                entry.write(piece)
                yield
    archive.close()


def _entry(path: str, *, method: int) -> ZipInfo:
    entry = ZipInfo(path)
    entry.compress_type = method
    entry.external_attr = 0o600 << 16
    return entry
