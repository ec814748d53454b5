"""Opens a file as rows, whatever its format; a workbook is put on the disk for the process that reads it."""
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tables.importing.delimited import delimited_rows
from tables.importing.encodings import lines_of
from tables.importing.records import Records
from tables.importing.source import Pieces, RawRow, Source
from tables.importing.spreadsheets import Reading


@dataclass
class Opened:
    """An open file: its rows, the names that records give their cells so far, and what was learnt by opening it.

    `total` is how many rows there are, 0 where that shows only at the end; so is `width`, of columns.
    """

    rows: Iterator[RawRow]
    source: Source
    names: dict[str, int] = field(default_factory=dict)
    total: int = 0
    width: int = 0


@contextmanager
def opened(pieces: Pieces, *, source: Source) -> Iterator[Opened]:
    """The rows of the bytes. Raises Unreadable, also while reading."""
    if source.format == "records":
        records = Records(pieces, encoding=source.encoding)
        yield Opened(records.rows(), source, names=records.keys)
    elif source.format == "delimited":
        lines = lines_of(pieces, encoding=source.encoding)
        yield Opened(delimited_rows(lines, delimiter=source.delimiter), source)
    else:
        # It has no name, so that nothing is left of it however this process ends.
        with tempfile.TemporaryFile() as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            with Reading(file.fileno(), sheet=source.sheet) as reading:
                known = replace(source, sheet=reading.workbook.sheet, sheets=reading.workbook.sheets)
                yield Opened(reading.rows(), known, total=reading.workbook.rows, width=reading.workbook.columns)
