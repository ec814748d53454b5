"""Makes the file of a table, or of what is filtered and sorted of it, as it is at one moment."""
from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Protocol

from django.conf import settings

from tables import selectors, signals
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import TablesError
from tables.interchange.csv_files import write_csv
from tables.interchange.export_slots import places
from tables.interchange.file_names import file_name
from tables.interchange.json_files import write_json
from tables.interchange.xlsx_files import write_xlsx
from tables.operations.filters import Filter
from tables.operations.sorts import SortKey
from tables.selectors import Listed, Table

Find = Callable[[], Table]


class Writer(Protocol):
    """Writes rows as they come, and keeps none of them."""

    def __call__(
        self, file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[Listed]
    ) -> None: ...


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    write: Writer
    content_type: str


# By the ending of their files.
FORMATS = {
    "csv": Format(write_csv, "text/csv; charset=utf-8"),
    "xlsx": Format(write_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "json": Format(write_json, "application/json"),
}


@dataclass(frozen=True)
class View:
    """Which rows, in which order, and which of their cells; all of them without columns."""

    filter: Filter | None = None
    sort: Sequence[SortKey] = ()
    search: str = ""
    columns: Sequence[ColumnSpec] = ()


@dataclass(frozen=True)
class Export:
    """A file that is ready: open at its beginning, without a name on the disk, gone when it is closed."""

    file: IO[bytes]
    size: int
    name: str
    content_type: str


class Stopped(Exception):
    """Nobody wants the file any more."""


def make_export(
    *,
    find: Find,
    view: Callable[[TableShape], View],
    ending: str,
    stop: threading.Event | None = None,
    client: str = "",
) -> Export:
    """The file of one of `FORMATS`. `find` and `view` are asked inside the snapshot, and may refuse.

    It is whole before its first byte is sent, and that is on purpose: a reader may be as slow as it likes without
    holding the snapshot, its connection and one of the few places; what fails on the last row is refused with a
    status and a sentence instead of half a file; and the file says how long it is.

    Raises what they raise, TooMany, Invalid for what the format cannot hold, and Stopped once `stop` is set.
    """
    began, outcome = time.perf_counter(), "error"
    # It has no name, so that nothing is left of it when this process is killed; the parts of a workbook have a folder
    # (temporary_folders.py). DATA_DIR is not in memory, as /tmp may be.
    file = TemporaryFile(dir=settings.DATA_DIR)  # noqa: SIM115  whoever gets it closes it
    try:
        name = write_export(file, find=find, view=view, ending=ending, stop=stop, client=client)
        size = file.tell()
        file.seek(0)
        outcome = "made"
    except BaseException as error:
        file.close()
        outcome = error.code if isinstance(error, TablesError) else "stopped" if isinstance(error, Stopped) else outcome
        raise
    finally:
        signals.export_ended.send_robust(
            sender=make_export, ending=ending, outcome=outcome, seconds=time.perf_counter() - began
        )
    return Export(file, size, name, FORMATS[ending].content_type)


def write_export(
    file: IO[bytes],
    *,
    find: Find,
    view: Callable[[TableShape], View],
    ending: str,
    stop: threading.Event | None = None,
    client: str = "",
) -> str:
    """Writes the same into a file of one's own; gives the name it should have."""
    # The place comes first: however many ask at once, no more connections are opened than files are made.
    with places.taking(client), selectors.snapshot():
        table = find()
        shape = selectors.table_shape(table)
        wanted = view(shape)
        columns = wanted.columns or shape.columns
        rows = selectors.stream_rows(
            table, shape=shape, columns=columns, filter=wanted.filter, sort=wanted.sort, search=wanted.search
        )
        # Closed here and now: left to the garbage collector, the cursor would be closed while somebody else works
        # with the connection, and that thread would wait for itself.
        with closing(rows):
            FORMATS[ending].write(file, title=table.name, columns=columns, rows=_until(stop, rows=rows))
    return file_name(table.name, ending=ending)


def _until(stop: threading.Event | None, *, rows: Iterable[Listed]) -> Iterator[Listed]:
    if stop is None:
        yield from rows
        return
    for row in rows:
        if stop.is_set():
            raise Stopped
        yield row
