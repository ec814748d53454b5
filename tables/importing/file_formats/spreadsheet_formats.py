"""Details of a sheet of an XLSX workbook, which the library for reading workbooks does not return.

These are the number formats of its cells, and how many rows are frozen.

Only the first rows are read, in pieces, so that the memory does not depend on the size of the sheet.
"""
from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from xml.parsers import expat

# As many as are examined to guess the types of columns.
MAX_ROWS = 1_000
MAX_CELLS = 50_000
# A column with more formats has none.
MAX_FORMATS_OF_COLUMN = 8
MAX_FORMATS = 5_000
MAX_STYLES = 70_000
MAX_FORMAT_LENGTH = 255
PIECE_BYTES = 64 * 1024
GENERAL = "General"
# Formats without a definition in the workbook. Those of money depend on the language of the program and are not known.
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 37: "#,##0", 38: "#,##0", 39: "#,##0.00",
    40: "#,##0.00", 41: "#,##0", 43: "#,##0.00",
}  # fmt: skip
CELL = re.compile(r"([A-Z]{1,3})[0-9]+")
Start = Callable[[str, dict[str, str]], None]
Formats = dict[int, list[str]]


class _Enough(Exception):
    """The rest of a part need not be read."""


def sheet_details(path: str, *, sheet: str) -> tuple[Formats, int]:
    """Return the number formats of the cells with numbers by column of the sheet, and the number of frozen rows.

    Columns are counted from 0. ({}, 0) if the sheet cannot be read.
    """
    unreadable = (expat.ExpatError, KeyError, ValueError, RuntimeError, OSError, zipfile.BadZipFile, zlib.error)
    with suppress(*unreadable), zipfile.ZipFile(path) as archive:
        part = _part_of_sheet(archive, sheet=sheet)
        return _details(archive, part=part, styles=_styles(archive)) if part else ({}, 0)
    return {}, 0


def _part_of_sheet(archive: zipfile.ZipFile, *, sheet: str) -> str:
    """Return the name of the part with the cells of a sheet, "" if there is none."""
    relations: dict[str, str] = {}
    targets: dict[str, str] = {}

    def sheets(name: str, fields: dict[str, str]) -> None:
        if name == "sheet":
            ids = [value for key, value in fields.items() if key.endswith(":id")]
            relations[fields.get("name", "")] = ids[0] if ids else ""

    def relationships(name: str, fields: dict[str, str]) -> None:
        if name == "Relationship":
            targets[fields.get("Id", "")] = fields.get("Target", "")

    _read(archive, "xl/workbook.xml", start=sheets)
    _read(archive, "xl/_rels/workbook.xml.rels", start=relationships)
    target = targets.get(relations.get(sheet, ""), "")
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}" if target else ""


def _styles(archive: zipfile.ZipFile) -> list[str]:
    """Return the number format of each style of cells."""
    defined: dict[int, str] = {}
    styles: list[str] = []
    parents: list[str] = []

    def start(name: str, fields: dict[str, str]) -> None:
        if name == "numFmt" and len(defined) < MAX_FORMATS:
            defined[int(fields.get("numFmtId", 0))] = fields.get("formatCode", "")[:MAX_FORMAT_LENGTH]
        elif name == "xf" and parents[-1:] == ["cellXfs"]:
            number = int(fields.get("numFmtId", 0))
            styles.append(defined.get(number) or BUILT_IN.get(number, GENERAL))
            if len(styles) == MAX_STYLES:
                raise _Enough
        parents.append(name)

    _read(archive, "xl/styles.xml", start=start, end=lambda name: parents.pop())
    return styles


def _details(archive: zipfile.ZipFile, *, part: str, styles: list[str]) -> tuple[Formats, int]:
    found: dict[int, set[str]] = {}
    rows = cells = column = frozen = 0
    style: str | None = None

    def start(name: str, fields: dict[str, str]) -> None:
        nonlocal rows, cells, column, frozen, style
        if name == "pane" and fields.get("state") == "frozen":
            frozen = int(float(fields.get("ySplit", 0)))
        elif name == "row":
            rows, column = rows + 1, -1
            if rows > MAX_ROWS or cells > MAX_CELLS:
                raise _Enough
        elif name == "c":
            cells += 1
            position = CELL.fullmatch(fields.get("r", ""))
            column = _column_number(position[1]) if position else column + 1
            number = int(fields.get("s", 0))
            is_number = fields.get("t", "n") == "n"
            style = (styles[number] if 0 <= number < len(styles) else GENERAL) if is_number else None
        elif name == "v" and style is not None:
            formats = found.setdefault(column, set())
            formats.add(style if len(formats) < MAX_FORMATS_OF_COLUMN else GENERAL)
            style = None

    _read(archive, part, start=start)
    return {column: sorted(formats) for column, formats in found.items()}, frozen


def _column_number(letters: str) -> int:
    """Return the number of a column from 0: of AA, 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _read(archive: zipfile.ZipFile, part: str, *, start: Start, end: Callable[[str], Any] | None = None) -> None:
    """Read an XML part; `start` and `end` get the names of elements without prefixes. Declarations are refused."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise ValueError("document type")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, fields: start(name.rpartition(":")[2], fields)
    if end is not None:
        parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    with suppress(_Enough), archive.open(part) as stream:
        for piece in _pieces(stream):
            parser.Parse(piece, False)


def _pieces(stream: Any) -> Iterator[bytes]:
    while piece := stream.read(PIECE_BYTES):
        yield piece
