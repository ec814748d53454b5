"""Writes rows as a workbook (Office Open XML) with XlsxWriter: each row goes to a temporary file at once."""
from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from tables.column_types import ColumnSpec, get_column_type
from tables.exceptions import Fault, Invalid
from tables.interchange.temporary_folders import temporary_folder
from tables.interchange.xlsx_limits import MAX_ROWS, DoesNotFit, check_number, check_text, fitting_day
from tables.selectors import Listed
from user_messages import Message, declare

NAME_NOT_FOR_XLSX = declare(
    "name_not_for_xlsx", "The name of column “{column}” {why}. Export it as CSV instead."
)
TOO_MANY_ROWS_FOR_XLSX = declare(
    "too_many_rows_for_xlsx", "An Excel file holds {limit:,} rows, and these are more. Export them as CSV instead."
)
CELL_NOT_FOR_XLSX = declare(
    "cell_not_for_xlsx",
    "Row {number:,} of the export, column “{column}”: the cell {why}. Export it as CSV instead.",
)

# Characters that names of sheets cannot have, and their greatest length; one name is the program's own.
NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f-\x9f\ufffe\uffff]")
LONGEST_SHEET = 31
WIDTHS = {"number": 14, "boolean": 10}
DAY_WIDTH, TEXT_WIDTH = 12, 24
# Fixed, so that the same rows make the same file.
CREATED = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)

WriteCell = Callable[[int, int, Any], None]


class ExactWorksheet(Worksheet):
    """A worksheet whose cells hold what was written: all digits of a number, and texts that look like rich text."""

    def _xml_number_element(self, number: float, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        # XlsxWriter writes 16 significant digits; a float may need 17.
        attr = "".join(f' {name}="{value}"' for name, value in attributes)
        self.fh.write(f"<c{attr}><v>{number!r}</v></c>")

    def close_rows(self) -> None:
        """Close the file of rows, which is left open by a workbook that is not completed."""
        self._opt_close()

    def _xml_rich_inline_string(self, string: str, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        # XlsxWriter takes a text between <r> and </r> for markup and does not escape it. There is no rich text here.
        self._xml_inline_string(string, True, attributes)


def write_xlsx(file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[Listed]) -> None:
    """One sheet: names of columns, which stay in sight, and the rows; numbers, days, truth values and texts as such.

    Days before March 1900 are texts: the format has no such days. Raises Invalid, naming the first cell that the
    format cannot hold as it is.
    """
    with temporary_folder() as folder:
        book = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        book.use_zip64()
        book.set_properties({"created": CREATED})
        sheet = book.add_worksheet(_sheet_name(title), ExactWorksheet)
        try:
            sheet.freeze_panes(1, 0)
            _write_heads(sheet, columns, head=book.add_format({"bold": True}))
            day = book.add_format({"num_format": "yyyy-mm-dd"})
            writers = [_cell_writer(sheet, column, day=day) for column in columns]
            for number, (row_id, cells) in enumerate(rows, start=1):
                if number > MAX_ROWS:
                    raise _too_many_rows()
                for place, (cell, write) in enumerate(zip(cells, writers, strict=True)):
                    if cell is not None:
                        try:
                            write(number, place, cell)
                        except DoesNotFit as why:
                            raise _cell_refused(columns[place], row_id=row_id, number=number, why=why) from None
            book.close()
        finally:
            sheet.close_rows()


def _sheet_name(title: str) -> str:
    name = " ".join(NOT_IN_SHEETS.sub(" ", title).split())[:LONGEST_SHEET].strip(" '")
    # Characters beyond U+FFFF count twice.
    while len(name.encode("utf-16-le")) > 2 * LONGEST_SHEET:
        name = name[:-1].rstrip(" '")
    return "Table" if not name or name.lower() == "history" else name


def _width(column: ColumnSpec) -> int:
    """The width of a column in characters."""
    return WIDTHS.get(column.type, DAY_WIDTH if get_column_type(column.type).has_days else TEXT_WIDTH)


def _write_heads(sheet: Worksheet, columns: Sequence[ColumnSpec], *, head: Format) -> None:
    for place, column in enumerate(columns):
        sheet.set_column(place, place, _width(column))
        try:
            check_text(column.name)
        except DoesNotFit as why:
            message = NAME_NOT_FOR_XLSX(column=column.name, why=why.message)
            raise _refusal(message, path=f"columns.{column.name}") from None
        sheet.write_string(0, place, column.name, head)


def _cell_writer(sheet: Worksheet, column: ColumnSpec, *, day: Format) -> WriteCell:
    """How a filled cell of the column is written. What it returns raises DoesNotFit."""
    kind = get_column_type(column.type)

    def write(row: int, place: int, value: Any) -> None:
        if isinstance(value, bool):
            sheet.write_boolean(row, place, value)
        elif isinstance(value, int | float):
            check_number(value)
            sheet.write_number(row, place, value)
        elif kind.has_days and (date := fitting_day(value)):
            sheet.write_datetime(row, place, date, day)
        else:
            text = value if isinstance(value, str) else kind.text(value)
            check_text(text)
            # Never `write`, which makes formulas and links of texts that look like them.
            sheet.write_string(row, place, text)

    return write


def _too_many_rows() -> Invalid:
    return _refusal(TOO_MANY_ROWS_FOR_XLSX(limit=MAX_ROWS), path="rows")


def _cell_refused(column: ColumnSpec, *, row_id: int, number: int, why: DoesNotFit) -> Invalid:
    message = CELL_NOT_FOR_XLSX(number=number, column=column.name, why=why.message)
    return _refusal(message, path=f"rows[{number - 1}].{column.name}", row_id=row_id)


def _refusal(message: Message, *, path: str, **extra: Any) -> Invalid:
    fault = Fault(path=path, code="not_for_xlsx", message=message)
    return Invalid(message, code="not_for_xlsx", faults=(fault,), extra={**extra, "instead": "csv"})
