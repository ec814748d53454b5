"""Write rows as text files, CSV and JSON, in UTF-8."""
from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Any

from shared import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.column_type import ColumnType
from tables.column_types.value_texts import plain_number
from tables.importing.file_formats.delimited import NEEDS_QUOTES
from tables.importing.type_detection import could_be_name
from tables.operations.formula_escaping import escape_formula
from tables.selectors import ListedRow

WriteValue = Callable[[Any], str]
WriteFiles = Callable[[Sequence[dict[str, Any]]], Any]
# Comparisons of types whose values are stored as text.
TEXT_COMPARISONS = ("folded", "exact", "option")


def write_csv(file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[ListedRow]) -> None:
    """Write a header line and one line per row: plain digits, YYYY-MM-DD, true and false, nothing for empty cells.

    This is CSV by RFC 4180, whose lines end with CRLF, after a byte order mark, which spreadsheets need.

    Names and texts are escaped (`tables.operations.formula_escaping`), so that spreadsheets do not evaluate them. They
    are quoted if a reader with any delimiter would split them, and all names if one looks like a value, such as 2025:
    by this, imports recognize the header.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        text.write(_line(_header([column.name for column in columns])))
        for cells in _lines(rows, writers=[_writer(column) for column in columns]):
            text.write(_line(cells))
    finally:
        text.flush()
        text.detach()


def write_json(
    file: IO[bytes],
    *,
    title: str,
    columns: Sequence[ColumnSpec],
    rows: Iterable[ListedRow],
    written_files: WriteFiles | None = None,
) -> None:
    """Write objects keyed by column name, in the order of the columns; null for empty cells.

    Files have the path of their content, unless `written_files` returns another form of a filled cell.
    """
    names = [column.name for column in columns]
    written = dict(_json_writers(columns, written_files=written_files))
    before = b"[\n"
    for _, cells in rows:
        if written:
            cells = list(cells)
            for index, write in written.items():
                if cells[index] is not None:
                    cells[index] = write(cells[index])
        file.write(before + strictjson.dumps(dict(zip(names, cells, strict=True))).encode())
        before = b",\n"
    file.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def _json_writers(
    columns: Sequence[ColumnSpec], *, written_files: WriteFiles | None
) -> Iterator[tuple[int, Callable[[Any], Any]]]:
    """Yield the index of columns whose cells do not say everything, and the function that writes a filled one."""
    for index, column in enumerate(columns):
        kind = get_column_type(column.type)
        if kind.has_files and written_files is not None:
            yield index, written_files
        elif kind.has_files or column.has_people:
            yield index, partial(kind.written_json, column=column)


def _lines(rows: Iterable[ListedRow], *, writers: Sequence[WriteValue]) -> Iterator[list[str]]:
    for _, cells in rows:
        yield ["" if cell is None else write(cell) for cell, write in zip(cells, writers, strict=True)]


def _writer(column: ColumnSpec) -> WriteValue:
    """Return the function that writes a filled cell of the column."""
    kind = get_column_type(column.type)
    if kind.comparison == "number":
        # The minus sign of a number does not start a formula.
        return plain_number
    if kind.comparison in TEXT_COMPARISONS and type(kind)._text is ColumnType._text:
        return lambda value: quoted(escape_formula(value))
    return lambda value: quoted(escape_formula(kind.text_in(value, column)))


def quoted(text: str) -> str:
    """Return the text as one cell."""
    return _in_quotes(text) if NEEDS_QUOTES.search(text) else text


def _header(names: Sequence[str]) -> list[str]:
    write = quoted if all(map(could_be_name, names)) else _in_quotes
    return [write(escape_formula(name)) for name in names]


def _in_quotes(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _line(cells: Sequence[str]) -> str:
    # An empty line would not be a row.
    return ",".join(cells) + "\r\n" if cells != [""] else '""\r\n'
