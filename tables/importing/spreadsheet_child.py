"""A process of its own that reads one workbook and prints its rows as JSON: whatever the file does to it, it does here.

A workbook of a few bytes may claim seventeen thousand million cells, or unpack to more than a machine holds. The reader
takes a sheet into memory at once; this process has limits for that, and no one else goes with it when it ends.
"""
from __future__ import annotations

import contextlib
import datetime
import json
import sys
import zipfile
from collections.abc import Iterator
from typing import Any

MOST_MEMORY = 2 * 1024**3
MOST_SECONDS = 120
MOST_UNPACKED = 2 * 1024**3
MOST_PARTS = 20_000
ROWS_AT_ONCE = 200
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
        yield _dump({"sheets": names, "sheet": chosen, "rows": page.height if page else 0})
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
    for number, row in enumerate(page.iter_rows(), start=page.start[0] + 1):
        batch.append([number, [_plain(value) for value in row]])
        if len(batch) == ROWS_AT_ONCE:
            yield _dump(batch)
            batch = []
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
    return value if isinstance(value, str | bool | int | float) else str(value)


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
