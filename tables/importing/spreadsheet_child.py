"""A process of its own that reads one workbook and prints its rows as JSON: whatever the file does to it, it does here.

A workbook of a few bytes may claim seventeen thousand million cells, or unpack to more than a machine holds. The reader
takes a sheet into memory at once; this process has limits for that, and no one else goes with it when it ends.
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

MOST_MEMORY = 2 * 1024**3
MOST_SECONDS = 60
MOST_UNPACKED = 2 * 1024**3
MOST_PARTS = 20_000
ROWS_AT_ONCE = 200
# Whoever reads this process has no limits of its own: no line is much longer than this, no cell longer than counts.
SIGNS_AT_ONCE = 1_000_000
MOST_CELL = 70_000
# A table has fewer columns.
MOST_CELLS = 600
KINDNESS = 10
_dump = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def main(path: str, sheet: str = "") -> None:
    """Prints a line about the workbook, then lines with lists of rows `[number, cells]`; or one line with a fault."""
    _limit()
    try:
        for line in _lines(path, sheet=sheet):
            print(line)
    except MemoryError:
        print(_dump({"fault": "too_large"}))


def _lines(path: str, *, sheet: str) -> Iterator[str]:
    # Imported under the limits.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        if not _bears(path):
            yield _dump({"fault": "too_large"})
            return
        workbook = CalamineWorkbook.from_path(path)
        names = [name for name in workbook.sheet_names if name]
        chosen = sheet if sheet in names else _first_filled(workbook, names=names)
        page = workbook.get_sheet_by_name(chosen) if names else None
        rows, columns = (page.height, page.width) if page else (0, 0)
        yield _dump({"sheets": names, "sheet": chosen, "rows": rows, "columns": columns})
        if page is not None and page.start is not None:
            yield from _batches(page)
    except PasswordError:
        yield _dump({"fault": "locked"})
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError):
        yield _dump({"fault": "broken"})


def _first_filled(workbook: Any, *, names: list[str]) -> str:
    filled = (name for name in names if workbook.get_sheet_by_name(name).start is not None)
    return next(filled, names[0] if names else "")


def _batches(page: Any) -> Iterator[str]:
    batch: list[list[Any]] = []
    signs = 0
    for number, row in enumerate(page.iter_rows(), start=page.start[0] + 1):
        cells = [_plain(value) for value in row[:MOST_CELLS]]
        batch.append([number, cells])
        signs += sum(len(cell) for cell in cells if isinstance(cell, str))
        if len(batch) == ROWS_AT_ONCE or signs >= SIGNS_AT_ONCE:
            yield _dump(batch)
            batch, signs = [], 0
    yield _dump(batch)


def _bears(path: str) -> bool:
    """Whether it unpacks to what can be read; other formats than a zip archive are not packed."""
    if not zipfile.is_zipfile(path):
        return True
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        return len(parts) <= MOST_PARTS and sum(part.file_size for part in parts) <= MOST_UNPACKED


def _plain(value: Any) -> Any:
    """A cell as JSON knows it: days and times as ISO says them, a midnight as its day."""
    if isinstance(value, datetime.datetime):
        at_midnight = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return (value.date() if at_midnight else value).isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, str):
        return value[:MOST_CELL]
    return value if isinstance(value, bool | int | float) else str(value)


def _limit() -> None:
    with contextlib.suppress(AttributeError, OSError):
        # Others' requests come first.
        os.nice(KINDNESS)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
