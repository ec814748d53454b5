"""Run an import: read a file into staged rows in batches, and write them once all decisions have been made."""
from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from shared import strictjson
from shared.user_messages import Message, declare, declare_plural, message_fields
from tables import signals
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.column_types.files import FileDirectory
from tables.column_types.limits import LIMITS
from tables.column_types.row_digest import RowDigest
from tables.exceptions import Invalid, TablesError
from tables.importing.archived_files import ArchivedFiles
from tables.importing.file_formats.open_file import OpenFile, open_rows
from tables.importing.file_formats.records import without_ids
from tables.importing.file_formats.source import RawRow, Source, without_header
from tables.importing.names import UNNAMED
from tables.importing.row_reading import ReadRow, RowReader, default_values
from tables.importing.targets import Target, read_targets, with_options
from tables.models import Import, RefusedCells, StagedRows, new_column_id
from tables.selectors.imports import RUNNING
from tables.selectors.people import people_of_new_table
from tables.services.files.archived import ArchivedContents, discard_contents
from tables.services.imports.progress import ReadingProgress
from tables.services.imports.row_keys import KeyCache, key_cache
from tables.services.imports.staged_rows import StagedRow, UnmatchedRow, staged_text
from tables.services.imports.uploads import delete_staged, shape_of
from tables.services.imports.writing import ImportStopped, key_columns, require_import_access, write_import
from tables.services.pipeline.planned_rows import TOO_MANY_ROWS

NOTHING_TO_IMPORT = declare("nothing_to_import", "There are no rows to import.")
CELLS_CANNOT_BE_READ = declare_plural(
    "cells_cannot_be_read",
    "1 cell is not valid. Nothing was imported.",
    "{count:,} cells are not valid. Nothing was imported.",
)
TOO_MANY_REFUSED_CELLS = declare(
    "too_many_refused_cells", "More than {count:,} cells are not valid. Check the column types."
)
IMPORT_FAILED = declare(
    "import_failed", "Something went wrong on our side. Nothing was imported; try again."
)
log = logging.getLogger(__name__)
Json = dict[str, Any]
# Rows, and about how many characters of their cells, that are staged together.
ROWS_PER_BATCH = 1_000
MAX_BATCH_LENGTH = 2_000_000
MAX_REFUSED_CELLS = 100_000
State = Import.State


def run_import(*, import_id: int, run: uuid.UUID) -> str:
    """Run an import, from the beginning if an earlier worker was interrupted; return the resulting state.

    The table contains either no rows of the file or all of them, even if the worker is killed.
    """
    imported = Import.objects.filter(pk=import_id, run=run, state__in=RUNNING).select_related("user", "table").first()
    if imported is None:
        _delete_staged_of_done(import_id, run=run)
        return "void"
    started = time.monotonic()
    log.info("import %s of user %s started", imported.pk, imported.user_id)
    try:
        return _run(imported)
    finally:
        log.info(
            "import %s ended: %s, %s rows in %.1f s",
            imported.pk, imported.state, (imported.counts or {}).get("rows", 0), time.monotonic() - started,
        )  # fmt: skip


def _run(imported: Import) -> str:
    try:
        with key_cache() as keys:
            if imported.state != State.WRITING and not _stage(imported, keys=keys):
                return str(imported.state)
            # Also for a run that was interrupted while writing: it updates `heartbeat_at`.
            _update_run(imported, state=State.WRITING)
            write_import(imported, keys=keys)
        delete_staged(imported, refused=False)
    except ImportStopped:
        delete_staged(imported)
        return "void"
    except TablesError as error:
        faults = [fault.as_json() for fault in error.faults[:100]]
        _fail(imported, code=error.code, message=error.message, errors=faults)
        delete_staged(imported, refused=False)
    except Exception as error:
        # A worker that is shut down leaves the import as it is, and another one starts again.
        if not isinstance(error, DatabaseError) or _is_running(imported):
            _fail(imported, code="internal", message=IMPORT_FAILED())
            raise
        return "void"
    return str(imported.state)


def _delete_staged_of_done(import_id: int, *, run: uuid.UUID) -> None:
    """Delete the staged rows of a run that is done, whose worker may have been killed before it did so."""
    done = Import.objects.filter(pk=import_id, run=run, state=State.DONE).first()
    if done is not None:
        delete_staged(done, refused=False)


def _stage(imported: Import, *, keys: KeyCache) -> bool:
    """Stage all rows; return whether they are to be written now.

    Raises ImportStopped when it was cancelled.
    """
    # Before the file is read, so that a worker killed by its first rows is detected as well.
    _update_run(imported, state=State.READING)
    delete_staged(imported)
    shape = shape_of(imported)
    targets = read_targets(imported.choices, shape=shape, new_id=new_column_id)
    if shape is None:
        people = people_of_new_table(imported.user)
        targets = [replace(each, column=replace(each.column, people=people)) for each in targets]
    source = Source.from_json(imported.sniffed["source"])
    progress = ReadingProgress(imported)
    with ExitStack() as stored_files:
        with open_rows(progress.pieces(), source=source) as file:
            progress.count_rows(total=file.total)
            names: Mapping[str, str] = {}
            if file.archive is not None:
                progress.count_unpacked(file.archive)
                contents = ArchivedContents(
                    file.archive, user=imported.user, before_each=partial(_store_progress, imported, progress)
                )
                names = contents.names
                # Unless the run goes on.
                stored_files.callback(discard_contents, names)
                targets = _with_files(targets, files=ArchivedFiles(file.archive, stored=contents.store))
            reader = _reader(imported, targets=targets, shape=shape, file=file)
            staged = _stage_rows(
                imported, targets=targets, shape=shape, file=file, reader=reader, progress=progress, keys=keys
            )
        if not staged:
            raise Invalid(NOTHING_TO_IMPORT(), code="no_rows")
        targets = [
            with_options(each, values=reader.collected(each.column.id)) if each.collects else each for each in targets
        ]
        is_decided = _store_plan(imported, targets=targets, shape=shape, files=names)
        stored_files.pop_all()
    return is_decided


def _with_files(targets: Iterable[Target], *, files: FileDirectory) -> list[Target]:
    """Return the targets, of which those of columns with files read them from a directory."""
    return [
        replace(each, column=replace(each.column, files=files)) if get_column_type(each.column.type).has_files else each
        for each in targets
    ]


def _stage_rows(
    imported: Import,
    *,
    targets: list[Target],
    shape: TableShape | None,
    file: OpenFile,
    reader: RowReader,
    progress: ReadingProgress,
    keys: KeyCache,
) -> int:
    """Stage the rows of an open file; return their number."""
    staging = _StagingArea(imported, targets=targets, shape=shape)
    parts = progress.parts(_cells_of(file, targets=targets))
    if imported.choices["merge_on"]:
        rows = _rows_of(reader, parts)
        for row in _matched_by_key(imported, rows=rows, reader=reader, shape=shape, keys=keys):
            staging.take(row, progress=progress.count)
    else:
        _stage_new_rows(staging, parts=parts, reader=reader, progress=progress)
    staging.flush(progress=progress.count)
    return staging.staged


def _cells_of(file: OpenFile, *, targets: list[Target]) -> Iterator[RawRow]:
    rows = without_header(file.rows, source=file.source)
    if file.source.format != "records":
        return rows
    people = {target.index for target in targets if target.column.has_people}
    return ((number, without_ids(cells, people=people)) for number, cells in rows)


def _stage_new_rows(
    staging: _StagingArea, *, parts: Iterable[list[RawRow]], reader: RowReader, progress: ReadingProgress
) -> None:
    for part in parts:
        columns = reader.read_columns(part)
        if columns is not None:
            staging.take_columns(columns, count=len(part), progress=progress.count)
            continue
        for row in _rows_of(reader, [part]):
            staging.take(row, progress=progress.count)


def _rows_of(reader: RowReader, parts: Iterable[list[RawRow]]) -> Iterator[ReadRow]:
    """Read the rows one by one."""
    for part in parts:
        for number, cells in part:
            row = reader.read(number, cells)
            if row is not None:
                yield row


def _store_plan(
    imported: Import, *, targets: list[Target], shape: TableShape | None, files: Mapping[str, str]
) -> bool:
    """Store the columns that the rows were read for, and their files; return whether the rows are to be written."""
    on_refused = imported.choices["on_refused"]
    refused = imported.counts["refused_cells"]
    imported.plan = {
        "targets": [target.as_json() for target in targets],
        "columns": None if shape is None else [column.as_json() for column in shape.columns],
        "files": dict(files),
    }
    if refused and on_refused == "stop":
        raise Invalid(CELLS_CANNOT_BE_READ(count=refused), code="refused_cells")
    imported.state = State.WAITING if refused and on_refused == "ask" else State.WRITING
    _update_run(imported, plan=imported.plan, state=imported.state)
    return imported.state == State.WRITING


def _reader(imported: Import, *, targets: list[Target], shape: TableShape | None, file: OpenFile) -> RowReader:
    choices, filled = imported.choices, {target.column.id for target in targets}
    missing = [column for column in (shape.columns if shape else ()) if _is_needed(column) and column.id not in filled]
    return RowReader(
        targets,
        width=len(imported.sniffed["columns"]),
        names=lambda: list(file.names),
        merge_on=[column.id for column in key_columns(imported, shape=shape)],
        missing=missing,
        clears=choices["empty_cells"] == "clear",
        keeps_empty=choices["empty_rows"] == "keep",
        unnamed=imported.sniffed.get("unnamed", UNNAMED),
    )


def _matched_by_key(
    imported: Import, *, rows: Iterator[ReadRow], reader: RowReader, shape: TableShape | None, keys: KeyCache
) -> Iterator[ReadRow]:
    """Yield the rows with the matches of their keys."""
    columns = key_columns(imported, shape=shape)
    if imported.table is None or shape is None or not columns:
        yield from rows
        return
    known = keys.of(imported.table, columns=columns, shape=shape)
    while part := list(islice(rows, ROWS_PER_BATCH)):
        reader.match_rows(part, keys=known)
        yield from part


def _is_needed(column: ColumnSpec) -> bool:
    return column.required and column.default is None and get_column_type(column.type).registered


class _StagingArea:
    """Rows and refused cells, stored in batches as long as the run continues."""

    def __init__(self, imported: Import, *, targets: list[Target], shape: TableShape | None) -> None:
        self.staged = 0
        self._imported = imported
        self._merges = bool(imported.choices["merge_on"])
        columns = [*(shape.columns if shape else ()), *(target.column for target in targets if target.new)]
        self._defaults = default_values(columns, filled=frozenset(target.column.id for target in targets))
        self._digest = RowDigest(columns)
        # Rows that may update others, with their cells, or new ones in their stored form.
        self._unmatched: list[UnmatchedRow] = []
        self._rows: list[StagedRow] = []
        self._length = 0
        self._faults: list[list[Any]] = []
        self._parts = 0
        imported.counts = {"rows": 0, "refused_cells": 0, "refused_rows": 0, "left_out": 0}

    def take(self, row: ReadRow, *, progress: int) -> None:
        """Add one row."""
        counts = self._imported.counts
        if row.faults:
            self._faults += [cell.as_list() for cell in row.faults]
            counts["left_out" if row.skipped else "refused_rows"] += 1
        if not row.skipped:
            self._take(row.data, refused=1 if row.faults else 0)
            counts["rows"] += 1
        self._flush_full(progress=progress)

    def take_columns(self, columns: Mapping[str, Sequence[Any]], *, count: int, progress: int) -> None:
        """Add new rows without refused cells, whose values are given by column."""
        defaults = {column_id: [value] * count for column_id, value in self._defaults.items()}
        texts = self._digest.of_columns({**defaults, **columns}, count=count)
        self._rows += [(0, each) for each in texts]
        self._length += sum(len(text) for text, *_ in texts)
        self._imported.counts["rows"] += count
        self._flush_full(progress=progress)

    def _flush_full(self, *, progress: int) -> None:
        is_full = len(self._rows) + len(self._unmatched) >= ROWS_PER_BATCH or self._length >= MAX_BATCH_LENGTH
        if is_full or len(self._faults) >= ROWS_PER_BATCH:
            self.flush(progress=progress)

    def flush(self, *, progress: int) -> None:
        """Store the collected rows and cells, in one short transaction.

        Raises ImportStopped, Forbidden when the user may no longer write the table, and Invalid for too many rows or
        faults.
        """
        imported, count = self._imported, len(self._rows) + len(self._unmatched)
        before = imported.counts["refused_cells"]
        imported.counts["refused_cells"] += len(self._faults)
        if imported.counts["refused_cells"] > MAX_REFUSED_CELLS:
            raise Invalid(TOO_MANY_REFUSED_CELLS(count=MAX_REFUSED_CELLS), code="too_many_refused")
        if imported.counts["rows"] > LIMITS.rows:
            raise Invalid(TOO_MANY_ROWS(count=LIMITS.rows), code="too_many_rows")
        with transaction.atomic():
            require_import_access(imported)
            _disable_synchronous_commit()
            _update_run(imported, state=State.READING, counts=imported.counts, progress=progress,
                  progress_end=imported.progress_end)  # fmt: skip
            if count:
                rows = strictjson.dumps(self._unmatched) if self._merges else staged_text(self._rows)
                StagedRows.objects.create(
                    table_id=imported.staged_table_id, imported_id=imported.pk, index=self._parts, rows=rows
                )
            if self._faults:
                RefusedCells.objects.create(imported_id=imported.pk, first=before, cells=self._faults)
        self.staged += count
        self._parts += bool(count)
        self._rows, self._unmatched, self._faults, self._length = [], [], [], 0

    def _take(self, data: Json, *, refused: int) -> None:
        if self._merges:
            self._unmatched.append((refused, data))
            return
        texts = self._digest.of({**self._defaults, **data})
        self._rows.append((refused, texts))
        self._length += len(texts[0])


def _update_run(imported: Import, **fields: Any) -> None:
    """Update fields of a run that still continues. Raises ImportStopped when it does not."""
    mine = Import.objects.filter(pk=imported.pk, run=imported.run, state__in=RUNNING)
    if not mine.update(heartbeat_at=timezone.now(), **fields):
        raise ImportStopped


def _store_progress(imported: Import, progress: ReadingProgress) -> None:
    """Store how much has been read. Raises ImportStopped when the run does not continue."""
    _update_run(imported, progress=progress.count, progress_end=imported.progress_end)


def _fail(imported: Import, *, code: str, message: Message, errors: list[Json] | None = None) -> None:
    """End the run with an error; nothing was written."""
    imported.state = State.FAILED
    error = {"code": code, **message_fields(message), **({"errors": errors} if errors else {})}
    mine = Import.objects.filter(pk=imported.pk, run=imported.run, state__in=RUNNING)
    if mine.update(state=State.FAILED, error=error, ended_at=timezone.now(), counts=imported.counts):
        signals.import_ended.send_robust(sender=Import, outcome=code, added=0, updated=0)


def _disable_synchronous_commit() -> None:
    """Disable waiting for the disk. Staged rows need not survive a crash, because the run starts again afterwards."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit TO off")


def _is_running(imported: Import) -> bool:
    """Return whether the run still continues."""
    return Import.objects.filter(pk=imported.pk, run=imported.run, state__in=RUNNING).exists()
