"""Rows of a workbook (XLSX and others), read in a separate process that may be killed by its limits."""
from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared.user_messages import declare
from tables.importing.file_formats.source import RawRow, Unreadable

ROOT = Path(__file__).resolve().parents[3]
ZIP_SIGNATURE = b"PK\x03\x04"
COMPOUND_FILE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WORKBOOK_TOO_LARGE = declare(
    "workbook_too_large", "This workbook is too large. Save the sheet as CSV and import that."
)
WORKBOOK_LOCKED = declare(
    "workbook_locked", "This workbook is password-protected. Remove the password and try again."
)
WORKBOOK_BROKEN = declare(
    "workbook_broken",
    "This workbook cannot be opened. It may be damaged or have the wrong file extension.",
)
# By the fault that the child process reports.
FAULTS = {"too_large": WORKBOOK_TOO_LARGE, "locked": WORKBOOK_LOCKED, "broken": WORKBOOK_BROKEN}


@dataclass(frozen=True)
class Workbook:
    """A workbook before its rows are read: all sheets, the selected one, and its size.

    `formats` are the number formats of the cells with numbers in the first rows, by the index of their column.
    `is_frozen`: whether the first row with cells does not scroll.
    """

    sheets: tuple[str, ...]
    sheet: str
    rows: int
    columns: int
    formats: Mapping[int, Sequence[str]] = field(default_factory=dict)
    is_frozen: bool = False


def is_spreadsheet(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is a workbook."""
    return head.startswith((ZIP_SIGNATURE, COMPOUND_FILE_SIGNATURE))


class WorkbookReader:
    """Context manager that reads a workbook in a process, and ends the process on exit.

    `with WorkbookReader(number, sheet="") as reader: reader.workbook; reader.rows()`, where the number is that of an
    open file. Raises Unreadable.
    """

    def __init__(self, number: int, *, sheet: str = "") -> None:
        command = [sys.executable, "-m", "tables.importing.file_formats.spreadsheet_child", f"/dev/fd/{number}", sheet]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            pass_fds=(number,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.workbook = Workbook((), "", 0, 0)

    def __enter__(self) -> WorkbookReader:
        try:
            message = self._line()
            if not isinstance(message, dict):
                raise Unreadable(WORKBOOK_TOO_LARGE(), code="too_large")
            formats = {int(column): codes for column, codes in message["formats"].items()}
            self.workbook = Workbook(
                tuple(message["sheets"]), message["sheet"], message["rows"], message["columns"], formats,
                is_frozen=message["is_frozen"],
            )  # fmt: skip
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()

    def rows(self) -> Iterator[RawRow]:
        """Yield each row with its number in the sheet; empty cells are empty texts."""
        while (batch := self._line()) is not None:
            yield from ((number, cells) for number, cells in batch)
        if self._process.wait() != 0:
            raise Unreadable(WORKBOOK_TOO_LARGE(), code="too_large")

    def _line(self) -> Any:
        """Return the next message of the child; None at its end."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return None
        message = json.loads(line)
        if isinstance(message, dict) and (fault := message.get("fault")):
            code = fault if fault != "broken" else "unreadable_file"
            raise Unreadable(FAULTS[fault](), code=code)
        return message
