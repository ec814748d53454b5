"""Write rows as a workbook (Office Open XML) with XlsxWriter, which writes each row to a temporary file at once."""
from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import IO, Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from shared.locales.active import current_tag
from shared.locales.sheet_formats import day_format, moment_format
from shared.user_messages import Message, declare
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.display_locale import display_locale
from tables.exceptions import Fault, Invalid
from tables.interchange.temporary_folders import temporary_folder
from tables.selectors import ListedRow

NAME_NOT_FOR_XLSX = declare(
    "name_not_for_xlsx", "The name of column “{column}” {why}. Export it as CSV instead."
)
TOO_MANY_ROWS_FOR_XLSX = declare(
    "too_many_rows_for_xlsx",
    "Excel files can have at most {limit:,} rows, and this export has more. Export as CSV instead.",
)
CELL_NOT_FOR_XLSX = declare(
    "cell_not_for_xlsx",
    "Row {number:,} of the export, column “{column}”: the cell {why}. Export it as CSV instead.",
)

# Clauses after “the cell” or the name of a column.
TEXT_DOES_NOT_FIT = declare(
    "text_does_not_fit", "has {count:,} characters, more than the {limit:,} of an Excel cell"
)
CHARACTER_DOES_NOT_FIT = declare(
    "character_does_not_fit", "contains the control character {character}, which Excel files do not support"
)
NUMBER_DOES_NOT_FIT = declare(
    "number_does_not_fit", "is {number}, and an Excel file holds numbers up to {greatest} and from {least} on"
)

# Without the header row.
MAX_ROWS = 1_048_575
MAX_CHARACTERS = 32_767
MAX_NUMBER = 9.99999999999999e307
MIN_NUMBER = sys.float_info.min
# The format has a February 29 in 1900, so earlier dates are shifted.
FIRST_DAY = "1900-03-01"
INVALID_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# Characters that are invalid in sheet names, the maximum length, and one reserved name.
INVALID_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f-\x9f\ufffe\uffff]")
MAX_SHEET_NAME_LENGTH = 31
# Fixed, so that the same rows give the same file.
CREATED = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)

WriteCell = Callable[[int, int, Any], None]


class DoesNotFit(ValueError):
    """A value that a workbook cannot represent; `message` is the reason, to be placed after “the cell”."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class ExactWorksheet(Worksheet):
    """A worksheet that writes cells exactly: all digits of a number, and texts that look like rich text."""

    def _xml_number_element(self, number: float, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        # XlsxWriter writes 16 significant digits; a float may need 17.
        attr = "".join(f' {name}="{value}"' for name, value in attributes)
        self.fh.write(f"<c{attr}><v>{number!r}</v></c>")

    def close_rows(self) -> None:
        """Close the file of rows, which XlsxWriter leaves open if the workbook is not completed."""
        self._opt_close()

    def _xml_rich_inline_string(self, string: str, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        # XlsxWriter treats a text between <r> and </r> as rich text and does not escape it. Exports have no rich text.
        self._xml_inline_string(string, True, attributes)


def write_xlsx(file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[ListedRow]) -> None:
    """Write one sheet with a fixed header row; numbers, dates, booleans and texts have their own types.

    Numbers and dates are shown as on pages, in the locale of the user; durations are days, as in spreadsheets. Moments
    are local times.
    Dates before March 1900 are texts, because the format does not have them. Raises Invalid with the first cell that
    the format cannot hold.
    """
    with temporary_folder() as folder:
        book = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        book.use_zip64()
        book.set_properties({"created": CREATED})
        sheet = book.add_worksheet(_sheet_name(title), ExactWorksheet)
        try:
            sheet.freeze_panes(1, 0)
            _write_heads(sheet, columns, head=book.add_format({"bold": True}))
            formats = _NumberFormats(book)
            writers = [_cell_writer(sheet, column, formats=formats) for column in columns]
            for number, (row_id, cells) in enumerate(rows, start=1):
                if number > MAX_ROWS:
                    raise _too_many_rows()
                for index, (cell, write) in enumerate(zip(cells, writers, strict=True)):
                    if cell is not None:
                        try:
                            write(number, index, cell)
                        except DoesNotFit as why:
                            raise _cell_refused(columns[index], row_id=row_id, number=number, why=why) from None
            book.close()
        finally:
            sheet.close_rows()


def _sheet_name(title: str) -> str:
    name = " ".join(INVALID_IN_SHEET_NAMES.sub(" ", title).split())[:MAX_SHEET_NAME_LENGTH].strip(" '")
    # Characters beyond U+FFFF count twice.
    while len(name.encode("utf-16-le")) > 2 * MAX_SHEET_NAME_LENGTH:
        name = name[:-1].rstrip(" '")
    return "Table" if not name or name.lower() == "history" else name


def _write_heads(sheet: Worksheet, columns: Sequence[ColumnSpec], *, head: Format) -> None:
    for index, column in enumerate(columns):
        sheet.set_column(index, index, get_column_type(column.type).sheet_width)
        try:
            check_text(column.name)
        except DoesNotFit as why:
            message = NAME_NOT_FOR_XLSX(column=column.name, why=why.message)
            raise _refusal(message, path=f"columns.{column.name}") from None
        sheet.write_string(0, index, column.name, head)


class _NumberFormats(dict[str, Format | None]):
    """The formats of cells by their number format, which are created when they are first used."""

    def __init__(self, book: Workbook) -> None:
        super().__init__({"": None})
        self._book = book

    def __missing__(self, number_format: str) -> Format:
        self[number_format] = created = self._book.add_format({"num_format": number_format})
        return created


def _cell_writer(sheet: Worksheet, column: ColumnSpec, *, formats: _NumberFormats) -> WriteCell:
    """Return the function that writes a filled cell of the column. It raises DoesNotFit."""
    kind, locale = get_column_type(column.type), display_locale(current_tag())

    def write(row: int, index: int, value: Any) -> None:
        if column.has_people:
            value = kind.text_in(value, column)
        if isinstance(value, bool):
            sheet.write_boolean(row, index, value)
        elif isinstance(value, int | float):
            number = kind.sheet_value(value, column)
            if isinstance(number, str):
                sheet.write_string(row, index, number)
                return
            check_number(number)
            sheet.write_number(row, index, number, formats[kind.sheet_format(value, column, locale)])
        elif kind.has_days and (date := fitting_day(kind.edit_text(value, column))):
            is_day = value == date.isoformat()
            sheet.write_datetime(row, index, date, formats[(day_format if is_day else moment_format)(locale.tag)])
        else:
            text = value if isinstance(value, str) else kind.text(value)
            check_text(text)
            # `write` would turn texts into formulas and links.
            sheet.write_string(row, index, text)

    return write


def _too_many_rows() -> Invalid:
    return _refusal(TOO_MANY_ROWS_FOR_XLSX(limit=MAX_ROWS), path="rows")


def _cell_refused(column: ColumnSpec, *, row_id: int, number: int, why: DoesNotFit) -> Invalid:
    message = CELL_NOT_FOR_XLSX(number=number, column=column.name, why=why.message)
    return _refusal(message, path=f"rows[{number - 1}].{column.name}", row_id=row_id)


def _refusal(message: Message, *, path: str, **extra: Any) -> Invalid:
    fault = Fault(path=path, code="not_for_xlsx", message=message)
    return Invalid(message, code="not_for_xlsx", faults=(fault,), extra={**extra, "instead": "csv"})


def check_text(text: str) -> None:
    """Raise DoesNotFit for a text that is too long, and for characters that are invalid in XML."""
    if len(text) > MAX_CHARACTERS // 2 and (units := _units(text)) > MAX_CHARACTERS:
        raise DoesNotFit(TEXT_DOES_NOT_FIT(count=units, limit=MAX_CHARACTERS))
    if invalid := INVALID_CHARACTERS.search(text):
        raise DoesNotFit(CHARACTER_DOES_NOT_FIT(character=f"U+{ord(invalid[0]):04X}"))


def check_number(value: int | float) -> None:
    """Raise DoesNotFit for a number that is too large, or too close to zero."""
    if abs(value) > MAX_NUMBER or 0 < abs(value) < MIN_NUMBER:
        # In Python's notation, with all digits and an exponent, in every language.
        limits = {"greatest": repr(MAX_NUMBER), "least": repr(MIN_NUMBER)}
        raise DoesNotFit(NUMBER_DOES_NOT_FIT(number=repr(value), **limits))


def fitting_day(text: str) -> datetime.date | None:
    """Return the date, or the local date and time, or None if the format cannot represent it, so that it stays text."""
    if text < FIRST_DAY:
        return None
    for read in (datetime.date.fromisoformat, datetime.datetime.fromisoformat):
        with suppress(ValueError):
            found = read(text)
            # The format has no time zones.
            return None if isinstance(found, datetime.datetime) and found.tzinfo else found
    return None


def _units(text: str) -> int:
    """Return the length as the format counts it: characters beyond U+FFFF count twice."""
    return len(text.encode("utf-16-le")) // 2
