"""Progress of reading an imported file, and its rows in parts."""
from __future__ import annotations

from collections.abc import Iterator

from tables.importing.file_formats.archives import Archive
from tables.importing.file_formats.source import RawRow
from tables.models import Import
from tables.selectors.imports import pieces_of

# Rows that are read together, and from how many bytes. They are read one by one if anything is reported about any.
ROWS_READ_TOGETHER = 200
MAX_BYTES_READ_TOGETHER = 1_000_000


class ReadingProgress:
    """Progress of reading a file: in bytes, in rows if their number is known in advance, or in what is unpacked.

    The end is in `progress_end` of the import.
    """

    def __init__(self, imported: Import) -> None:
        self._imported, self._count, self._by_rows = imported, 0, False
        self._archive: Archive | None = None
        imported.progress_end = imported.size

    @property
    def count(self) -> int:
        """How much has been read."""
        return self._count if self._archive is None else self._archive.unpacked_bytes

    def pieces(self) -> Iterator[bytes]:
        """Yield the content of the file."""
        for piece in pieces_of(self._imported):
            self._count += 0 if self._by_rows else len(piece)
            yield piece

    def count_rows(self, *, total: int) -> None:
        """Count rows instead of bytes if their total is known."""
        if total:
            self._count, self._by_rows = 0, True
            self._imported.progress_end = total

    def count_unpacked(self, archive: Archive) -> None:
        """Count what is unpacked of an archive, which has been read completely by now."""
        self._archive = archive
        self._imported.progress_end = archive.unpacked_size

    def parts(self, found: Iterator[RawRow]) -> Iterator[list[RawRow]]:
        """Yield the rows in parts of limited size, and count them."""
        part: list[RawRow] = []
        start = self.count
        for row in found:
            self._count += self._by_rows
            part.append(row)
            if len(part) == ROWS_READ_TOGETHER or self.count - start >= MAX_BYTES_READ_TOGETHER:
                yield part
                part, start = [], self.count
        if part:
            yield part
