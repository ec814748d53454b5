"""Writes rows as a workbook (Office Open XML), row by row into the archive: nothing of it is held in memory."""
from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from tables.column_types import ColumnSpec, get_column_type
from tables.exceptions import Fault, Invalid
from tables.interchange.xlsx_cells import HEAD_STYLE, DoesNotFit, drawing_of, text_cell, xml_text
from tables.selectors import Listed

Pieces = Iterator[str]
BEGINNING = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{KIND}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
    # The styles that `xlsx_cells` speaks of: plain, days, names of columns.
    "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">'
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}
# Names of sheets may neither have these nor be longer; one name is the program's own.
NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f-\x9f\ufffe\uffff]")
LONGEST_SHEET = 31
WIDTHS = {"number": 14, "boolean": 10}
AT_ONCE = 200


def write_xlsx(file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[Listed]) -> None:
    """One sheet: names of columns, which stay in sight, and the rows; numbers, days, truth values and texts as such.

    Days before March 1900 are texts: the format has no such days. Raises Invalid, naming the first cell that the
    format cannot hold as it is.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, part in {**PARTS, "xl/workbook.xml": _workbook(title)}.items():
            # Unlike `writestr`, this writes down no time: the same rows make the same file.
            with archive.open(name, "w") as entry:
                entry.write((BEGINNING + part).encode())
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            waiting: list[str] = []
            for piece in _sheet(columns, rows=rows):
                waiting.append(piece)
                if len(waiting) == AT_ONCE:
                    sheet.write("".join(waiting).encode())
                    waiting.clear()
            sheet.write("".join(waiting).encode())


def letters(place: int) -> str:
    """The letters of a column, counted from 0: A, B, … Z, AA, …"""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(65 + rest) + text
    return text


def _workbook(title: str) -> str:
    name = " ".join(NOT_IN_SHEETS.sub(" ", title).split())[:LONGEST_SHEET].strip(" '")
    # Characters beyond U+FFFF count twice.
    while len(name.encode("utf-16-le")) > 2 * LONGEST_SHEET:
        name = name[:-1]
    name = "Table" if not name or name.lower() == "history" else name
    sheet = f'<sheet name="{xml_text(name).replace(chr(34), "&quot;")}" sheetId="1" r:id="rId1"/>'
    return f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{sheet}</sheets></workbook>'


def _sheet(columns: Sequence[ColumnSpec], *, rows: Iterable[Listed]) -> Pieces:
    places = [letters(number) for number in range(len(columns))]
    yield f'{BEGINNING}<worksheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0">'
    yield '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    if columns:
        yield f"<cols>{''.join(_width(column, number=number) for number, column in enumerate(columns, start=1))}</cols>"
    yield f'<sheetData><row r="1">{"".join(_heads(columns, places=places))}</row>'
    drawings = [drawing_of(column) for column in columns]
    for number, (row_id, cells) in enumerate(rows, start=2):
        try:
            drawn = [
                draw(cell, f"{letter}{number}")
                for cell, letter, draw in zip(cells, places, drawings, strict=True)
                if cell is not None
            ]
        except DoesNotFit:
            raise _first_that_does_not_fit(columns, row_id=row_id, number=number, cells=cells) from None
        yield f'<row r="{number}">{"".join(drawn)}</row>'
    yield "</sheetData></worksheet>"


def _heads(columns: Sequence[ColumnSpec], *, places: Sequence[str]) -> Pieces:
    for column, letter in zip(columns, places, strict=True):
        try:
            yield text_cell(column.name, place=f"{letter}1", style=f' s="{HEAD_STYLE}"')
        except DoesNotFit as why:
            detail = f"The name of column “{column.name}” {why}. Export it as CSV instead."
            fault = Fault(path=f"columns.{column.name}", code="not_for_xlsx", detail=detail)
            raise Invalid(detail, code="not_for_xlsx", faults=(fault,), extra={"instead": "csv"}) from None


def _width(column: ColumnSpec, *, number: int) -> str:
    width = WIDTHS.get(column.type, 12 if get_column_type(column.type).has_days else 24)
    return f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'


def _first_that_does_not_fit(
    columns: Sequence[ColumnSpec], *, row_id: int, number: int, cells: Sequence[Any]
) -> Invalid:
    for column, cell in zip(columns, cells, strict=True):
        try:
            if cell is not None:
                drawing_of(column)(cell, "A1")
        except DoesNotFit as why:
            where = f"Row {number - 1:,} of the export, column “{column.name}”"
            detail = f"{where}: the cell {why}. Export it as CSV instead."
            fault = Fault(path=f"rows[{number - 2}].{column.name}", code="not_for_xlsx", detail=detail)
            return Invalid(detail, code="not_for_xlsx", faults=(fault,), extra={"row_id": row_id, "instead": "csv"})
    raise AssertionError("a row that did not fit holds no such cell")
