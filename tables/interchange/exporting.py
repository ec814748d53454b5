"""Export a table, or its filtered and sorted rows, as a file with a consistent state."""
from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Protocol

from django.conf import settings

from shared.user_messages import declare
from tables import selectors, signals
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import TablesError, TooMany
from tables.interchange.file_names import file_name
from tables.interchange.origin_columns import with_origins
from tables.interchange.text_files import write_csv, write_json
from tables.interchange.xlsx_files import write_xlsx
from tables.interchange.zip_files import write_zip
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors import ListedRow, Table

Find = Callable[[], Table]
OTHER_EXPORTS_RUN = declare(
    "other_exports_run", "Other exports are running. Try again in a few seconds."
)
OWN_EXPORT_RUNS = declare(
    "own_export_runs", "Another export of yours is running. Try again in a few seconds."
)

# The format with the files in cells.
WITH_FILES = "zip"
MAX_PARALLEL_EXPORTS = 2
RETRY_AFTER = 5


class Writer(Protocol):
    """Writes rows as they are read, without storing them. May return steps that write what is not in the database."""

    def __call__(
        self, file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[ListedRow]
    ) -> Iterator[None] | None: ...


@dataclass(frozen=True)
class Format:
    """A file format."""

    write: Writer
    content_type: str


# By file extension.
FORMATS = {
    "csv": Format(write_csv, "text/csv; charset=utf-8"),
    "xlsx": Format(write_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "json": Format(write_json, "application/json"),
    WITH_FILES: Format(write_zip, "application/zip"),
}


@dataclass(frozen=True)
class View:
    """Filter, sort order, search and columns of an export; without columns, all of them.

    With `origins`, columns with the confidence and the sources of values are added.
    """

    filter: Filter | None = None
    sort: Sequence[SortKey] = ()
    search: str = ""
    columns: Sequence[ColumnSpec] = ()
    origins: bool = False


@dataclass(frozen=True)
class Export:
    """A complete file, open at position 0. It has no name on disk and is deleted when it is closed."""

    file: IO[bytes]
    size: int
    name: str
    content_type: str


class ExportSlots:
    """A limited number of export slots, at most one per client."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._clients: set[str] = set()
        self._lock = threading.Lock()

    @contextmanager
    def take(self, client: str = "") -> Iterator[None]:
        """Hold a slot in the context. Raises TooMany if none is free, or if this client has one already.

        Without a client, as in management commands, only the number of slots counts.
        """
        with self._lock:
            if not self._free:
                raise TooMany(OTHER_EXPORTS_RUN(), extra={"retry_after": RETRY_AFTER})
            if client and client in self._clients:
                raise TooMany(OWN_EXPORT_RUNS(), extra={"retry_after": RETRY_AFTER})
            self._free -= 1
            self._clients.add(client)
        try:
            yield
        finally:
            with self._lock:
                self._free += 1
                self._clients.discard(client)


export_slots = ExportSlots(MAX_PARALLEL_EXPORTS)


class Stopped(Exception):
    """The client has disconnected, so the export was cancelled."""


def create_export(
    *,
    find: Find,
    view: Callable[[TableShape], View],
    ending: str,
    stop: threading.Event | None = None,
    client: str = "",
) -> Export:
    """Return the file in one of `FORMATS`. `find` and `view` are called in the snapshot and may raise.

    The file is complete before its first byte is sent. Thus a slow client does not hold the snapshot, its connection
    and an export slot; a failure in the last row is a status and a message instead of half a file; and the response has
    a Content-Length.

    Raises their errors, TooMany, Invalid for values that the format cannot hold, and Stopped once `stop` is set.
    """
    began, outcome = time.perf_counter(), "error"
    # The file has no name, so that nothing is left of it if this process is killed. The parts of a workbook are in a
    # folder (temporary_folders.py). DATA_DIR is not in memory, as /tmp may be.
    file = TemporaryFile(dir=settings.DATA_DIR)  # noqa: SIM115  closed by the caller
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
            sender=create_export, ending=ending, outcome=outcome, seconds=time.perf_counter() - began
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
    """Write the export to an open file, and return its file name."""
    # The slot is taken first, so that there are never more connections than exports.
    with export_slots.take(client):
        name, steps = _write_rows(file, find=find, view=view, ending=ending, stop=stop)
        for _ in steps or ():
            if stop is not None and stop.is_set():
                raise Stopped
    return name


def _write_rows(
    file: IO[bytes],
    *,
    find: Find,
    view: Callable[[TableShape], View],
    ending: str,
    stop: threading.Event | None,
) -> tuple[str, Iterator[None] | None]:
    """Write the rows from a snapshot; return the file name, and the steps that write the rest."""
    with selectors.snapshot():
        table = find()
        shape = selectors.table_shape(table)
        wanted = view(shape)
        columns = wanted.columns or shape.columns
        rows = selectors.stream_rows(
            table, shape=shape, columns=columns, filter=wanted.filter, sort=wanted.sort, search=wanted.search
        )
        # If the cursor were left to the garbage collector, it could be closed while another thread uses the connection,
        # which would then wait for itself.
        with closing(rows):
            found = _until(stop, rows=rows)
            written = with_origins(table, columns=columns, rows=found) if wanted.origins else (columns, found)
            steps = FORMATS[ending].write(file, title=table.name, columns=written[0], rows=written[1])
    return file_name(table.name, ending=ending), steps


def _until(stop: threading.Event | None, *, rows: Iterable[ListedRow]) -> Iterator[ListedRow]:
    if stop is None:
        yield from rows
        return
    for row in rows:
        if stop.is_set():
            raise Stopped
        yield row
