"""Separate process that reads one workbook and prints its rows as JSON.

A workbook of a few bytes may declare seventeen thousand million cells, or unpack to more than the memory of the
machine. The library loads a whole sheet into memory; the resource limits of this process protect the server.
"""
from __future__ import annotations

import contextlib
import datetime
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from typing import Any

from tables.importing.file_formats.spreadsheet_formats import sheet_details

MAX_MEMORY_BYTES = 2 * 1024**3
MAX_CPU_SECONDS = 60
MAX_UNPACKED_BYTES = 2 * 1024**3
MAX_PARTS = 20_000
BATCH_ROWS = 200
# The parent process has no such limits, so no line is much longer than this and no cell longer than allowed.
BATCH_CHARACTERS = 1_000_000
MAX_CELL_LENGTH = 70_000
# Tables have fewer columns.
MAX_COLUMNS = 600
NICENESS = 10
_dump = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def main(path: str, sheet: str = "") -> None:
    """Print a line about the workbook, then lines with lists of rows `[number, cells]`; or one line with a fault."""
    _limit()
    try:
        for line in _lines(path, sheet=sheet):
            print(line)
    except MemoryError:
        print(_dump({"fault": "too_large"}))


def _lines(path: str, *, sheet: str) -> Iterator[str]:
    # Imported after the limits are set.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        if not _is_within_limits(path):
            yield _dump({"fault": "too_large"})
            return
        workbook = CalamineWorkbook.from_path(path)
        names = [name for name in workbook.sheet_names if name]
        chosen = sheet if sheet in names else _first_filled(workbook, names=names)
        page = workbook.get_sheet_by_name(chosen) if names else None
        rows, columns = (page.height, page.width) if page else (0, 0)
        formats, frozen = sheet_details(path, sheet=chosen) if zipfile.is_zipfile(path) else ({}, 0)
        row, first = page.start if page is not None and page.start is not None else (0, 0)
        formats = {column - first: codes for column, codes in formats.items() if first <= column < first + MAX_COLUMNS}
        size = {"rows": rows, "columns": columns}
        # Several frozen rows may be a title above the header, or a header of several rows.
        yield _dump(
            {"sheets": names, "sheet": chosen, **size, "formats": formats, "is_frozen": row == 0 and frozen == 1}
        )
        if page is not None and page.start is not None:
            yield from _batches(page)
    except PasswordError:
        yield _dump({"fault": "locked"})
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError, OverflowError):
        yield _dump({"fault": "broken"})


def _first_filled(workbook: Any, *, names: list[str]) -> str:
    filled = (name for name in names if workbook.get_sheet_by_name(name).start is not None)
    return next(filled, names[0] if names else "")


def _batches(page: Any) -> Iterator[str]:
    batch: list[list[Any]] = []
    signs = 0
    for number, row in enumerate(page.iter_rows(), start=page.start[0] + 1):
        cells = [_cell_value(value) for value in row[:MAX_COLUMNS]]
        batch.append([number, cells])
        signs += sum(len(cell) for cell in cells if isinstance(cell, str))
        if len(batch) == BATCH_ROWS or signs >= BATCH_CHARACTERS:
            yield _dump(batch)
            batch, signs = [], 0
    yield _dump(batch)


def _is_within_limits(path: str) -> bool:
    """Return whether its unpacked size is within the limits; only zip archives are packed."""
    if not zipfile.is_zipfile(path):
        return True
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        return len(parts) <= MAX_PARTS and sum(part.file_size for part in parts) <= MAX_UNPACKED_BYTES


def _cell_value(value: Any) -> Any:
    """Return a cell as JSON: dates and times in ISO form, midnight as the date alone, durations with units."""
    if isinstance(value, datetime.datetime):
        at_midnight = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return (value.date() if at_midnight else value).isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    if isinstance(value, str):
        return value[:MAX_CELL_LENGTH]
    return value if isinstance(value, bool | int | float) else str(value)


def _duration(value: datetime.timedelta) -> str:
    """Return a duration with its units, so that it is no time of day."""
    seconds, rest = divmod(round(abs(value).total_seconds() * 1_000), 1_000)
    text = f"{seconds // 3_600} h {seconds // 60 % 60} min"
    if seconds % 60 or rest:
        text += f" {seconds % 60}.{rest:03} s" if rest else f" {seconds % 60} s"
    return f"-{text}" if value < datetime.timedelta() else text


def _limit() -> None:
    with contextlib.suppress(AttributeError, OSError):
        # A lower priority than that of the server process.
        os.nice(NICENESS)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
