"""Open a file of any format as rows. Workbooks and archives are written to disk to be read."""
from __future__ import annotations

import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from tables.importing.file_formats.archives import ARCHIVE_BROKEN, Archive, open_archive
from tables.importing.file_formats.delimited import delimited_rows, quoted_names
from tables.importing.file_formats.encodings import decode_lines
from tables.importing.file_formats.records import Records
from tables.importing.file_formats.source import Pieces, RawRow, Source, Unreadable
from tables.importing.file_formats.spreadsheets import WorkbookReader


@dataclass
class OpenFile:
    """An open file: its rows, the cell names of records so far, and the source with details found by opening it.

    `total` is the number of rows and `width` that of columns; 0 if they are only known at the end. `formats` are the
    number formats of the cells of a workbook by the index of their column. `archive` is the archive that has the rows.
    `quoted` are the indexes of cells of the first row that are texts by their quotes; `is_frozen`: whether the first
    row of the sheet does not scroll.
    """

    rows: Iterator[RawRow]
    source: Source
    names: dict[str, int] = field(default_factory=dict)
    total: int = 0
    width: int = 0
    formats: Mapping[int, Sequence[str]] = field(default_factory=dict)
    archive: Archive | None = None
    quoted: frozenset[int] = frozenset()
    is_frozen: bool = False


@contextmanager
def open_rows(pieces: Pieces, *, source: Source) -> Iterator[OpenFile]:
    """Open the bytes as rows. Raises Unreadable, also while reading."""
    if not source.member:
        with _open(pieces, source=source) as file:
            yield file
        return
    with open_archive(pieces) as archive:
        if archive is None:
            raise Unreadable(ARCHIVE_BROKEN(), code="unreadable_file")
        with _open(archive.pieces(), source=source) as file:
            yield replace(file, archive=archive)


@contextmanager
def _open(pieces: Pieces, *, source: Source) -> Iterator[OpenFile]:
    if source.format == "records":
        records = Records(pieces, encoding=source.encoding)
        yield OpenFile(records.rows(), source, names=records.keys)
    elif source.format == "delimited":
        further = iter(pieces)
        head = next(further, b"")
        lines = decode_lines(chain([head], further), encoding=source.encoding)
        first = list(islice(lines, 2))
        rows = delimited_rows(chain(first, lines), delimiter=source.delimiter)
        quoted = quoted_names(first, delimiter=source.delimiter, has_mark=head.startswith(BOM_UTF8))
        yield OpenFile(rows, source, quoted=quoted)
    else:
        # The file has no name, so that nothing is left of it if this process is killed.
        with tempfile.TemporaryFile() as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            with WorkbookReader(file.fileno(), sheet=source.sheet) as reader:
                book = reader.workbook
                known = replace(source, sheet=book.sheet, sheets=book.sheets)
                yield OpenFile(
                    reader.rows(), known, total=book.rows, width=book.columns, formats=book.formats,
                    is_frozen=book.is_frozen,
                )  # fmt: skip
